-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER touch BEFORE UPDATE ON subselections
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION touch_updated_at();

CREATE FUNCTION capture_insert_subselections() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'insert', 'subselections', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 100) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT n.location_id AS location_id, false AS by_cascade, jsonb_build_object('id', n.id) AS key, NULL::subselections AS old, n AS new,
          row_number() OVER (PARTITION BY n.location_id ORDER BY n.location_id, n.id) AS place
        FROM new_rows n
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT n.location_id, n.id AS id
    FROM new_rows n
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, in_catalog, resource_ids, before)
    SELECT c.location_id, 'subselection', 'insert', true, array_agg(c.id), NULL
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

CREATE TRIGGER capture_insert AFTER INSERT ON subselections
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_insert_subselections();

CREATE FUNCTION capture_update_subselections() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'update', 'subselections', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT coalesce(n.location_id, o.location_id) AS location_id, false AS by_cascade, jsonb_build_object('id', coalesce(n.id, o.id)) AS key,
          CASE WHEN o.location_id IS NOT NULL THEN o END AS old, CASE WHEN n.location_id IS NOT NULL THEN n END AS new,
          row_number() OVER (PARTITION BY coalesce(n.location_id, o.location_id) ORDER BY coalesce(n.location_id, o.location_id), coalesce(n.id, o.id)) AS place
        FROM old_rows o FULL JOIN new_rows n ON n.location_id = o.location_id AND n.id = o.id
        WHERE o.location_id IS NULL OR n.location_id IS NULL
          OR ROW(o.location_id, o.id, o.product_id, o.external_id, o.name, o.min_selection, o.max_selection, o.single, o.position, o.created_at, o.external_id_twin)
            IS DISTINCT FROM ROW(n.location_id, n.id, n.product_id, n.external_id, n.name, n.min_selection, n.max_selection, n.single, n.position, n.created_at, n.external_id_twin)
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT coalesce(n.location_id, o.location_id) AS location_id, coalesce(n.id, o.id) AS id,
      CASE WHEN o.location_id IS NULL THEN 'insert' WHEN n.location_id IS NULL THEN 'delete' ELSE 'update' END AS operation,
      CASE WHEN o.product_id IS DISTINCT FROM n.product_id THEN 1 ELSE 0 END
        + CASE WHEN o.external_id IS DISTINCT FROM n.external_id THEN 2 ELSE 0 END
        + CASE WHEN o.name IS DISTINCT FROM n.name THEN 4 ELSE 0 END
        + CASE WHEN o.min_selection IS DISTINCT FROM n.min_selection THEN 8 ELSE 0 END
        + CASE WHEN o.max_selection IS DISTINCT FROM n.max_selection THEN 16 ELSE 0 END
        + CASE WHEN o.single IS DISTINCT FROM n.single THEN 32 ELSE 0 END
        + CASE WHEN o.position IS DISTINCT FROM n.position THEN 64 ELSE 0 END AS changed,
      NULL::jsonb AS before, NULL::jsonb AS after
    FROM old_rows o FULL JOIN new_rows n ON n.location_id = o.location_id AND n.id = o.id
    WHERE ROW(o.product_id, o.external_id, o.name, o.min_selection, o.max_selection, o.single, o.position)
        IS DISTINCT FROM ROW(n.product_id, n.external_id, n.name, n.min_selection, n.max_selection, n.single, n.position)
      OR o.location_id IS NULL OR n.location_id IS NULL
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, changed, in_catalog, resource_ids, before, after)
    SELECT c.location_id, 'subselection', c.operation,
      array_remove(ARRAY[CASE WHEN c.changed & 1 <> 0 THEN 'product_id' END, CASE WHEN c.changed & 2 <> 0 THEN 'external_id' END, CASE WHEN c.changed & 4 <> 0 THEN 'name' END, CASE WHEN c.changed & 8 <> 0 THEN 'min_selection' END, CASE WHEN c.changed & 16 <> 0 THEN 'max_selection' END, CASE WHEN c.changed & 32 <> 0 THEN 'single' END, CASE WHEN c.changed & 64 <> 0 THEN 'position' END]::text[], NULL),
      c.changed & 127 <> 0, array_agg(c.id), NULL, NULL
    FROM (
      SELECT c.location_id, c.operation, c.changed, c.id, c.before, c.after, (row_number() OVER () - 1) / 500 AS share
      FROM changed c WHERE c.operation <> 'update' OR c.changed & 127 <> 0
    ) c
    GROUP BY c.location_id, c.operation, c.changed, c.share
  )
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
  SELECT c.location_id, '-infinity'::timestamptz, 'catalog', 1 FROM changed c WHERE c.changed & 127 <> 0
  GROUP BY 1 HAVING (SELECT l.id FROM locations l WHERE l.id = c.location_id) IS NOT NULL;
  GET DIAGNOSTICS noted = ROW_COUNT;
  -- The more a statement notes the surer it folds, so that no bulk leaves thousands of notes that every reader adds up.
  IF random() < 0.01 * noted THEN
    PERFORM fold_tallies(r.location_id) FROM (SELECT DISTINCT location_id FROM new_rows) r;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_update AFTER UPDATE ON subselections
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_update_subselections();

CREATE FUNCTION capture_delete_subselections() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'delete', 'subselections', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.old)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT o.location_id AS location_id, g.gone AS by_cascade, jsonb_build_object('id', o.id) AS key, o AS old, NULL::subselections AS new,
          row_number() OVER (PARTITION BY o.location_id, g.gone ORDER BY o.location_id, o.id) AS place
        FROM old_rows o CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM products p WHERE p.location_id = o.location_id AND p.id = o.product_id) AS gone) g
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT o.location_id, o.id AS id, jsonb_build_object('product_id', o.product_id) AS before
    FROM old_rows o
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, in_catalog, resource_ids, before)
    SELECT c.location_id, 'subselection', 'delete', true, array_agg(c.id), array_agg(c.before)
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

CREATE TRIGGER capture_delete AFTER DELETE ON subselections
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_delete_subselections();

CREATE TRIGGER compose_texts BEFORE INSERT OR UPDATE OF name ON subselections
  FOR EACH ROW WHEN (NEW.name IS NOT NFC NORMALIZED) EXECUTE FUNCTION compose_texts('name');

CREATE TRIGGER guard_id BEFORE UPDATE OF id, location_id, created_at ON subselections
  FOR EACH ROW
  WHEN (ROW(OLD.id, OLD.location_id, OLD.created_at) IS DISTINCT FROM ROW(NEW.id, NEW.location_id, NEW.created_at))
  EXECUTE FUNCTION refuse('never', 'the id, the location and the creation of a subselection never change: make another one');

CREATE TRIGGER guard_blank BEFORE INSERT OR UPDATE OF external_id, name ON subselections
  FOR EACH ROW
  WHEN (NEW.external_id !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]' OR NEW.name !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]')
  EXECUTE FUNCTION refuse_blank('external_id', 'name');

CREATE TRIGGER guard_blank_ends BEFORE INSERT ON subselections
  FOR EACH ROW
  WHEN (NEW.external_id ~ '^[\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]|[\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]$')
  EXECUTE FUNCTION refuse_blank_ends('external_id');

CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON subselections
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('truncate', 'TRUNCATE fires no row triggers, so it would bypass capture, counts and guards: use DELETE');
