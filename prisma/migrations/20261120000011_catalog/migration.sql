-- The catalog's version. Every transaction that changes what GET /v2/catalog shows counts one touch; the sum of a
-- location's touches is the token of its state: the sums that snapshots see only rise, and equal sums show equal
-- catalogs. A reader who finds a new token stamps it with the next version, so writers never meet in one row.

-- CreateTable
CREATE TABLE "catalog_touches" (
    "location_id" UUID NOT NULL,
    "backend" INTEGER NOT NULL,
    "touches" BIGINT NOT NULL,

    CONSTRAINT "catalog_touches_pkey" PRIMARY KEY ("location_id","backend")
);

-- CreateTable
CREATE TABLE "catalog_versions" (
    "location_id" UUID NOT NULL,
    "token" BIGINT NOT NULL,
    "version" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "catalog_versions_pkey" PRIMARY KEY ("location_id")
);

-- AddForeignKey
ALTER TABLE "catalog_touches" ADD CONSTRAINT "catalog_touches_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "catalog_versions" ADD CONSTRAINT "catalog_versions_location_id_fkey" FOREIGN KEY ("location_id") REFERENCES "locations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Rewritten by every order that takes stock: room on the page keeps the new version beside the old.
ALTER TABLE catalog_touches SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
ALTER TABLE catalog_versions SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Watches a table. `shown_columns`, its key among them, are those whose difference shows in the catalog. The
-- counter is the backend's own row: nobody waits for it, so it can never be part of a deadlock. A location
-- that is being deleted is counted no more.
CREATE PROCEDURE watch_catalog(watched text, key_columns text[], shown_columns text[]) LANGUAGE plpgsql AS $$
DECLARE
  same_key text := (SELECT string_agg(format('o.%1$I = n.%1$I', c), ' AND ') FROM unnest(key_columns) c);
  differs text := (SELECT string_agg(format('o.%1$I IS DISTINCT FROM n.%1$I', c), ' OR ') FROM unnest(shown_columns) c);
  body text := $f$
    CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      INSERT INTO catalog_touches AS t (location_id, backend, touches)
      SELECT c.location_id, pg_backend_pid(), 1
      FROM (SELECT DISTINCT %s) c WHERE EXISTS (SELECT FROM locations l WHERE l.id = c.location_id)
      ON CONFLICT (location_id, backend) DO UPDATE SET touches = t.touches + 1;
      RETURN NULL;
    END $body$ $f$;
BEGIN
  EXECUTE format(body, 'touch_catalog_insert_' || watched, 'location_id FROM new_rows');
  EXECUTE format('CREATE TRIGGER touch_catalog_insert AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows '
    || 'FOR EACH STATEMENT EXECUTE FUNCTION %I()', watched, 'touch_catalog_insert_' || watched);
  EXECUTE format(body, 'touch_catalog_update_' || watched, 'coalesce(n.location_id, o.location_id) AS location_id '
    || 'FROM old_rows o FULL JOIN new_rows n ON ' || same_key || ' WHERE ' || differs);
  EXECUTE format('CREATE TRIGGER touch_catalog_update AFTER UPDATE ON %I '
    || 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    watched, 'touch_catalog_update_' || watched);
  EXECUTE format(body, 'touch_catalog_delete_' || watched, 'location_id FROM old_rows');
  EXECUTE format('CREATE TRIGGER touch_catalog_delete AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows '
    || 'FOR EACH STATEMENT EXECUTE FUNCTION %I()', watched, 'touch_catalog_delete_' || watched);
END $$;

CALL watch_catalog('categories', '{location_id,id}', '{location_id,id,external_id,name,priority}');
CALL watch_catalog('products', '{location_id,id}', '{location_id,id,external_id,sku,name,price,visible}');
CALL watch_catalog('product_categories', '{location_id,product_id,category_id}', '{location_id,product_id,category_id}');
CALL watch_catalog('product_stock', '{location_id,product_id}', '{location_id,product_id,enabled,quantity}');
CALL watch_catalog('subselections', '{location_id,id}',
  '{location_id,id,product_id,external_id,name,min_selection,max_selection,single,position}');
