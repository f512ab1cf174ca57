-- From the table in audited.sql to triggers: what a statement of a session that is not the service's did, one audit entry
-- a location, with at most 100 rows and the count of all. What its triggers do is not written down.
--
-- One function for every table, since hands are rare: the service pays for a look at its session. Where a capture trigger
-- is there already, it looks (watching.sql): a trigger more for each costs an order 3 %.

CREATE FUNCTION audit_by_hand() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    EXECUTE audit_query(TG_RELID, TG_OP) USING audit_hidden(TG_RELID);
  END IF;
  RETURN NULL;
END $$;

-- The columns of a table whose values are not kept: what is erased must not live on here.
CREATE FUNCTION audit_hidden(p_relation oid) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN current_setting('comanda.deed', true) ~ '^erase: *\S' AND pg_has_role(session_user, c.relowner, 'MEMBER')
    THEN ARRAY(SELECT t.attname FROM pg_attribute t WHERE t.attrelid = c.oid AND t.attnum > 0) ELSE a.left_out END
  FROM pg_class c JOIN audited() a ON a.relation = c.relname WHERE c.oid = p_relation
$$;

-- The query that writes down what the statement did: its rows by location, the first 100 of each as audit_row shows them
-- ($1: columns left out).
--
-- A row that goes by cascade is met at the depth of the statement that caused it. It is known by a parent that is gone.
CREATE FUNCTION audit_query(p_relation oid, p_operation text) RETURNS text LANGUAGE sql STABLE AS $$
  WITH keys AS (
    SELECT string_agg(format('n.%1$I = o.%1$I', k), ' AND ') AS same, string_agg(format('coalesce(n.%1$I, o.%1$I)', k), ', ') AS key,
      string_agg(format('%1$L, coalesce(n.%1$I, o.%1$I)', k), ', ') FILTER (WHERE k <> 'location_id') AS named, min(k) AS one
    FROM key_columns(p_relation) k
  ), columns AS (
    SELECT string_agg(format('o.%I', a.attname), ', ') AS old, string_agg(format('n.%I', a.attname), ', ') AS new,
      CASE WHEN bool_or(a.attname = 'location_id') THEN 'location_id' ELSE 'id' END AS location
    FROM pg_attribute a WHERE a.attrelid = p_relation AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'updated_at'
  ), parents AS (
    SELECT coalesce(string_agg(format('NOT EXISTS (SELECT FROM %s p WHERE %s)', c.confrelid::regclass, c.same), ' OR '), 'false') AS gone
    FROM (
      SELECT f.confrelid, string_agg(format('p.%I = o.%I', r.attname, a.attname), ' AND ') AS same
      FROM pg_constraint f CROSS JOIN LATERAL unnest(f.conkey, f.confkey) AS k (own, referenced)
      JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.own
      JOIN pg_attribute r ON r.attrelid = f.confrelid AND r.attnum = k.referenced
      WHERE f.conrelid = p_relation AND f.contype = 'f' AND f.confdeltype = 'c' GROUP BY f.oid, f.confrelid
    ) c
  ), sources AS (
    SELECT CASE p_operation WHEN 'INSERT' THEN '(SELECT * FROM new_rows LIMIT 0)'
        ELSE 'old_rows' END AS old,
      CASE p_operation WHEN 'DELETE' THEN '(SELECT * FROM old_rows LIMIT 0)'
        ELSE 'new_rows' END AS new,
      CASE p_operation WHEN 'DELETE' THEN 'o.gone' WHEN 'UPDATE' THEN '(SELECT bool_or(gone) FROM went)' ELSE 'false' END AS gone
  )
  SELECT format($f$
    WITH went AS MATERIALIZED (SELECT o.*, %1$s AS gone FROM %2$s o),
    changed AS (
      SELECT coalesce(n.%3$I, o.%3$I) AS location_id, %4$s AS by_cascade, jsonb_build_object(%5$s) AS key,
        CASE WHEN o.%6$I IS NOT NULL THEN o END AS old, CASE WHEN n.%6$I IS NOT NULL THEN n END AS new,
        row_number() OVER (PARTITION BY coalesce(n.%3$I, o.%3$I), %4$s ORDER BY %7$s) AS place
      FROM went o FULL JOIN %8$s n ON %9$s
      WHERE o.%6$I IS NULL OR n.%6$I IS NULL OR ROW(%10$s) IS DISTINCT FROM ROW(%11$s)
    )
    SELECT note_hand_edit(location_id, %12$L, %13$L, n, kept, by_cascade) FROM (
      SELECT location_id, coalesce(by_cascade, false) AS by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(key, to_jsonb(old) - 'gone', to_jsonb(new), $1) ORDER BY place) FILTER (WHERE place <= 100) AS kept
      FROM changed GROUP BY 1, 2 ORDER BY 1, 2) e$f$,
    parents.gone, sources.old, columns.location, sources.gone, keys.named, keys.one, keys.key, sources.new, keys.same, columns.old, columns.new,
    lower(p_operation), (SELECT c.relname FROM pg_class c WHERE c.oid = p_relation))
  FROM keys, columns, parents, sources
