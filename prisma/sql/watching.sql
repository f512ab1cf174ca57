-- From the table in watched.sql to triggers: what really changed is written down by statement-level triggers, in the
-- transaction that changed it. The relay in the worker publishes it later. No NOTIFY here: inside a writing
-- transaction it serialises commits; the relay is woken from outside and polls.
--
-- A changed table gets one function for each kind of statement. It compares old and new rows once, and gives what
-- differs to captured_changes and to the tallies (tallies.sql). The name of a function is its table's.

-- The statements that make the triggers of watched(), for whoever applies this folder.
CREATE FUNCTION watch_statements() RETURNS TABLE (statement text) LANGUAGE plpgsql AS $$
DECLARE
  w record;
  look text;
BEGIN
  FOR w IN SELECT * FROM watched() LOOP
    -- A hand is written down as well (auditing.sql).
    look := (SELECT CASE WHEN w.told_on LIKE '%p%' THEN 'IF by_service() THEN
  IF current_setting(''comanda.told'', true) = ''true'' THEN
    RETURN NULL;
  END IF;
ELSIF' ELSE 'IF NOT by_service() AND' END || ' pg_trigger_depth() = 1 THEN
  EXECUTE audit_query(TG_RELID, TG_OP) USING audit_hidden(TG_RELID);
END IF;' FROM audited() a WHERE a.relation = w.relation);
    IF w.touched THEN
      RETURN QUERY SELECT format('CREATE TRIGGER touch BEFORE UPDATE ON %I FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) '
        'EXECUTE FUNCTION touch_updated_at()', w.relation);
    END IF;
    CONTINUE WHEN w.told_as IS NULL;
    -- A resource that is deleted before its events are published shows its last state: it is kept here, read before the row and
    -- its children go. By a function of its own, whose plan is kept.
    IF w.told_on LIKE '%l%' THEN
      RETURN QUERY SELECT unnest(ARRAY[
        format($f$CREATE FUNCTION capture_last_state_%1$s() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, internal, pg_temp AS $body$
BEGIN
  INSERT INTO internal.captured_changes (location_id, resource, operation, resource_ids, in_catalog, before)
  VALUES (OLD.location_id, %2$L, 'delete', ARRAY[OLD.id], %3$L::boolean,
    ARRAY[(SELECT j.doc::jsonb FROM %1$s_json(OLD.location_id, ARRAY[OLD.id]) j)]);
  RETURN OLD;
END $body$
$f$, w.relation, w.told_as, w.columns ~ '[*~]'),
        format('CREATE TRIGGER capture_last_state BEFORE DELETE ON %I FOR EACH ROW EXECUTE FUNCTION capture_last_state_%1$s()', w.relation)]);
    END IF;
    RETURN QUERY SELECT unnest(ARRAY[
      format(E'CREATE FUNCTION capture_%s_%s() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER '
        'SET search_path = public, internal, pg_temp AS $body$\nBEGIN\n%s%s;\nEND $body$', o.operation, w.relation, look, o.body),
      format('CREATE TRIGGER capture_%s AFTER %1$s ON %I REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION capture_%1$s_%2$s()',
        o.operation, w.relation, o.rows)])
    FROM (
      SELECT v.operation, v.rows, watch_body(w.relation, w.told_as, w.of, w.told_on, w.columns, w.counted, w.counted_at, v.operation)
      FROM (VALUES ('insert', 'NEW TABLE AS new_rows'), ('delete', 'OLD TABLE AS old_rows'),
        ('update', 'OLD TABLE AS old_rows NEW TABLE AS new_rows')) v (operation, rows)
    ) o (operation, rows, body) WHERE o.body IS NOT NULL;
  END LOOP;
END $$;

-- The numbers by which watch_comparison tells which of these columns differ: the sum of those marked so.
CREATE FUNCTION watched_bits(columns text, marked text) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(sum(1 << (at - 1)::int), 0)::int
  FROM regexp_split_to_table(columns, ' ') WITH ORDINALITY AS t (x, at) WHERE x <> '' AND x ~ marked
$$;

-- The body of a table's function for an operation; NULL where nothing is told or counted of it.
CREATE FUNCTION watch_body(relation text, told_as text, of text, told_on text, columns text, counted text, counted_at text,
  operation text
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  in_catalog boolean := columns ~ '[*~]';
  shown text := CASE operation WHEN 'update' THEN format('c.changed & %s <> 0', watched_bits(columns, '[*~]')) ELSE in_catalog::text END;
  -- What goes with its location is counted no more. Looked up, whatever the planner takes the locations for.
  located text := CASE WHEN operation <> 'insert' THEN ' AND (SELECT l.id FROM locations l WHERE l.id = location_id) IS NOT NULL' END;
  -- What other entries show of these rows. A materialized part is run once, whatever is joined with it.
  touched text := CASE WHEN operation = 'update' AND columns ~ '\^' THEN format($f$, touched AS MATERIALIZED (
  SELECT touched_by_%s(array_agg(c.location_id), array_agg(c.id)) FROM changed c
  WHERE c.operation <> 'update' OR c.changed & %s <> 0
)$f$, relation, watched_bits(columns, '\^')) END;
  -- As the relay sees it: what was changed by key is one row that went and one that came. What is alike shares a row, 500
  -- resources at most.
  told text := CASE operation
    WHEN 'update' THEN format($f$INSERT INTO internal.captured_changes (location_id, resource, operation, changed, in_catalog, resource_ids, before, after)
  SELECT c.location_id, %L, c.operation, array_remove(ARRAY[%s]::text[], NULL), %s, array_agg(c.id), %s
  FROM (
    SELECT c.location_id, c.operation, c.changed, c.id, c.before, c.after, (row_number() OVER () - 1) / 500 AS share
    FROM changed c%s WHERE c.operation <> 'update' OR c.changed & %s <> 0
  ) c
  GROUP BY c.location_id, c.operation, c.changed, c.share$f$, told_as,
      (SELECT string_agg(format('CASE WHEN c.changed & %s <> 0 THEN %L END', 1 << (at - 1)::int, translate(x, '*!^<', '')), ', ' ORDER BY at)
        FROM regexp_split_to_table(columns, ' ') WITH ORDINALITY AS t (x, at) WHERE x !~ '~'),
      shown, CASE WHEN columns ~ '!' THEN 'array_agg(c.before), array_agg(c.after)' ELSE 'NULL, NULL' END,
      CASE WHEN touched IS NOT NULL THEN ' CROSS JOIN touched' END, watched_bits(columns, '^[^~]*$'))
    ELSE format($f$INSERT INTO internal.captured_changes (location_id, resource, operation, in_catalog, resource_ids, before)
  SELECT c.location_id, %L, %L, %s, array_agg(c.id), %s
  FROM (SELECT c.*, (row_number() OVER () - 1) / 500 AS share FROM changed c) c
  GROUP BY c.location_id, c.share$f$, told_as, operation, shown,
      CASE WHEN operation = 'delete' AND columns ~ '<' THEN 'array_agg(c.before)' ELSE 'NULL' END) END;
  notes text := concat_ws(E'\n  UNION ALL\n',
    CASE WHEN in_catalog THEN
      format($f$  SELECT c.location_id, '-infinity'::timestamptz, 'catalog', 1 FROM changed c WHERE %s
  GROUP BY 1 HAVING true%s$f$, shown, replace(located, '= location_id', '= c.location_id')) END,
    CASE WHEN counted IS NOT NULL THEN format($f$  SELECT t.location_id, t.at, %L || t.name, sum(t.n) FROM (
    SELECT c.location_id, c.gained_at AS at, c.gained AS name, 1 AS n FROM changed c
      WHERE c.gained IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
    UNION ALL SELECT c.location_id, c.lost_at, c.lost, -1 FROM changed c
      WHERE c.lost IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)

  ) t GROUP BY 1, 2, 3 HAVING sum(t.n) <> 0%s$f$, told_as || ' ', replace(located, '= location_id', '= t.location_id')) END);
  comparison text := format(E'WITH changed AS MATERIALIZED (\n  %s\n)%s',
    watch_comparison(relation, of, columns, counted, counted_at, operation), touched);
BEGIN
  IF notes = '' THEN
    RETURN CASE WHEN strpos(told_on, left(operation, 1)) > 0 THEN E'\nBEGIN\n' || comparison || E'\n' || told || E';\nRETURN NULL;\nEND ' END;
  END IF;
  RETURN format($f$
DECLARE
  noted bigint;
BEGIN
%s%s
INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
%s;
GET DIAGNOSTICS noted = ROW_COUNT;
-- The more a statement notes the surer it folds, so that no bulk leaves thousands of notes that every reader adds up.
IF random() < 0.01 * noted THEN
  PERFORM fold_tallies(r.location_id) FROM (SELECT DISTINCT location_id FROM %s) r;
END IF;
RETURN NULL;
END $f$, comparison, CASE WHEN strpos(told_on, left(operation, 1)) > 0 THEN E', told AS (\n  ' || told || E'\n)' END, notes,
    CASE operation WHEN 'delete' THEN 'old_rows' ELSE 'new_rows' END);
END $$;

-- The rows that an operation really changed, each once: what of it differs, as a sum of bits, and what it is counted as
-- before and after.
-- Old and new rows of an update meet in a full join, which is hashed or merged, never a loop within a loop, however few
-- rows there were when it was planned.
CREATE FUNCTION watch_comparison(relation text, of text, columns text, counted text, counted_at text, operation text)
RETURNS text LANGUAGE sql STABLE AS $$
  WITH c AS (
    SELECT translate(x, '*~!^<', '') AS name, x ~ '!' AS recorded, x ~ '<' AS part_of, at
    FROM regexp_split_to_table(columns, ' ') WITH ORDINALITY AS t (x, at) WHERE x <> ''
  ), parts AS (
    SELECT string_agg(format('CASE WHEN o.%1$I IS DISTINCT FROM n.%1$I THEN %2$s ELSE 0 END', name, 1 << (at - 1)::int), ' + ' ORDER BY at) AS changed,
      string_agg(format('o.%I', name), ', ' ORDER BY at) AS old_all, string_agg(format('n.%I', name), ', ' ORDER BY at) AS new_all,
      string_agg(format('%1$L, o.%1$I', name), ', ' ORDER BY at) FILTER (WHERE recorded) AS old_recorded,
      string_agg(format('%1$L, n.%1$I', name), ', ' ORDER BY at) FILTER (WHERE recorded) AS new_recorded,
      string_agg(format('%1$L, o.%1$I', name), ', ' ORDER BY at) FILTER (WHERE part_of) AS old_owner,
      replace(counted, 'r.', 'o.') AS lost, replace(counted_at, 'r.', 'o.') AS lost_at,
      replace(counted, 'r.', 'n.') AS gained, replace(counted_at, 'r.', 'n.') AS gained_at
    FROM c
  )
  SELECT CASE operation
    WHEN 'insert' THEN format($f$SELECT n.location_id, n.%I AS id%s FROM new_rows n$f$, of,
      CASE WHEN counted IS NOT NULL THEN format(
        ', (%s)::text AS gained, %s AS gained_at, NULL::text AS lost, NULL::timestamptz AS lost_at', gained, gained_at) END)
    WHEN 'delete' THEN format($f$SELECT o.location_id, o.%I AS id%s%s FROM old_rows o$f$, of,
      ', jsonb_build_object(' || old_owner || ') AS before',
      CASE WHEN counted IS NOT NULL THEN format(
        ', (%s)::text AS lost, %s AS lost_at, NULL::text AS gained, NULL::timestamptz AS gained_at', lost, lost_at) END)
    ELSE format($f$SELECT coalesce(n.location_id, o.location_id) AS location_id, coalesce(n.%1$I, o.%1$I) AS id,
    CASE WHEN o.location_id IS NULL THEN 'insert' WHEN n.location_id IS NULL THEN 'delete' ELSE 'update' END AS operation,
    %2$s AS changed, %3$s AS before, %4$s AS after%5$s
  FROM old_rows o FULL JOIN new_rows n ON %6$s
  WHERE ROW(%7$s) IS DISTINCT FROM ROW(%8$s)%9$s OR o.location_id IS NULL OR n.location_id IS NULL$f$, of, changed,
      coalesce('jsonb_build_object(' || old_recorded || ')', 'NULL::jsonb'),
      coalesce('jsonb_build_object(' || new_recorded || ')', 'NULL::jsonb'),
      CASE WHEN counted IS NOT NULL THEN format(', CASE WHEN o.location_id IS NOT NULL THEN (%s)::text END AS lost, %s AS lost_at, '
        'CASE WHEN n.location_id IS NOT NULL THEN (%s)::text END AS gained, %s AS gained_at', lost, lost_at, gained, gained_at) END,
      (SELECT string_agg(format('n.%1$I = o.%1$I', a.attname), ' AND ' ORDER BY a.attnum) FROM pg_index i
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
        WHERE i.indrelid = relation::regclass AND i.indisprimary),
      old_all, new_all,
      CASE WHEN counted IS NOT NULL THEN format(' OR ROW(%s, %s) IS DISTINCT FROM ROW(%s, %s)', lost, lost_at, gained, gained_at) END)
    END
  FROM parts
$$;