CALL watch_catalog('subselection_items', '{location_id,id}',
  '{location_id,id,subselection_id,external_id,name,price,min,max,visible,image_url,position,stock_enabled,stock_quantity}');

-- The version is shown in the location's zone.
CREATE FUNCTION touch_catalog_of_location() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO catalog_touches AS t (location_id, backend, touches) VALUES (NEW.id, pg_backend_pid(), 1)
  ON CONFLICT (location_id, backend) DO UPDATE SET touches = t.touches + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER touch_catalog AFTER UPDATE OF timezone ON locations
  FOR EACH ROW WHEN (OLD.timezone IS DISTINCT FROM NEW.timezone) EXECUTE FUNCTION touch_catalog_of_location();

CREATE FUNCTION catalog_token(location uuid) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(sum(t.touches), 0)::bigint FROM catalog_touches t WHERE t.location_id = location
$$;

-- The version of the state with that token; NULL when a later one was stamped meanwhile, so that it has none.
-- Rises with every new token: the time of day, or the last version + 1 ms when that is not later.
CREATE FUNCTION stamp_catalog(p_location uuid, p_token bigint) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  v catalog_versions%ROWTYPE;
BEGIN
  SELECT * INTO v FROM catalog_versions c WHERE c.location_id = p_location;
  IF NOT FOUND OR v.token < p_token THEN
    INSERT INTO catalog_versions AS c (location_id, token, version)
    VALUES (p_location, p_token, date_trunc('milliseconds', clock_timestamp()))
    ON CONFLICT (location_id) DO UPDATE SET token = excluded.token,
      version = greatest(excluded.version, c.version + interval '1 millisecond')
    WHERE c.token < excluded.token
    RETURNING * INTO v;
    IF FOUND THEN
      PERFORM fold_catalog_touches(p_location);
    ELSE
      SELECT * INTO v FROM catalog_versions c WHERE c.location_id = p_location;
    END IF;
  END IF;
  RETURN CASE WHEN v.token = p_token THEN v.version END;
END $$;

-- Rows of backends that have ended are folded into row 0, once there are many: the sum stays. The caller holds
-- the row of the version, so one folds at a time; who is counting is passed by.
CREATE FUNCTION fold_catalog_touches(p_location uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM catalog_touches t WHERE t.location_id = p_location) <= 64 THEN
    RETURN;
  END IF;
  WITH ended AS (
    SELECT t.backend FROM catalog_touches t
    WHERE t.location_id = p_location AND t.backend <> 0 AND t.backend NOT IN (SELECT pid FROM pg_stat_activity)
    FOR UPDATE SKIP LOCKED
  ), folded AS (
    DELETE FROM catalog_touches t USING ended e WHERE t.location_id = p_location AND t.backend = e.backend
    RETURNING t.touches
  )
  INSERT INTO catalog_touches AS t (location_id, backend, touches)
  SELECT p_location, 0, sum(f.touches) FROM folded f HAVING count(*) > 0
  ON CONFLICT (location_id, backend) DO UPDATE SET touches = t.touches + excluded.touches;
END $$;

