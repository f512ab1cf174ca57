-- Undoing a manual edit writes the values before it again, as a manual edit does, whether a person or the service asks
-- (by_service), so every guard checks them. An entry that cannot be undone is refused (CM008).

-- The reason why an entry cannot be undone, under any deed; null where it may be undone, as far as the entry shows. A
-- later change is found by the undo itself.
CREATE FUNCTION undo_fault(entry audit_entries) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN entry.actor_kind <> 'database' THEN 'only what was changed by hand is undone'
    WHEN audited_key(entry.relation) IS NULL THEN format('no rows of %s are kept', entry.relation)
    WHEN entry.relation = 'locations' AND entry.operation <> 'update' THEN 'no undo makes or deletes a location'
    WHEN entry.operation = 'insert' AND entry.relation IN ('orders', 'order_items', 'payments')
      THEN 'an order that was written by hand is kept, because its number would be a gap: cancel it'
    WHEN entry.operation = 'insert' AND entry.changes ? 'keys' THEN NULL
    WHEN entry.row_count > jsonb_array_length(entry.changes->'rows')
      THEN format('of the %s rows that were changed %s are kept', entry.row_count, jsonb_array_length(entry.changes->'rows'))
    WHEN jsonb_path_exists(entry.changes, '$.rows[*].left_out') THEN format('values are not kept: %s',
      (SELECT string_agg(DISTINCT c #>> '{}', ', ') FROM jsonb_path_query(entry.changes, '$.rows[*].left_out[*]') c))
    WHEN entry.operation = 'delete' AND cardinality(gone_with(entry.relation)) > 0
      THEN format('what went with it is not kept: %s', array_to_string(gone_with(entry.relation), ', '))
    WHEN entry.relation = 'api_keys' AND jsonb_path_exists(entry.changes, '$.rows[*].before.revoked_at') THEN 'a key is revoked for good'
    WHEN entry.relation = 'turns' AND jsonb_path_exists(entry.changes, '$.rows[*].before.status')
      THEN 'a turn that was closed is settled, and stays closed' END
$$;

-- Why an entry cannot be undone with what went by cascade with it, or with which deed it can; null where it may be without one. For
-- those who read the audit.
CREATE FUNCTION undo_refusal(p_entry uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(undo_fault(a), (
      SELECT min(undo_fault(c)) FROM audit_entries c
      WHERE c.location_id = a.location_id AND c.created_at = a.created_at AND c.caused_by = a.id),
    CASE
      WHEN a.caused_by IS NOT NULL THEN 'it is undone with what caused it'
      WHEN a.deed IS NOT NULL THEN format('it needs a deed, as the edit did: %s', split_part(a.deed, ':', 1))
      WHEN a.relation IN ('orders', 'payments') AND jsonb_path_exists(a.changes, '$.rows[*].before.status')
        THEN format('%s moves back with the deed repair alone', CASE a.relation WHEN 'orders' THEN 'an order' ELSE 'a payment' END) END)
  FROM audit_entries a WHERE a.id = p_entry
$$;

-- Undoes an entry, and brings back what went by cascade with it. Its own writes are in the audit as its undo.
CREATE FUNCTION undo_hand_edit(p_entry uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  entry audit_entries;
BEGIN
  PERFORM begin_undo(p_entry);
  FOR entry IN
    SELECT a.* FROM audit_entries main
    JOIN audit_entries a ON a.location_id IS NOT DISTINCT FROM main.location_id AND a.created_at = main.created_at
      AND (a.id = main.id OR a.caused_by = main.id)
    WHERE main.id = p_entry ORDER BY a.caused_by IS NOT NULL, array_position(audited_tables(), a.relation), a.id
  LOOP
    PERFORM undo_entry(entry);
  END LOOP;
  SET CONSTRAINTS ALL IMMEDIATE;
  IF EXISTS (SELECT FROM audit_entries a WHERE a.location_id = entry.location_id AND a.created_at = now()::timestamptz(3)
    AND a.undo_of = p_entry AND a.caused_by IS NOT NULL) THEN
    RAISE EXCEPTION 'there is a later change: the rows that were added to these would go with them' USING ERRCODE = 'CM008';
  END IF;
  PERFORM end_undo();
END $$;

-- Undoes what one entry keeps: rows that came go, rows that went come again, the others get their values before.
CREATE FUNCTION undo_entry(entry audit_entries) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  kept jsonb := entry.changes->'rows';
  fault text := undo_fault(entry);
  digest text;
  rows text;
  same text;
  changed jsonb;
  wanted text[];
BEGIN
  IF fault IS NOT NULL THEN
    RAISE EXCEPTION '%', fault USING ERRCODE = 'CM008', DETAIL = entry.id;
  END IF;
  IF entry.operation = 'insert' AND entry.changes ? 'keys' THEN
    kept := (SELECT jsonb_agg(jsonb_build_object('key', k, 'before', NULL, 'after', '{}'::jsonb)) FROM jsonb_array_elements(entry.changes->'keys') k);
  END IF;
  SELECT string_agg(format('t.%1$I = (r.was).%1$I', k), ' AND ') INTO same FROM unnest(audited_key(entry.relation)) k;
  -- OFFSET 0: each row is made once, not again for every pair that a plan without statistics compares.
  rows := format($f$(SELECT r->'key' AS key, nullif(r->'before', 'null') AS before, nullif(r->'after', 'null') AS after,
      jsonb_populate_record(NULL::%1$I, k.key || coalesce(nullif(r->'after', 'null'), '{}')) AS was,
      jsonb_populate_record(NULL::%1$I, k.key || coalesce(nullif(r->'before', 'null'), '{}')) AS becomes
    FROM jsonb_array_elements($1) r CROSS JOIN LATERAL (SELECT r->'key' || jsonb_build_object('location_id', $2) AS key) k OFFSET 0) r$f$,
    entry.relation);
  EXECUTE format('SELECT FROM %s CROSS JOIN LATERAL (SELECT FROM %I t WHERE %s FOR UPDATE) l', rows, entry.relation, same)
    USING kept, entry.location_id;
  EXECUTE format($f$SELECT r.key FROM %s LEFT JOIN %I t ON %s WHERE (r.after IS NULL) <> (t.ctid IS NULL)
      OR EXISTS (SELECT FROM jsonb_object_keys(r.after) k WHERE to_jsonb(t)->k IS DISTINCT FROM to_jsonb(r.was)->k) LIMIT 1$f$,
    rows, entry.relation, same) INTO changed USING kept, entry.location_id;
  IF changed IS NULL AND entry.operation = 'insert' AND entry.changes ? 'keys' THEN
    EXECUTE format($f$SELECT audit_digest(string_agg(audit_text(to_jsonb(t)), E'\n' ORDER BY %s)) FROM %s JOIN %I t ON %s$f$,
      (SELECT string_agg(format('t.%I', k), ', ' ORDER BY n) FROM unnest(audited_key(entry.relation)) WITH ORDINALITY u (k, n)),
      rows, entry.relation, same) INTO digest USING kept, entry.location_id;
    IF digest IS DISTINCT FROM entry.changes->>'digest' THEN
      changed := to_jsonb(format('some of %s rows', entry.row_count));
    END IF;
  END IF;
  IF changed IS NOT NULL THEN
    RAISE EXCEPTION 'a later change is in %: %', entry.relation, changed USING ERRCODE = 'CM008', DETAIL = entry.id;
  END IF;

  SELECT array_agg(DISTINCT c) INTO wanted FROM jsonb_path_query(kept, '$[*].before ? (@ != null)') b, jsonb_object_keys(b) c;
  -- A statement without rows meets guards, too.
  IF jsonb_path_exists(kept, '$[*] ? (@.before == null)') THEN
    EXECUTE format('DELETE FROM %I t USING %s WHERE r.before IS NULL AND %s', entry.relation, rows, same)
      USING kept, entry.location_id;
  END IF;
  -- The deliveries that an endpoint skips follow from its status, in both directions.
  IF jsonb_path_exists(kept, '$[*] ? (@.before != null && @.after != null)') THEN
    EXECUTE format('UPDATE %I t SET %s FROM %s WHERE r.before IS NOT NULL AND r.after IS NOT NULL AND %s', entry.relation,
      (SELECT string_agg(format('%1$I = CASE WHEN r.before ? %1$L THEN (r.becomes).%1$I ELSE t.%1$I END', c), ', ') FROM unnest(wanted) c
        WHERE NOT (c = 'delivers_after' AND 'status' = ANY (wanted))),
      rows, same) USING kept, entry.location_id;
  END IF;
  IF jsonb_path_exists(kept, '$[*] ? (@.after == null)') THEN
    EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM %s WHERE r.after IS NULL', entry.relation,
      (SELECT string_agg(quote_ident(c), ', ') FROM unnest(wanted) c),
      (SELECT string_agg(format('(r.becomes).%I', c), ', ') FROM unnest(wanted) c), rows) USING kept, entry.location_id;
  END IF;
END $$;
