-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER touch BEFORE UPDATE ON products
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER revise BEFORE UPDATE ON products
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION revise_row();

CREATE TRIGGER revise_new BEFORE INSERT ON products
  FOR EACH ROW WHEN (NOT by_service()) EXECUTE FUNCTION revise_new_row();

CREATE FUNCTION products_revision(p_location uuid, p_id uuid) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT r.revision FROM products r WHERE r.location_id = p_location AND r.id = p_id
$$;

CREATE FUNCTION capture_last_state_products() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  INSERT INTO internal.captured_changes (location_id, resource, operation, resource_ids, in_catalog, before)
  VALUES (OLD.location_id, 'product', 'delete', ARRAY[OLD.id], true,
    ARRAY[(SELECT j.doc::jsonb FROM products_json(OLD.location_id, ARRAY[OLD.id]) j)]);
  RETURN OLD;
END $$;

CREATE TRIGGER capture_last_state BEFORE DELETE ON products
  FOR EACH ROW EXECUTE FUNCTION capture_last_state_products();

CREATE TRIGGER keep_deletions AFTER DELETE ON products
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION keep_deletions('product');

CREATE TRIGGER keep_former_id AFTER UPDATE OF id, location_id ON products
  FOR EACH ROW WHEN (OLD.id <> NEW.id OR OLD.location_id <> NEW.location_id) EXECUTE FUNCTION keep_former_id('product');

CREATE FUNCTION capture_insert_products() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
  program uuid;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'insert', 'products', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 100) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT n.location_id AS location_id, false AS by_cascade, jsonb_build_object('id', n.id) AS key, NULL::products AS old, n AS new,
          row_number() OVER (PARTITION BY n.location_id ORDER BY n.location_id, n.id) AS place
        FROM new_rows n
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  ELSE
    program := CASE WHEN pg_trigger_depth() = 1 AND coalesce(current_setting('comanda.deed', true), '') = '' THEN request_word(3)::uuid END;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT n.location_id, n.id AS id, n.name AS is_name, n.price AS is_price, n.visible AS is_visible, n.tax_rate AS is_tax_rate,
      (CASE WHEN n.visible THEN 'visible' ELSE 'hidden' END)::text AS gained, '-infinity'::timestamptz AS gained_at, NULL::text AS lost, NULL::timestamptz AS lost_at
    FROM new_rows n
  ), history AS (
    INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes)
    SELECT c.location_id, 'api_key', program, request_word(1), 'insert', 'products',
      CASE WHEN count(*) = 1 THEN (array_agg(c.id))[1] END, array_agg(c.id), count(*)::int,
      jsonb_build_object('after', jsonb_build_object('name', to_jsonb(array_agg(c.is_name)), 'price', to_jsonb(array_agg(c.is_price)), 'visible', to_jsonb(array_agg(c.is_visible)), 'tax_rate', to_jsonb(array_agg(c.is_tax_rate))))
    FROM changed c WHERE program IS NOT NULL
    GROUP BY c.location_id
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, in_catalog, resource_ids, before)
    SELECT c.location_id, 'product', 'insert', true, array_agg(c.id), NULL
    FROM (SELECT c.*, (row_number() OVER () - 1) / 500 AS share FROM changed c) c
    GROUP BY c.location_id, c.share
  )
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
  SELECT c.location_id, '-infinity'::timestamptz, 'catalog', 1 FROM changed c
  GROUP BY 1
  UNION ALL
  SELECT t.location_id, t.at, 'product ' || t.name, sum(t.n) FROM (
    SELECT c.location_id, c.gained_at AS at, c.gained AS name, 1 AS n FROM changed c
      WHERE c.gained IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
    UNION ALL
    SELECT c.location_id, c.lost_at, c.lost, -1 FROM changed c
      WHERE c.lost IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
  ) t GROUP BY 1, 2, 3 HAVING sum(t.n) <> 0;
  GET DIAGNOSTICS noted = ROW_COUNT;
  -- The more a statement notes the surer it folds, so that no bulk leaves thousands of notes that every reader adds up.
  IF random() < 0.01 * noted THEN
    PERFORM fold_tallies(r.location_id) FROM (SELECT DISTINCT location_id FROM new_rows) r;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_insert AFTER INSERT ON products
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_insert_products();

