-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER touch BEFORE UPDATE ON categories
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER revise BEFORE UPDATE ON categories
  FOR EACH ROW WHEN (ROW(OLD.external_id, OLD.name, OLD.priority, OLD.visible, OLD.image_url)
    IS DISTINCT FROM ROW(NEW.external_id, NEW.name, NEW.priority, NEW.visible, NEW.image_url)) EXECUTE FUNCTION revise_row();

CREATE TRIGGER revise_new BEFORE INSERT ON categories
  FOR EACH ROW WHEN (NOT by_service()) EXECUTE FUNCTION revise_new_row();

CREATE FUNCTION categories_revision(p_location uuid, p_id uuid) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT r.revision FROM categories r WHERE r.location_id = p_location AND r.id = p_id
$$;

CREATE TRIGGER keep_deletions AFTER DELETE ON categories
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION keep_deletions('category');

CREATE TRIGGER keep_former_id AFTER UPDATE OF id, location_id ON categories
  FOR EACH ROW WHEN (OLD.id <> NEW.id OR OLD.location_id <> NEW.location_id) EXECUTE FUNCTION keep_former_id('category');

CREATE FUNCTION capture_insert_categories() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
  program uuid;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'insert', 'categories', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 100) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT n.location_id AS location_id, false AS by_cascade, jsonb_build_object('id', n.id) AS key, NULL::categories AS old, n AS new,
          row_number() OVER (PARTITION BY n.location_id ORDER BY n.location_id, n.id) AS place
        FROM new_rows n
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  ELSE
    program := CASE WHEN pg_trigger_depth() = 1 AND coalesce(current_setting('comanda.deed', true), '') = '' THEN request_word(3)::uuid END;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT n.location_id, n.id AS id, n.name AS is_name, n.visible AS is_visible
    FROM new_rows n
  ), history AS (
    INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes)
    SELECT c.location_id, 'api_key', program, request_word(1), 'insert', 'categories',
      CASE WHEN count(*) = 1 THEN (array_agg(c.id))[1] END, array_agg(c.id), count(*)::int,
      jsonb_build_object('after', jsonb_build_object('name', to_jsonb(array_agg(c.is_name)), 'visible', to_jsonb(array_agg(c.is_visible))))
    FROM changed c WHERE program IS NOT NULL
    GROUP BY c.location_id
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, in_catalog, resource_ids, before)
    SELECT c.location_id, 'category', 'insert', true, array_agg(c.id), NULL
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

CREATE TRIGGER capture_insert AFTER INSERT ON categories
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_insert_categories();