-- Holds the row of the version to the end of the transaction: nobody stamps a later state meanwhile.
CREATE FUNCTION hold_catalog_version(p_location uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO catalog_versions (location_id, token, version) VALUES (p_location, -1, 'epoch') ON CONFLICT DO NOTHING;
  PERFORM FROM catalog_versions c WHERE c.location_id = p_location FOR UPDATE;
END $$;

-- The version of what is committed by now.
CREATE FUNCTION catalog_version(p_location uuid) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  v timestamptz := stamp_catalog(p_location, catalog_token(p_location));
BEGIN
  IF v IS NULL THEN
    PERFORM hold_catalog_version(p_location);
    v := stamp_catalog(p_location, catalog_token(p_location));
  END IF;
  RETURN v;
END $$;

-- The catalog's categories as the text of a JSON array, with the token of the same snapshot. Put together as text:
-- json_strip_nulls would parse the whole tree again at each of its levels. Each table is read once, by its location,
-- and hashed; nested loops, which a planner without statistics takes, would compare each row with each.
CREATE FUNCTION catalog_tree(location uuid) RETURNS TABLE (token bigint, categories text)
LANGUAGE plpgsql STABLE SET enable_nestloop = off AS $$
BEGIN
  RETURN QUERY
  WITH items AS (
    SELECT i.subselection_id, string_agg('{"id":"' || i.id || '"'
      || coalesce(',"external_id":' || to_json(i.external_id)::text, '') || ',"name":' || to_json(i.name)::text
      || ',"price":' || trim_scale(i.price)::text || ',"min":' || i.min || ',"max":' || i.max
      || ',"visible":' || i.visible::text
      || CASE WHEN i.image_url = '' THEN '' ELSE ',"image_url":' || to_json(i.image_url)::text END
      || ',"stock":{"enabled":' || i.stock_enabled::text || ',"quantity":' || trim_scale(i.stock_quantity)::text || '}}',
      ',' ORDER BY i.position, i.id) AS list
    FROM subselection_items i WHERE i.location_id = location GROUP BY i.subselection_id
  ), choices AS (
    SELECT s.product_id, string_agg('{"id":"' || s.id || '"'
      || coalesce(',"external_id":' || to_json(s.external_id)::text, '') || ',"name":' || to_json(s.name)::text
      || ',"min_selection":' || s.min_selection || ',"max_selection":' || s.max_selection
      || ',"single":' || s.single::text || ',"items":[' || coalesce(i.list, '') || ']}',
      ',' ORDER BY s.position, s.id) AS list
    FROM subselections s LEFT JOIN items i ON i.subselection_id = s.id
    WHERE s.location_id = location GROUP BY s.product_id
  ), entries AS MATERIALIZED (
    SELECT p.id, p.name, '{"id":"' || p.id || '"'
      || coalesce(',"external_id":' || to_json(p.external_id)::text, '') || ',"sku":' || to_json(p.sku)::text
      || ',"name":' || to_json(p.name)::text || ',"price":' || trim_scale(p.price)::text
      || ',"visible":' || p.visible::text || ',"stock":{"enabled":' || coalesce(s.enabled, false)::text
      || ',"quantity":' || trim_scale(coalesce(s.quantity, 0))::text || '}'
      || ',"subselections":[' || coalesce(c.list, '') || ']}' AS doc
    FROM products p
    LEFT JOIN product_stock s ON s.location_id = location AND s.product_id = p.id
    LEFT JOIN choices c ON c.product_id = p.id
    WHERE p.location_id = location
      AND p.id IN (SELECT l.product_id FROM product_categories l WHERE l.location_id = location)
  ), shelves AS (
    SELECT l.category_id, string_agg(e.doc, ',' ORDER BY e.name, e.id) AS list
    FROM product_categories l JOIN entries e ON e.id = l.product_id
    WHERE l.location_id = location GROUP BY l.category_id
  )
  SELECT catalog_token(location), coalesce('[' || string_agg('{"id":"' || c.id || '","name":' || to_json(c.name)::text
      || coalesce(',"external_id":' || to_json(c.external_id)::text, '')
      || ',"products":[' || coalesce(s.list, '') || ']}', ',' ORDER BY c.priority, c.name, c.id) || ']', '[]')
  FROM categories c LEFT JOIN shelves s ON s.category_id = c.id
  WHERE c.location_id = location;
END $$;

-- Part of the entity tag: another way to show the same catalog is another text.
CREATE FUNCTION catalog_format() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT left(md5(p.prosrc), 8) FROM pg_proc p WHERE p.oid = 'catalog_tree(uuid)'::regprocedure
$$;