CREATE FUNCTION capture_update_products() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
  program uuid;
  former products%ROWTYPE;
  current products%ROWTYPE;
  changed int;
  entry jsonb;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'update', 'products', e.n, e.kept, e.by_cascade, e.keys, e.digest)
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
          OR ROW(o.location_id, o.id, o.external_id, o.sku, o.name, o.search_text, o.description, o.price, o.visible, o.image_url, o.created_at, o.tax_rate, o.external_id_twin, o.sku_twin)
            IS DISTINCT FROM ROW(n.location_id, n.id, n.external_id, n.sku, n.name, n.search_text, n.description, n.price, n.visible, n.image_url, n.created_at, n.tax_rate, n.external_id_twin, n.sku_twin)
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
        + CASE WHEN former.sku IS DISTINCT FROM current.sku THEN 2 ELSE 0 END
        + CASE WHEN former.name IS DISTINCT FROM current.name THEN 4 ELSE 0 END
        + CASE WHEN former.description IS DISTINCT FROM current.description THEN 8 ELSE 0 END
        + CASE WHEN former.price IS DISTINCT FROM current.price THEN 16 ELSE 0 END
        + CASE WHEN former.visible IS DISTINCT FROM current.visible THEN 32 ELSE 0 END
        + CASE WHEN former.image_url IS DISTINCT FROM current.image_url THEN 64 ELSE 0 END
        + CASE WHEN former.tax_rate IS DISTINCT FROM current.tax_rate THEN 128 ELSE 0 END;
      IF changed & 7 <> 0 THEN
        PERFORM touched_by_products(ARRAY[current.location_id], ARRAY[current.id]);
      END IF;
      IF program IS NOT NULL AND changed & 180 <> 0 THEN
        IF changed & 180 = 4 THEN
          entry := jsonb_build_object('before', jsonb_build_object('name', jsonb_build_array(former.name)), 'after', jsonb_build_object('name', jsonb_build_array(current.name)));
        ELSIF changed & 180 = 16 THEN
          entry := jsonb_build_object('before', jsonb_build_object('price', jsonb_build_array(former.price)), 'after', jsonb_build_object('price', jsonb_build_array(current.price)));
        ELSIF changed & 180 = 32 THEN
          entry := jsonb_build_object('before', jsonb_build_object('visible', jsonb_build_array(former.visible)), 'after', jsonb_build_object('visible', jsonb_build_array(current.visible)));
        ELSIF changed & 180 = 128 THEN
          entry := jsonb_build_object('before', jsonb_build_object('tax_rate', jsonb_build_array(former.tax_rate)), 'after', jsonb_build_object('tax_rate', jsonb_build_array(current.tax_rate)));
        ELSE
          entry := jsonb_build_object('before', jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN changed & 4 <> 0 THEN jsonb_build_array(former.name) END, 'price', CASE WHEN changed & 16 <> 0 THEN jsonb_build_array(former.price) END, 'visible', CASE WHEN changed & 32 <> 0 THEN jsonb_build_array(former.visible) END, 'tax_rate', CASE WHEN changed & 128 <> 0 THEN jsonb_build_array(former.tax_rate) END)),
            'after', jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN changed & 4 <> 0 THEN jsonb_build_array(current.name) END, 'price', CASE WHEN changed & 16 <> 0 THEN jsonb_build_array(current.price) END, 'visible', CASE WHEN changed & 32 <> 0 THEN jsonb_build_array(current.visible) END, 'tax_rate', CASE WHEN changed & 128 <> 0 THEN jsonb_build_array(current.tax_rate) END)));
        END IF;
        INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes)
        VALUES (current.location_id, 'api_key', program, request_word(1), 'update', 'products',
          current.id, ARRAY[current.id], 1, entry);
      END IF;
      IF changed & 255 <> 0 THEN
        INSERT INTO internal.captured_changes (location_id, resource, operation, changed, in_catalog, resource_ids, before, after)
        VALUES (current.location_id, 'product', 'update', array_remove(ARRAY[CASE WHEN changed & 1 <> 0 THEN 'external_id' END, CASE WHEN changed & 2 <> 0 THEN 'sku' END, CASE WHEN changed & 4 <> 0 THEN 'name' END, CASE WHEN changed & 8 <> 0 THEN 'description' END, CASE WHEN changed & 16 <> 0 THEN 'price' END, CASE WHEN changed & 32 <> 0 THEN 'visible' END, CASE WHEN changed & 64 <> 0 THEN 'image_url' END, CASE WHEN changed & 128 <> 0 THEN 'tax_rate' END]::text[], NULL),
          changed & 55 <> 0, ARRAY[current.id], NULL, NULL);
      END IF;
      IF changed & 55 <> 0 THEN
        INSERT INTO internal.tally_notes (location_id, starts_at, name, n) VALUES (current.location_id, '-infinity', 'catalog', 1);
        IF random() < 0.01 THEN
          PERFORM fold_tallies(current.location_id);
        END IF;
      END IF;
      IF ROW(CASE WHEN current.visible THEN 'visible' ELSE 'hidden' END, '-infinity'::timestamptz) IS DISTINCT FROM ROW(CASE WHEN former.visible THEN 'visible' ELSE 'hidden' END, '-infinity'::timestamptz) THEN
        INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
        SELECT current.location_id, v.at, v.name, v.n FROM (VALUES ('-infinity'::timestamptz, 'product ' || (CASE WHEN current.visible THEN 'visible' ELSE 'hidden' END)::text, 1), ('-infinity'::timestamptz, 'product ' || (CASE WHEN former.visible THEN 'visible' ELSE 'hidden' END)::text, -1)) v (at, name, n)
        WHERE v.name IS NOT NULL;
        IF random() < 0.02 THEN
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
        + CASE WHEN o.sku IS DISTINCT FROM n.sku THEN 2 ELSE 0 END
        + CASE WHEN o.name IS DISTINCT FROM n.name THEN 4 ELSE 0 END
        + CASE WHEN o.description IS DISTINCT FROM n.description THEN 8 ELSE 0 END
        + CASE WHEN o.price IS DISTINCT FROM n.price THEN 16 ELSE 0 END
        + CASE WHEN o.visible IS DISTINCT FROM n.visible THEN 32 ELSE 0 END
        + CASE WHEN o.image_url IS DISTINCT FROM n.image_url THEN 64 ELSE 0 END
        + CASE WHEN o.tax_rate IS DISTINCT FROM n.tax_rate THEN 128 ELSE 0 END AS changed,
      NULL::jsonb AS before, NULL::jsonb AS after, o.name AS was_name, n.name AS is_name, o.price AS was_price, n.price AS is_price, o.visible AS was_visible, n.visible AS is_visible, o.tax_rate AS was_tax_rate, n.tax_rate AS is_tax_rate,
      CASE WHEN o.location_id IS NOT NULL THEN (CASE WHEN o.visible THEN 'visible' ELSE 'hidden' END)::text END AS lost, '-infinity'::timestamptz AS lost_at,
      CASE WHEN n.location_id IS NOT NULL THEN (CASE WHEN n.visible THEN 'visible' ELSE 'hidden' END)::text END AS gained, '-infinity'::timestamptz AS gained_at
    FROM old_rows o FULL JOIN new_rows n ON n.location_id = o.location_id AND n.id = o.id
    WHERE ROW(o.external_id, o.sku, o.name, o.description, o.price, o.visible, o.image_url, o.tax_rate)
        IS DISTINCT FROM ROW(n.external_id, n.sku, n.name, n.description, n.price, n.visible, n.image_url, n.tax_rate)
      OR ROW(CASE WHEN o.visible THEN 'visible' ELSE 'hidden' END, '-infinity'::timestamptz) IS DISTINCT FROM ROW(CASE WHEN n.visible THEN 'visible' ELSE 'hidden' END, '-infinity'::timestamptz)
      OR o.location_id IS NULL OR n.location_id IS NULL
  ), touched AS MATERIALIZED (
    SELECT touched_by_products(array_agg(c.location_id), array_agg(c.id)) FROM changed c
    WHERE c.operation <> 'update' OR c.changed & 7 <> 0
  ), history AS (
    INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes)
    SELECT c.location_id, 'api_key', program, request_word(1), 'update', 'products',
      CASE WHEN count(*) = 1 THEN (array_agg(c.id))[1] END, array_agg(c.id), count(*)::int,
      jsonb_build_object('before', jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN bit_or(c.changed) & 4 <> 0 THEN to_jsonb(array_agg(c.was_name)) END, 'price', CASE WHEN bit_or(c.changed) & 16 <> 0 THEN to_jsonb(array_agg(c.was_price)) END, 'visible', CASE WHEN bit_or(c.changed) & 32 <> 0 THEN to_jsonb(array_agg(c.was_visible)) END, 'tax_rate', CASE WHEN bit_or(c.changed) & 128 <> 0 THEN to_jsonb(array_agg(c.was_tax_rate)) END)),
        'after', jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN bit_or(c.changed) & 4 <> 0 THEN to_jsonb(array_agg(c.is_name)) END, 'price', CASE WHEN bit_or(c.changed) & 16 <> 0 THEN to_jsonb(array_agg(c.is_price)) END, 'visible', CASE WHEN bit_or(c.changed) & 32 <> 0 THEN to_jsonb(array_agg(c.is_visible)) END, 'tax_rate', CASE WHEN bit_or(c.changed) & 128 <> 0 THEN to_jsonb(array_agg(c.is_tax_rate)) END)))
    FROM changed c WHERE program IS NOT NULL AND c.operation = 'update' AND c.changed & 180 <> 0
    GROUP BY c.location_id
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, changed, in_catalog, resource_ids, before, after)
    SELECT c.location_id, 'product', c.operation,
      array_remove(ARRAY[CASE WHEN c.changed & 1 <> 0 THEN 'external_id' END, CASE WHEN c.changed & 2 <> 0 THEN 'sku' END, CASE WHEN c.changed & 4 <> 0 THEN 'name' END, CASE WHEN c.changed & 8 <> 0 THEN 'description' END, CASE WHEN c.changed & 16 <> 0 THEN 'price' END, CASE WHEN c.changed & 32 <> 0 THEN 'visible' END, CASE WHEN c.changed & 64 <> 0 THEN 'image_url' END, CASE WHEN c.changed & 128 <> 0 THEN 'tax_rate' END]::text[], NULL),
      c.changed & 55 <> 0, array_agg(c.id), NULL, NULL
    FROM (
      SELECT c.location_id, c.operation, c.changed, c.id, c.before, c.after, (row_number() OVER () - 1) / 500 AS share
      FROM changed c CROSS JOIN touched WHERE c.operation <> 'update' OR c.changed & 255 <> 0
    ) c
    GROUP BY c.location_id, c.operation, c.changed, c.share
  )
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
  SELECT c.location_id, '-infinity'::timestamptz, 'catalog', 1 FROM changed c WHERE c.changed & 55 <> 0
  GROUP BY 1 HAVING (SELECT l.id FROM locations l WHERE l.id = c.location_id) IS NOT NULL
  UNION ALL
  SELECT t.location_id, t.at, 'product ' || t.name, sum(t.n) FROM (
    SELECT c.location_id, c.gained_at AS at, c.gained AS name, 1 AS n FROM changed c
      WHERE c.gained IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
    UNION ALL
    SELECT c.location_id, c.lost_at, c.lost, -1 FROM changed c
      WHERE c.lost IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
  ) t GROUP BY 1, 2, 3 HAVING sum(t.n) <> 0 AND (SELECT l.id FROM locations l WHERE l.id = t.location_id) IS NOT NULL;
  GET DIAGNOSTICS noted = ROW_COUNT;
  -- The more a statement notes the surer it folds, so that no bulk leaves thousands of notes that every reader adds up.
  IF random() < 0.01 * noted THEN
    PERFORM fold_tallies(r.location_id) FROM (SELECT DISTINCT location_id FROM new_rows) r;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_update AFTER UPDATE ON products
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_update_products();

