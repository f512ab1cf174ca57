-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER touch BEFORE UPDATE ON subselection_items
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION touch_updated_at();

CREATE FUNCTION capture_insert_subselection_items() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'insert', 'subselection_items', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 100) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT n.location_id AS location_id, false AS by_cascade, jsonb_build_object('id', n.id) AS key, NULL::subselection_items AS old, n AS new,
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
    SELECT c.location_id, 'subselection_item', 'insert', true, array_agg(c.id), NULL
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

CREATE TRIGGER capture_insert AFTER INSERT ON subselection_items
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_insert_subselection_items();

CREATE FUNCTION capture_update_subselection_items() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
  program uuid;
  former subselection_items%ROWTYPE;
  current subselection_items%ROWTYPE;
  changed int;
  entry jsonb;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'update', 'subselection_items', e.n, e.kept, e.by_cascade, e.keys, e.digest)
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
          OR ROW(o.location_id, o.id, o.subselection_id, o.external_id, o.name, o.price, o.min, o.max, o.visible, o.image_url, o.position, o.stock_enabled, o.stock_quantity, o.created_at, o.external_id_twin)
            IS DISTINCT FROM ROW(n.location_id, n.id, n.subselection_id, n.external_id, n.name, n.price, n.min, n.max, n.visible, n.image_url, n.position, n.stock_enabled, n.stock_quantity, n.created_at, n.external_id_twin)
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  ELSE
    program := CASE WHEN pg_trigger_depth() = 1 AND coalesce(current_setting('comanda.deed', true), '') = '' THEN request_word(3)::uuid END;
  END IF;
  IF pg_trigger_depth() = 1 AND (SELECT count(*) FROM (SELECT FROM new_rows LIMIT 2) n) = 1 THEN
    SELECT * INTO former FROM old_rows;
    SELECT * INTO current FROM new_rows;
    IF current.location_id = former.location_id AND current.id = former.id THEN
      changed := CASE WHEN former.subselection_id IS DISTINCT FROM current.subselection_id THEN 1 ELSE 0 END
        + CASE WHEN former.external_id IS DISTINCT FROM current.external_id THEN 2 ELSE 0 END
        + CASE WHEN former.name IS DISTINCT FROM current.name THEN 4 ELSE 0 END
        + CASE WHEN former.price IS DISTINCT FROM current.price THEN 8 ELSE 0 END
        + CASE WHEN former.min IS DISTINCT FROM current.min THEN 16 ELSE 0 END
        + CASE WHEN former.max IS DISTINCT FROM current.max THEN 32 ELSE 0 END
        + CASE WHEN former.visible IS DISTINCT FROM current.visible THEN 64 ELSE 0 END
        + CASE WHEN former.image_url IS DISTINCT FROM current.image_url THEN 128 ELSE 0 END
        + CASE WHEN former.position IS DISTINCT FROM current.position THEN 256 ELSE 0 END
        + CASE WHEN former.stock_enabled IS DISTINCT FROM current.stock_enabled THEN 512 ELSE 0 END
        + CASE WHEN former.stock_quantity IS DISTINCT FROM current.stock_quantity THEN 1024 ELSE 0 END;
      IF program IS NOT NULL AND changed & 76 <> 0 THEN
        IF changed & 76 = 4 THEN
          entry := jsonb_build_object('before', jsonb_build_object('name', jsonb_build_array(former.name)), 'after', jsonb_build_object('name', jsonb_build_array(current.name)));
        ELSIF changed & 76 = 8 THEN
          entry := jsonb_build_object('before', jsonb_build_object('price', jsonb_build_array(former.price)), 'after', jsonb_build_object('price', jsonb_build_array(current.price)));
        ELSIF changed & 76 = 64 THEN
          entry := jsonb_build_object('before', jsonb_build_object('visible', jsonb_build_array(former.visible)), 'after', jsonb_build_object('visible', jsonb_build_array(current.visible)));
        ELSE
          entry := jsonb_build_object('before', jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN changed & 4 <> 0 THEN jsonb_build_array(former.name) END, 'price', CASE WHEN changed & 8 <> 0 THEN jsonb_build_array(former.price) END, 'visible', CASE WHEN changed & 64 <> 0 THEN jsonb_build_array(former.visible) END)),
            'after', jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN changed & 4 <> 0 THEN jsonb_build_array(current.name) END, 'price', CASE WHEN changed & 8 <> 0 THEN jsonb_build_array(current.price) END, 'visible', CASE WHEN changed & 64 <> 0 THEN jsonb_build_array(current.visible) END)));
        END IF;
        INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes)
        VALUES (current.location_id, 'api_key', program, request_word(1), 'update', 'subselection_items',
          current.id, ARRAY[current.id], 1, entry);
      END IF;
      IF changed & 511 <> 0 THEN
        INSERT INTO internal.captured_changes (location_id, resource, operation, changed, in_catalog, resource_ids, before, after)
        VALUES (current.location_id, 'subselection_item', 'update', array_remove(ARRAY[CASE WHEN changed & 1 <> 0 THEN 'subselection_id' END, CASE WHEN changed & 2 <> 0 THEN 'external_id' END, CASE WHEN changed & 4 <> 0 THEN 'name' END, CASE WHEN changed & 8 <> 0 THEN 'price' END, CASE WHEN changed & 16 <> 0 THEN 'min' END, CASE WHEN changed & 32 <> 0 THEN 'max' END, CASE WHEN changed & 64 <> 0 THEN 'visible' END, CASE WHEN changed & 128 <> 0 THEN 'image_url' END, CASE WHEN changed & 256 <> 0 THEN 'position' END]::text[], NULL),
          changed & 2047 <> 0, ARRAY[current.id], NULL, NULL);
      END IF;
      IF changed & 2047 <> 0 THEN
        INSERT INTO internal.tally_notes (location_id, starts_at, name, n) VALUES (current.location_id, '-infinity', 'catalog', 1);
        IF random() < 0.01 THEN
          PERFORM fold_tallies(current.location_id);
        END IF;
      END IF;
      RETURN NULL;
    END IF;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT coalesce(n.location_id, o.location_id) AS location_id, coalesce(n.id, o.id) AS id,
      CASE WHEN o.location_id IS NULL THEN 'insert' WHEN n.location_id IS NULL THEN 'delete' ELSE 'update' END AS operation,
      CASE WHEN o.subselection_id IS DISTINCT FROM n.subselection_id THEN 1 ELSE 0 END
        + CASE WHEN o.external_id IS DISTINCT FROM n.external_id THEN 2 ELSE 0 END
        + CASE WHEN o.name IS DISTINCT FROM n.name THEN 4 ELSE 0 END
        + CASE WHEN o.price IS DISTINCT FROM n.price THEN 8 ELSE 0 END
        + CASE WHEN o.min IS DISTINCT FROM n.min THEN 16 ELSE 0 END
        + CASE WHEN o.max IS DISTINCT FROM n.max THEN 32 ELSE 0 END
        + CASE WHEN o.visible IS DISTINCT FROM n.visible THEN 64 ELSE 0 END
        + CASE WHEN o.image_url IS DISTINCT FROM n.image_url THEN 128 ELSE 0 END
        + CASE WHEN o.position IS DISTINCT FROM n.position THEN 256 ELSE 0 END
        + CASE WHEN o.stock_enabled IS DISTINCT FROM n.stock_enabled THEN 512 ELSE 0 END
        + CASE WHEN o.stock_quantity IS DISTINCT FROM n.stock_quantity THEN 1024 ELSE 0 END AS changed,
      NULL::jsonb AS before, NULL::jsonb AS after, o.name AS was_name, n.name AS is_name, o.price AS was_price, n.price AS is_price, o.visible AS was_visible, n.visible AS is_visible
    FROM old_rows o FULL JOIN new_rows n ON n.location_id = o.location_id AND n.id = o.id
    WHERE ROW(o.subselection_id, o.external_id, o.name, o.price, o.min, o.max, o.visible, o.image_url, o.position, o.stock_enabled, o.stock_quantity)
        IS DISTINCT FROM ROW(n.subselection_id, n.external_id, n.name, n.price, n.min, n.max, n.visible, n.image_url, n.position, n.stock_enabled, n.stock_quantity)
      OR o.location_id IS NULL OR n.location_id IS NULL
  ), history AS (
    INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes)
    SELECT c.location_id, 'api_key', program, request_word(1), 'update', 'subselection_items',
      CASE WHEN count(*) = 1 THEN (array_agg(c.id))[1] END, array_agg(c.id), count(*)::int,
      jsonb_build_object('before', jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN bit_or(c.changed) & 4 <> 0 THEN to_jsonb(array_agg(c.was_name)) END, 'price', CASE WHEN bit_or(c.changed) & 8 <> 0 THEN to_jsonb(array_agg(c.was_price)) END, 'visible', CASE WHEN bit_or(c.changed) & 64 <> 0 THEN to_jsonb(array_agg(c.was_visible)) END)),
        'after', jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN bit_or(c.changed) & 4 <> 0 THEN to_jsonb(array_agg(c.is_name)) END, 'price', CASE WHEN bit_or(c.changed) & 8 <> 0 THEN to_jsonb(array_agg(c.is_price)) END, 'visible', CASE WHEN bit_or(c.changed) & 64 <> 0 THEN to_jsonb(array_agg(c.is_visible)) END)))
    FROM changed c WHERE program IS NOT NULL AND c.operation = 'update' AND c.changed & 76 <> 0
    GROUP BY c.location_id
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, changed, in_catalog, resource_ids, before, after)
    SELECT c.location_id, 'subselection_item', c.operation,
      array_remove(ARRAY[CASE WHEN c.changed & 1 <> 0 THEN 'subselection_id' END, CASE WHEN c.changed & 2 <> 0 THEN 'external_id' END, CASE WHEN c.changed & 4 <> 0 THEN 'name' END, CASE WHEN c.changed & 8 <> 0 THEN 'price' END, CASE WHEN c.changed & 16 <> 0 THEN 'min' END, CASE WHEN c.changed & 32 <> 0 THEN 'max' END, CASE WHEN c.changed & 64 <> 0 THEN 'visible' END, CASE WHEN c.changed & 128 <> 0 THEN 'image_url' END, CASE WHEN c.changed & 256 <> 0 THEN 'position' END]::text[], NULL),
      c.changed & 2047 <> 0, array_agg(c.id), NULL, NULL
    FROM (
      SELECT c.location_id, c.operation, c.changed, c.id, c.before, c.after, (row_number() OVER () - 1) / 500 AS share
      FROM changed c WHERE c.operation <> 'update' OR c.changed & 511 <> 0
    ) c
    GROUP BY c.location_id, c.operation, c.changed, c.share
  )
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
  SELECT c.location_id, '-infinity'::timestamptz, 'catalog', 1 FROM changed c WHERE c.changed & 2047 <> 0
  GROUP BY 1 HAVING (SELECT l.id FROM locations l WHERE l.id = c.location_id) IS NOT NULL;
  GET DIAGNOSTICS noted = ROW_COUNT;
  -- The more a statement notes the surer it folds, so that no bulk leaves thousands of notes that every reader adds up.
  IF random() < 0.01 * noted THEN
    PERFORM fold_tallies(r.location_id) FROM (SELECT DISTINCT location_id FROM new_rows) r;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_update AFTER UPDATE ON subselection_items
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_update_subselection_items();