$$;

CREATE FUNCTION key_columns(p_relation oid) RETURNS SETOF name LANGUAGE sql STABLE AS $$
  SELECT a.attname FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, at)
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
  WHERE i.indrelid = p_relation AND i.indisprimary ORDER BY k.at
$$;

-- A row as an entry keeps it: its key, and what differs. updated_at follows from every change, search_text from other columns.
CREATE FUNCTION audit_row(key jsonb, before jsonb, after jsonb, hidden text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('key', key,
    'before', CASE WHEN before IS NOT NULL THEN coalesce(jsonb_object_agg(k, before->k) FILTER (WHERE NOT k = ANY (hidden)), '{}') END,
    'after', CASE WHEN after IS NOT NULL THEN coalesce(jsonb_object_agg(k, after->k) FILTER (WHERE NOT k = ANY (hidden)), '{}') END)
    || CASE WHEN bool_or(k = ANY (hidden)) THEN jsonb_build_object('left_out', jsonb_agg(k) FILTER (WHERE k = ANY (hidden))) ELSE '{}' END
  FROM jsonb_object_keys(coalesce(before, after)) k
  WHERE k NOT IN ('updated_at', 'search_text') AND (before->k) IS DISTINCT FROM (after->k)
$$;

-- Writes the entry, for triggers alone. What goes with a location that is gone has none. Rows that go with those of a
-- deletion come later, by the triggers of their own tables: comanda.deleting has its entries by location.
CREATE FUNCTION note_hand_edit(p_location uuid, p_operation text, p_relation text, p_rows int, p_kept jsonb, p_by_cascade boolean)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  deleting jsonb := coalesce(nullif(current_setting('comanda.deleting', true), ''), '{}');
  here uuid := (SELECT l.id FROM locations l WHERE l.id = p_location);
  entry uuid;
BEGIN
  IF pg_trigger_depth() = 0 THEN
    RAISE EXCEPTION 'the audit is written by triggers' USING ERRCODE = 'CM008';
  ELSIF p_by_cascade AND (here IS NULL OR p_operation <> 'delete') THEN
    RETURN;
  END IF;
  INSERT INTO audit_entries (location_id, actor_kind, actor_name, application_name, operation, relation, resource_id, row_count,
    changes, deed, caused_by, undo_of)
  SELECT here, 'database', session_user, current_setting('application_name'), p_operation, p_relation,
    CASE WHEN p_rows = jsonb_array_length(p_kept) AND min(r.id) = max(r.id) THEN min(r.id)::uuid END, p_rows,
    jsonb_build_object('rows', coalesce(p_kept, '[]')), nullif(current_setting('comanda.deed', true), ''),
    CASE WHEN p_by_cascade THEN (deleting->>p_location::text)::uuid END, nullif(current_setting('comanda.undoing', true), '')::uuid
  FROM (SELECT coalesce(k->>'id', k->>'order_id', k->>'product_id', k->>'menu_id') AS id
    FROM jsonb_path_query(p_kept, '$[*].key') k) r
  RETURNING id INTO entry;
  IF p_operation = 'delete' AND NOT p_by_cascade AND p_location IS NOT NULL THEN
    PERFORM set_config('comanda.deleting', (deleting || jsonb_build_object(p_location, entry))::text, true);
  END IF;
END $$;

-- The statements that make the triggers of audited(), for whoever applies this folder.
CREATE FUNCTION audit_statements() RETURNS TABLE (statement text) LANGUAGE sql STABLE AS $$
  SELECT format('CREATE TRIGGER audit_%s %s ON %I %s FOR EACH STATEMENT EXECUTE FUNCTION audit_by_hand()',
    o.name, o.event, a.relation, o.rows)
  FROM audited() a CROSS JOIN (VALUES
    ('insert', 'AFTER INSERT', 'REFERENCING NEW TABLE AS new_rows'),
    ('update', 'AFTER UPDATE', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows'),
    ('delete', 'AFTER DELETE', 'REFERENCING OLD TABLE AS old_rows')
  ) o (name, event, rows)
  WHERE NOT EXISTS (SELECT FROM watched() w WHERE w.relation = a.relation AND w.told_as IS NOT NULL
    AND watch_body(w.relation, w.told_as, w.of, w.told_on, w.columns, w.counted, w.counted_at, o.name) IS NOT NULL)
$$;