CREATE FUNCTION capture_delete_products() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
  program uuid;
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'delete', 'products', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.old)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT o.location_id AS location_id, g.gone AS by_cascade, jsonb_build_object('id', o.id) AS key, o AS old, NULL::products AS new,
          row_number() OVER (PARTITION BY o.location_id, g.gone ORDER BY o.location_id, o.id) AS place
        FROM old_rows o CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM locations p WHERE p.id = o.location_id) AS gone) g
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  ELSE
    program := CASE WHEN pg_trigger_depth() = 1 AND coalesce(current_setting('comanda.deed', true), '') = '' THEN request_word(3)::uuid END;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT o.location_id, o.id AS id, o.name AS was_name, o.price AS was_price, o.visible AS was_visible, o.tax_rate AS was_tax_rate,
      (CASE WHEN o.visible THEN 'visible' ELSE 'hidden' END)::text AS lost, '-infinity'::timestamptz AS lost_at, NULL::text AS gained, NULL::timestamptz AS gained_at
    FROM old_rows o
  ), history AS (
    INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes)
    SELECT c.location_id, 'api_key', program, request_word(1), 'delete', 'products',
      CASE WHEN count(*) = 1 THEN (array_agg(c.id))[1] END, array_agg(c.id), count(*)::int,
      jsonb_build_object('before', jsonb_build_object('name', to_jsonb(array_agg(c.was_name)), 'price', to_jsonb(array_agg(c.was_price)), 'visible', to_jsonb(array_agg(c.was_visible)), 'tax_rate', to_jsonb(array_agg(c.was_tax_rate))))
    FROM changed c WHERE program IS NOT NULL AND EXISTS (SELECT FROM locations l WHERE l.id = c.location_id)
    GROUP BY c.location_id
  )
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
  SELECT c.location_id, '-infinity'::timestamptz, 'catalog', 1 FROM changed c
  GROUP BY 1 HAVING (SELECT l.id FROM locations l WHERE l.id = c.location_id) IS NOT NULL
  UNION ALL
  SELECT t.location_id, t.at, 'product ' || t.name, sum(t.n) FROM (
    SELECT c.location_id, c.gained_at AS at, c.gained AS name, 1 AS n FROM changed c
      WHERE c.gained IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
    UNION ALL
    SELECT c.location_id, c.lost_at, c.lost, -1 FROM changed c
      WHERE c.lost IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
  ) t GROUP BY 1, 2, 3 HAVING sum(t.n) <> 0 AND (SELECT l.id FROM locations l WHERE l.id = t.location_id) IS NOT NULL;
  GET DIAGNOSTICS noted = ROW_COUNT;
  -- The more a statement notes the surer it folds, so that no bulk leaves thousands of notes that every reader adds up.
  IF random() < 0.01 * noted THEN
    PERFORM fold_tallies(r.location_id) FROM (SELECT DISTINCT location_id FROM old_rows) r;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_delete AFTER DELETE ON products
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_delete_products();

