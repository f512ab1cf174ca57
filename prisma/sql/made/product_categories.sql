-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE FUNCTION capture_insert_product_categories() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
  program uuid;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'insert', 'product_categories', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 100) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT n.location_id AS location_id, false AS by_cascade, jsonb_build_object('product_id', n.product_id, 'category_id', n.category_id) AS key, NULL::product_categories AS old, n AS new,
          row_number() OVER (PARTITION BY n.location_id ORDER BY n.location_id, n.product_id, n.category_id) AS place
        FROM new_rows n
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  ELSE
    program := CASE WHEN pg_trigger_depth() = 1 AND coalesce(current_setting('comanda.deed', true), '') = '' THEN request_word(3)::uuid END;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT n.location_id, n.product_id AS id, n.category_id AS is_category_id
    FROM new_rows n
  ), history AS (
    INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes)
    SELECT c.location_id, 'api_key', program, request_word(1), 'insert', 'product_categories',
      CASE WHEN count(*) = 1 THEN (array_agg(c.id))[1] END, array_agg(c.id), count(*)::int,
      jsonb_build_object('after', jsonb_build_object('category_id', to_jsonb(array_agg(c.is_category_id))))
    FROM changed c WHERE program IS NOT NULL AND EXISTS (
      SELECT FROM products p WHERE p.location_id = c.location_id AND p.id = c.id AND p.created_at < now()::timestamptz(3))
    GROUP BY c.location_id
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, in_catalog, resource_ids, before)
    SELECT c.location_id, 'product_categories', 'insert', true, array_agg(c.id), NULL
    FROM (SELECT c.*, (row_number() OVER () - 1) / 500 AS share FROM changed c) c
    GROUP BY c.location_id, c.share
  )
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
  SELECT c.location_id, '-infinity'::timestamptz, 'catalog', 1 FROM changed c
  GROUP BY 1;
  GET DIAGNOSTICS noted = ROW_COUNT;
  -- The more a statement notes the surer it folds, so that no bulk leaves thousands of notes that every reader adds up.
  IF random() < 0.01 * noted THEN
    PERFORM fold_tallies(r.location_id) FROM (SELECT DISTINCT location_id FROM new_rows) r;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_insert AFTER INSERT ON product_categories
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_insert_product_categories();

CREATE FUNCTION capture_update_product_categories() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
  program uuid;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'update', 'product_categories', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT coalesce(n.location_id, o.location_id) AS location_id, false AS by_cascade, jsonb_build_object('product_id', coalesce(n.product_id, o.product_id), 'category_id', coalesce(n.category_id, o.category_id)) AS key,
          CASE WHEN o.location_id IS NOT NULL THEN o END AS old, CASE WHEN n.location_id IS NOT NULL THEN n END AS new,
          row_number() OVER (PARTITION BY coalesce(n.location_id, o.location_id) ORDER BY coalesce(n.location_id, o.location_id), coalesce(n.product_id, o.product_id), coalesce(n.category_id, o.category_id)) AS place
        FROM old_rows o FULL JOIN new_rows n ON n.location_id = o.location_id AND n.product_id = o.product_id AND n.category_id = o.category_id
        WHERE o.location_id IS NULL OR n.location_id IS NULL
          OR ROW(o.location_id, o.product_id, o.category_id)
            IS DISTINCT FROM ROW(n.location_id, n.product_id, n.category_id)
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  ELSE
    program := CASE WHEN pg_trigger_depth() = 1 AND coalesce(current_setting('comanda.deed', true), '') = '' THEN request_word(3)::uuid END;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT coalesce(n.location_id, o.location_id) AS location_id, coalesce(n.product_id, o.product_id) AS id,
      CASE WHEN o.location_id IS NULL THEN 'insert' WHEN n.location_id IS NULL THEN 'delete' ELSE 'update' END AS operation,
      CASE WHEN o.category_id IS DISTINCT FROM n.category_id THEN 1 ELSE 0 END AS changed,
      NULL::jsonb AS before, NULL::jsonb AS after, o.category_id AS was_category_id, n.category_id AS is_category_id
    FROM old_rows o FULL JOIN new_rows n ON n.location_id = o.location_id AND n.product_id = o.product_id AND n.category_id = o.category_id
    WHERE ROW(o.category_id)
        IS DISTINCT FROM ROW(n.category_id)
      OR o.location_id IS NULL OR n.location_id IS NULL
  ), history AS (
    INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes)
    SELECT c.location_id, 'api_key', program, request_word(1), 'update', 'product_categories',
      CASE WHEN count(*) = 1 THEN (array_agg(c.id))[1] END, array_agg(c.id), count(*)::int,
      jsonb_build_object('before', jsonb_strip_nulls(jsonb_build_object('category_id', CASE WHEN bit_or(c.changed) & 1 <> 0 THEN to_jsonb(array_agg(c.was_category_id)) END)),
        'after', jsonb_strip_nulls(jsonb_build_object('category_id', CASE WHEN bit_or(c.changed) & 1 <> 0 THEN to_jsonb(array_agg(c.is_category_id)) END)))
    FROM changed c WHERE program IS NOT NULL AND c.operation = 'update' AND c.changed & 1 <> 0
    GROUP BY c.location_id
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, changed, in_catalog, resource_ids, before, after)
    SELECT c.location_id, 'product_categories', c.operation,
      array_remove(ARRAY[CASE WHEN c.changed & 1 <> 0 THEN 'category_id' END]::text[], NULL),
      c.changed & 1 <> 0, array_agg(c.id), NULL, NULL
    FROM (
      SELECT c.location_id, c.operation, c.changed, c.id, c.before, c.after, (row_number() OVER () - 1) / 500 AS share
      FROM changed c WHERE c.operation <> 'update' OR c.changed & 1 <> 0
    ) c
    GROUP BY c.location_id, c.operation, c.changed, c.share
  )
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
  SELECT c.location_id, '-infinity'::timestamptz, 'catalog', 1 FROM changed c WHERE c.changed & 1 <> 0
  GROUP BY 1 HAVING (SELECT l.id FROM locations l WHERE l.id = c.location_id) IS NOT NULL;
  GET DIAGNOSTICS noted = ROW_COUNT;
  -- The more a statement notes the surer it folds, so that no bulk leaves thousands of notes that every reader adds up.
  IF random() < 0.01 * noted THEN
    PERFORM fold_tallies(r.location_id) FROM (SELECT DISTINCT location_id FROM new_rows) r;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_update AFTER UPDATE ON product_categories
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_update_product_categories();