CREATE FUNCTION capture_update_categories() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
  program uuid;
  former categories%ROWTYPE;
  current categories%ROWTYPE;
  changed int;
  entry jsonb;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'update', 'categories', e.n, e.kept, e.by_cascade, e.keys, e.digest)
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
          OR ROW(o.location_id, o.id, o.external_id, o.name, o.priority, o.visible, o.image_url, o.created_at, o.external_id_twin)
            IS DISTINCT FROM ROW(n.location_id, n.id, n.external_id, n.name, n.priority, n.visible, n.image_url, n.created_at, n.external_id_twin)
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  ELSE
    program := CASE WHEN pg_trigger_depth() = 1 AND coalesce(current_setting('comanda.deed', true), '') = '' THEN request_word(3)::uuid END;
  END IF;
  IF pg_trigger_depth() = 1 AND (SELECT count(*) FROM (SELECT FROM new_rows LIMIT 2) n) = 1 THEN
    SELECT * INTO former FROM old_rows;
    SELECT * INTO current FROM new_rows;
    IF current.location_id = former.location_id AND current.id = former.id THEN
      changed := CASE WHEN former.external_id IS DISTINCT FROM current.external_id THEN 1 ELSE 0 END
        + CASE WHEN former.name IS DISTINCT FROM current.name THEN 2 ELSE 0 END
        + CASE WHEN former.priority IS DISTINCT FROM current.priority THEN 4 ELSE 0 END
        + CASE WHEN former.visible IS DISTINCT FROM current.visible THEN 8 ELSE 0 END
        + CASE WHEN former.image_url IS DISTINCT FROM current.image_url THEN 16 ELSE 0 END;
      IF changed & 6 <> 0 THEN
        PERFORM touched_by_categories(ARRAY[current.location_id], ARRAY[current.id]);
      END IF;
      IF program IS NOT NULL AND changed & 10 <> 0 THEN
        IF changed & 10 = 2 THEN
          entry := jsonb_build_object('before', jsonb_build_object('name', jsonb_build_array(former.name)), 'after', jsonb_build_object('name', jsonb_build_array(current.name)));
        ELSIF changed & 10 = 8 THEN
          entry := jsonb_build_object('before', jsonb_build_object('visible', jsonb_build_array(former.visible)), 'after', jsonb_build_object('visible', jsonb_build_array(current.visible)));
        ELSE
          entry := jsonb_build_object('before', jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN changed & 2 <> 0 THEN jsonb_build_array(former.name) END, 'visible', CASE WHEN changed & 8 <> 0 THEN jsonb_build_array(former.visible) END)),
            'after', jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN changed & 2 <> 0 THEN jsonb_build_array(current.name) END, 'visible', CASE WHEN changed & 8 <> 0 THEN jsonb_build_array(current.visible) END)));
        END IF;
        INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes)
        VALUES (current.location_id, 'api_key', program, request_word(1), 'update', 'categories',
          current.id, ARRAY[current.id], 1, entry);
      END IF;
      IF changed & 31 <> 0 THEN
        INSERT INTO internal.captured_changes (location_id, resource, operation, changed, in_catalog, resource_ids, before, after)
        VALUES (current.location_id, 'category', 'update', array_remove(ARRAY[CASE WHEN changed & 1 <> 0 THEN 'external_id' END, CASE WHEN changed & 2 <> 0 THEN 'name' END, CASE WHEN changed & 4 <> 0 THEN 'priority' END, CASE WHEN changed & 8 <> 0 THEN 'visible' END, CASE WHEN changed & 16 <> 0 THEN 'image_url' END]::text[], NULL),
          changed & 15 <> 0, ARRAY[current.id], NULL, NULL);
      END IF;
      IF changed & 15 <> 0 THEN
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
      CASE WHEN o.external_id IS DISTINCT FROM n.external_id THEN 1 ELSE 0 END
        + CASE WHEN o.name IS DISTINCT FROM n.name THEN 2 ELSE 0 END
        + CASE WHEN o.priority IS DISTINCT FROM n.priority THEN 4 ELSE 0 END
        + CASE WHEN o.visible IS DISTINCT FROM n.visible THEN 8 ELSE 0 END
        + CASE WHEN o.image_url IS DISTINCT FROM n.image_url THEN 16 ELSE 0 END AS changed,
      NULL::jsonb AS before, NULL::jsonb AS after, o.name AS was_name, n.name AS is_name, o.visible AS was_visible, n.visible AS is_visible
    FROM old_rows o FULL JOIN new_rows n ON n.location_id = o.location_id AND n.id = o.id
    WHERE ROW(o.external_id, o.name, o.priority, o.visible, o.image_url)
        IS DISTINCT FROM ROW(n.external_id, n.name, n.priority, n.visible, n.image_url)
      OR o.location_id IS NULL OR n.location_id IS NULL
  ), touched AS MATERIALIZED (
    SELECT touched_by_categories(array_agg(c.location_id), array_agg(c.id)) FROM changed c
    WHERE c.operation <> 'update' OR c.changed & 6 <> 0
  ), history AS (
    INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes)
    SELECT c.location_id, 'api_key', program, request_word(1), 'update', 'categories',
      CASE WHEN count(*) = 1 THEN (array_agg(c.id))[1] END, array_agg(c.id), count(*)::int,
      jsonb_build_object('before', jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN bit_or(c.changed) & 2 <> 0 THEN to_jsonb(array_agg(c.was_name)) END, 'visible', CASE WHEN bit_or(c.changed) & 8 <> 0 THEN to_jsonb(array_agg(c.was_visible)) END)),
        'after', jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN bit_or(c.changed) & 2 <> 0 THEN to_jsonb(array_agg(c.is_name)) END, 'visible', CASE WHEN bit_or(c.changed) & 8 <> 0 THEN to_jsonb(array_agg(c.is_visible)) END)))
    FROM changed c WHERE program IS NOT NULL AND c.operation = 'update' AND c.changed & 10 <> 0
    GROUP BY c.location_id
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, changed, in_catalog, resource_ids, before, after)
    SELECT c.location_id, 'category', c.operation,
      array_remove(ARRAY[CASE WHEN c.changed & 1 <> 0 THEN 'external_id' END, CASE WHEN c.changed & 2 <> 0 THEN 'name' END, CASE WHEN c.changed & 4 <> 0 THEN 'priority' END, CASE WHEN c.changed & 8 <> 0 THEN 'visible' END, CASE WHEN c.changed & 16 <> 0 THEN 'image_url' END]::text[], NULL),
      c.changed & 15 <> 0, array_agg(c.id), NULL, NULL
    FROM (
      SELECT c.location_id, c.operation, c.changed, c.id, c.before, c.after, (row_number() OVER () - 1) / 500 AS share
      FROM changed c CROSS JOIN touched WHERE c.operation <> 'update' OR c.changed & 31 <> 0
    ) c
    GROUP BY c.location_id, c.operation, c.changed, c.share
  )
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
  SELECT c.location_id, '-infinity'::timestamptz, 'catalog', 1 FROM changed c WHERE c.changed & 15 <> 0
  GROUP BY 1 HAVING (SELECT l.id FROM locations l WHERE l.id = c.location_id) IS NOT NULL;
  GET DIAGNOSTICS noted = ROW_COUNT;
  -- The more a statement notes the surer it folds, so that no bulk leaves thousands of notes that every reader adds up.
  IF random() < 0.01 * noted THEN
    PERFORM fold_tallies(r.location_id) FROM (SELECT DISTINCT location_id FROM new_rows) r;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_update AFTER UPDATE ON categories
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_update_categories();