CREATE FUNCTION capture_delete_subselection_items() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'delete', 'subselection_items', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.old)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT o.location_id AS location_id, g.gone AS by_cascade, jsonb_build_object('id', o.id) AS key, o AS old, NULL::subselection_items AS new,
          row_number() OVER (PARTITION BY o.location_id, g.gone ORDER BY o.location_id, o.id) AS place
        FROM old_rows o CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM subselections p WHERE p.location_id = o.location_id AND p.id = o.subselection_id) AS gone) g
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT o.location_id, o.id AS id, jsonb_build_object('subselection_id', o.subselection_id) AS before
    FROM old_rows o
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, in_catalog, resource_ids, before)
    SELECT c.location_id, 'subselection_item', 'delete', true, array_agg(c.id), array_agg(c.before)
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

CREATE TRIGGER capture_delete AFTER DELETE ON subselection_items
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_delete_subselection_items();

CREATE TRIGGER compose_texts BEFORE INSERT OR UPDATE OF name ON subselection_items
  FOR EACH ROW WHEN (NEW.name IS NOT NFC NORMALIZED) EXECUTE FUNCTION compose_texts('name');

CREATE TRIGGER guard_id BEFORE UPDATE OF id, location_id, created_at ON subselection_items
  FOR EACH ROW
  WHEN (ROW(OLD.id, OLD.location_id, OLD.created_at) IS DISTINCT FROM ROW(NEW.id, NEW.location_id, NEW.created_at))
  EXECUTE FUNCTION refuse('never', 'the id, the location and the creation of an item never change: make another one');

CREATE TRIGGER guard_blank BEFORE INSERT OR UPDATE OF external_id, name ON subselection_items
  FOR EACH ROW
  WHEN (NEW.external_id !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]' OR NEW.name !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]')
  EXECUTE FUNCTION refuse_blank('external_id', 'name');

CREATE TRIGGER guard_blank_ends BEFORE INSERT ON subselection_items
  FOR EACH ROW
  WHEN (NEW.external_id ~ '^[\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]|[\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]$')
  EXECUTE FUNCTION refuse_blank_ends('external_id');

CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON subselection_items
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('truncate', 'TRUNCATE fires no row triggers, so it would bypass capture, counts and guards: use DELETE');