CREATE FUNCTION capture_delete_product_categories() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
  program uuid;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'delete', 'product_categories', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.old)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT o.location_id AS location_id, g.gone AS by_cascade, jsonb_build_object('product_id', o.product_id, 'category_id', o.category_id) AS key, o AS old, NULL::product_categories AS new,
          row_number() OVER (PARTITION BY o.location_id, g.gone ORDER BY o.location_id, o.product_id, o.category_id) AS place
        FROM old_rows o CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM categories p WHERE p.location_id = o.location_id AND p.id = o.category_id)
          OR NOT EXISTS (SELECT FROM products p WHERE p.location_id = o.location_id AND p.id = o.product_id) AS gone) g
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  ELSE
    program := CASE WHEN pg_trigger_depth() = 1 AND coalesce(current_setting('comanda.deed', true), '') = '' THEN request_word(3)::uuid END;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT o.location_id, o.product_id AS id, o.category_id AS was_category_id
    FROM old_rows o
  ), history AS (
    INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes)
    SELECT c.location_id, 'api_key', program, request_word(1), 'delete', 'product_categories',
      CASE WHEN count(*) = 1 THEN (array_agg(c.id))[1] END, array_agg(c.id), count(*)::int,
      jsonb_build_object('before', jsonb_build_object('category_id', to_jsonb(array_agg(c.was_category_id))))
    FROM changed c WHERE program IS NOT NULL AND EXISTS (
      SELECT FROM products p WHERE p.location_id = c.location_id AND p.id = c.id AND p.created_at < now()::timestamptz(3))
    GROUP BY c.location_id
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, in_catalog, resource_ids, before)
    SELECT c.location_id, 'product_categories', 'delete', true, array_agg(c.id), NULL
    FROM (SELECT c.*, (row_number() OVER () - 1) / 500 AS share FROM changed c) c
    GROUP BY c.location_id, c.share
  )
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
  SELECT c.location_id, '-infinity'::timestamptz, 'catalog', 1 FROM changed c
  GROUP BY 1 HAVING (SELECT l.id FROM locations l WHERE l.id = c.location_id) IS NOT NULL;
  GET DIAGNOSTICS noted = ROW_COUNT;
  -- The more a statement notes the surer it folds, so that no bulk leaves thousands of notes that every reader adds up.
  IF random() < 0.01 * noted THEN
    PERFORM fold_tallies(r.location_id) FROM (SELECT DISTINCT location_id FROM old_rows) r;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_delete AFTER DELETE ON product_categories
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_delete_product_categories();

CREATE TRIGGER guard_location_id BEFORE UPDATE OF location_id ON product_categories
  FOR EACH ROW
  WHEN (ROW(OLD.location_id) IS DISTINCT FROM ROW(NEW.location_id))
  EXECUTE FUNCTION refuse('never', 'a link stays in its location: delete it, and insert another one');

CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON product_categories
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('truncate', 'TRUNCATE fires no row triggers, so it would bypass capture, counts and guards: use DELETE');