CREATE FUNCTION products_columns(r products) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(',"external_id":' || to_json(r.external_id)::text, '')
    || ',"sku":' || to_json(r.sku)::text
    || ',"name":' || to_json(r.name)::text
    || ',"description":' || to_json(r.description)::text
    || ',"price":' || trim_scale(r.price)::text
    || ',"visible":' || r.visible::text
    || ',"image_url":' || to_json(r.image_url)::text
$$;

CREATE FUNCTION products_in_catalog(r products) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(',"external_id":' || to_json(r.external_id)::text, '')
    || ',"sku":' || to_json(r.sku)::text
    || ',"name":' || to_json(r.name)::text
    || ',"price":' || trim_scale(r.price)::text
    || ',"visible":' || r.visible::text
$$;

CREATE FUNCTION write_products_row(p_location uuid, p_id uuid, p_new boolean, p_fields jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF p_new THEN
    INSERT INTO products (location_id, id, external_id, sku, name, description, price, visible, image_url, tax_rate)
    SELECT p_location, p_id, f.external_id, f.sku, f.name, f.description, f.price, f.visible, f.image_url, f.tax_rate FROM jsonb_populate_record(NULL::products, p_fields) f;
  ELSE
    UPDATE products r SET (external_id, sku, name, description, price, visible, image_url, tax_rate)
      = (SELECT f.external_id, f.sku, f.name, f.description, f.price, f.visible, f.image_url, f.tax_rate FROM jsonb_populate_record(r, p_fields) f)
    WHERE r.location_id = p_location AND r.id = p_id;
  END IF;
END $$;

CREATE TRIGGER compose_texts BEFORE INSERT OR UPDATE OF name, description ON products
  FOR EACH ROW WHEN (NEW.name IS NOT NFC NORMALIZED OR NEW.description IS NOT NFC NORMALIZED) EXECUTE FUNCTION compose_texts('name', 'description');

CREATE TRIGGER guard_id BEFORE UPDATE OF id, location_id, created_at ON products
  FOR EACH ROW
  WHEN (ROW(OLD.id, OLD.location_id, OLD.created_at) IS DISTINCT FROM ROW(NEW.id, NEW.location_id, NEW.created_at))
  EXECUTE FUNCTION refuse('never', 'the id, the location and the creation of a product never change: make another one');

CREATE TRIGGER guard_revision BEFORE UPDATE OF revision ON products
  FOR EACH ROW
  WHEN (ROW(OLD.revision) IS DISTINCT FROM ROW(NEW.revision)
    AND (pg_trigger_depth() = 0))
  EXECUTE FUNCTION refuse('fixed', 'the revision of a row follows from its changes, and never changes by hand');

CREATE TRIGGER guard_blank BEFORE INSERT OR UPDATE OF external_id, sku, name ON products
  FOR EACH ROW
  WHEN (NEW.external_id !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]' OR NEW.sku !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]' OR NEW.name !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]')
  EXECUTE FUNCTION refuse_blank('external_id', 'sku', 'name');

CREATE TRIGGER guard_blank_ends BEFORE INSERT ON products
  FOR EACH ROW
  WHEN (NEW.external_id ~ '^[\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]|[\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]$' OR NEW.sku ~ '^[\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]|[\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]$')
  EXECUTE FUNCTION refuse_blank_ends('external_id', 'sku');

CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON products
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('truncate', 'TRUNCATE fires no row triggers, so it would bypass capture, counts and guards: use DELETE');