CREATE FUNCTION capture_delete_categories() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
  program uuid;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'delete', 'categories', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.old)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT o.location_id AS location_id, g.gone AS by_cascade, jsonb_build_object('id', o.id) AS key, o AS old, NULL::categories AS new,
          row_number() OVER (PARTITION BY o.location_id, g.gone ORDER BY o.location_id, o.id) AS place
        FROM old_rows o CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM locations p WHERE p.id = o.location_id) AS gone) g
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  ELSE
    program := CASE WHEN pg_trigger_depth() = 1 AND coalesce(current_setting('comanda.deed', true), '') = '' THEN request_word(3)::uuid END;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT o.location_id, o.id AS id, o.name AS was_name, o.visible AS was_visible
    FROM old_rows o
  ), history AS (
    INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes)
    SELECT c.location_id, 'api_key', program, request_word(1), 'delete', 'categories',
      CASE WHEN count(*) = 1 THEN (array_agg(c.id))[1] END, array_agg(c.id), count(*)::int,
      jsonb_build_object('before', jsonb_build_object('name', to_jsonb(array_agg(c.was_name)), 'visible', to_jsonb(array_agg(c.was_visible))))
    FROM changed c WHERE program IS NOT NULL AND EXISTS (SELECT FROM locations l WHERE l.id = c.location_id)
    GROUP BY c.location_id
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, in_catalog, resource_ids, before)
    SELECT c.location_id, 'category', 'delete', true, array_agg(c.id), NULL
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

CREATE TRIGGER capture_delete AFTER DELETE ON categories
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_delete_categories();

CREATE TRIGGER compose_texts BEFORE INSERT OR UPDATE OF name ON categories
  FOR EACH ROW WHEN (NEW.name IS NOT NFC NORMALIZED) EXECUTE FUNCTION compose_texts('name');

CREATE TRIGGER guard_id BEFORE UPDATE OF id, location_id, created_at ON categories
  FOR EACH ROW
  WHEN (ROW(OLD.id, OLD.location_id, OLD.created_at) IS DISTINCT FROM ROW(NEW.id, NEW.location_id, NEW.created_at))
  EXECUTE FUNCTION refuse('never', 'the id, the location and the creation of a category never change: make another one');

CREATE TRIGGER guard_revision BEFORE UPDATE OF revision ON categories
  FOR EACH ROW
  WHEN (ROW(OLD.revision) IS DISTINCT FROM ROW(NEW.revision)
    AND (pg_trigger_depth() = 0))
  EXECUTE FUNCTION refuse('fixed', 'the revision of a row follows from its changes, and never changes by hand');

CREATE TRIGGER guard_blank BEFORE INSERT OR UPDATE OF external_id, name ON categories
  FOR EACH ROW
  WHEN (NEW.external_id !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]' OR NEW.name !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]')
  EXECUTE FUNCTION refuse_blank('external_id', 'name');

CREATE TRIGGER guard_blank_ends BEFORE INSERT ON categories
  FOR EACH ROW
  WHEN (NEW.external_id ~ '^[\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]|[\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]$')
  EXECUTE FUNCTION refuse_blank_ends('external_id');

CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON categories
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('truncate', 'TRUNCATE fires no row triggers, so it would bypass capture, counts and guards: use DELETE');
