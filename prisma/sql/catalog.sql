-- The catalog as one tree, and its version. Every statement that changes what GET /v2/catalog shows notes one change
-- (made/); their sum at a location is the token of its state: within an epoch (tallies.sql) the sums that snapshots see
-- only rise, and equal sums show equal catalogs. A reader that finds a new token or epoch stamps it with the next
-- version, so writers never contend for one row. A noted change may not be visible, as with a product without a
-- category: the reader that builds the text compares its digest, and the same text keeps its version.

CREATE FUNCTION catalog_token(location uuid) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(sum(t.n), 0)::bigint FROM tally(location, '{catalog}') t
$$;

-- The version is shown in the location's zone.
CREATE FUNCTION note_location_zone() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n) VALUES (NEW.id, '-infinity', 'catalog', 1);
  RETURN NULL;
END $$;
CREATE TRIGGER note_zone AFTER UPDATE OF timezone ON locations
  FOR EACH ROW WHEN (OLD.timezone IS DISTINCT FROM NEW.timezone) EXECUTE FUNCTION note_location_zone();

-- The version of the state with that token; NULL when a later one was stamped meanwhile, so that it has none.
-- Rises with every new token and epoch: the time of day, or the last version + 1 ms when that is not later.
CREATE FUNCTION stamp_catalog(p_location uuid, p_token bigint) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  v internal.catalog_versions%ROWTYPE;
  v_epoch text := database_epoch();
BEGIN
  SELECT * INTO v FROM internal.catalog_versions c WHERE c.location_id = p_location;
  IF NOT FOUND OR v.epoch <> v_epoch OR v.token < p_token THEN
    INSERT INTO internal.catalog_versions AS c (location_id, epoch, token, version)
    VALUES (p_location, v_epoch, p_token, date_trunc('milliseconds', clock_timestamp()))
    ON CONFLICT (location_id) DO UPDATE SET epoch = excluded.epoch, token = excluded.token, digest = NULL,
      version = greatest(excluded.version, c.version + interval '1 millisecond')
    WHERE c.epoch <> excluded.epoch OR c.token < excluded.token
    RETURNING * INTO v;
    IF NOT FOUND THEN
      SELECT * INTO v FROM internal.catalog_versions c WHERE c.location_id = p_location;
    END IF;
  END IF;
  RETURN CASE WHEN v.epoch = v_epoch AND v.token = p_token THEN v.version END;
END $$;

-- The same for a caller that has built the text of that state: when it is that of the last version, the version stays.
CREATE FUNCTION stamp_catalog_text(p_location uuid, p_token bigint, p_digest text) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  v internal.catalog_versions%ROWTYPE;
  v_epoch text := database_epoch();
BEGIN
  SELECT * INTO v FROM internal.catalog_versions c WHERE c.location_id = p_location;
  IF NOT FOUND OR v.epoch <> v_epoch OR v.token < p_token OR (v.token = p_token AND v.digest IS NULL) THEN
    INSERT INTO internal.catalog_versions AS c (location_id, epoch, token, version, digest)
    VALUES (p_location, v_epoch, p_token, date_trunc('milliseconds', clock_timestamp()), p_digest)
    ON CONFLICT (location_id) DO UPDATE SET epoch = excluded.epoch, token = excluded.token, digest = excluded.digest,
      version = CASE WHEN c.epoch = excluded.epoch AND (c.token = excluded.token OR c.digest = excluded.digest) THEN c.version
        ELSE greatest(excluded.version, c.version + interval '1 millisecond') END
    WHERE c.epoch <> excluded.epoch OR c.token < excluded.token OR (c.token = excluded.token AND c.digest IS NULL)
    RETURNING * INTO v;
    IF NOT FOUND THEN
      SELECT * INTO v FROM internal.catalog_versions c WHERE c.location_id = p_location;
    END IF;
  END IF;
  RETURN CASE WHEN v.epoch = v_epoch AND v.token = p_token THEN v.version END;
END $$;

-- Locks the row of the version to the end of the transaction, so that no other transaction stamps a later
-- state meanwhile.
CREATE FUNCTION hold_catalog_version(p_location uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO internal.catalog_versions (location_id, epoch, token, version) VALUES (p_location, '', -1, 'epoch') ON CONFLICT DO NOTHING;
  PERFORM FROM internal.catalog_versions c WHERE c.location_id = p_location FOR UPDATE;
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
    SELECT p.id, p.name, '{"id":"' || p.id || '"' || products_in_catalog(p) || ',"stock":{"enabled":' || coalesce(s.enabled, false)::text
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
      || coalesce(',"external_id":' || to_json(c.external_id)::text, '') || ',"visible":' || c.visible::text
      || ',"products":[' || coalesce(s.list, '') || ']}', ',' ORDER BY c.priority, c.name, c.id) || ']', '[]')
  FROM categories c LEFT JOIN shelves s ON s.category_id = c.id
  WHERE c.location_id = location;
END $$;

-- Part of the entity tag: another way to show the same catalog is another text.
CREATE FUNCTION catalog_format() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT left(md5(string_agg(p.prosrc, '' ORDER BY p.proname)), 8) FROM pg_proc p
  WHERE p.oid IN ('catalog_tree(uuid)'::regprocedure, 'products_in_catalog(products)'::regprocedure)
$$;

-- The active menu is published as the catalog is: when a menu is published or withdrawn, and when its visible
-- content changes.
CREATE FUNCTION capture_active_menu() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  INSERT INTO internal.captured_changes (location_id, resource, operation, resource_ids, in_catalog)
  SELECT l.id, 'catalog', 'publish', ARRAY[l.id], true FROM locations l
  WHERE l.id = CASE TG_OP WHEN 'DELETE' THEN OLD.location_id ELSE NEW.location_id END;
  RETURN NULL;
END $$;
CREATE TRIGGER capture_insert AFTER INSERT ON menus FOR EACH ROW WHEN (NEW.is_published) EXECUTE FUNCTION capture_active_menu();
CREATE TRIGGER capture_delete AFTER DELETE ON menus FOR EACH ROW WHEN (OLD.is_published) EXECUTE FUNCTION capture_active_menu();
CREATE TRIGGER capture_update AFTER UPDATE OF name, version, is_published ON menus
  FOR EACH ROW WHEN ((OLD.is_published OR NEW.is_published)
    AND ROW(OLD.name, OLD.version, OLD.is_published) IS DISTINCT FROM ROW(NEW.name, NEW.version, NEW.is_published))
  EXECUTE FUNCTION capture_active_menu();

-- A published menu whose content changes gets its next version, once a transaction; the trigger above publishes that. A
-- row that this transaction has written has it already.
CREATE FUNCTION count_menu_version() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF (SELECT m.xmin <> pg_current_xact_id()::xid FROM menus m WHERE m.location_id = OLD.location_id AND m.id = OLD.id) THEN
    NEW.version := OLD.version + 1;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER count_version BEFORE UPDATE OF name ON menus FOR EACH ROW
  WHEN (OLD.is_published AND NEW.is_published AND OLD.name <> NEW.name AND OLD.version = NEW.version)
  EXECUTE FUNCTION count_menu_version();

CREATE FUNCTION count_menu_versions(p_locations uuid[], p_menus uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_places tid[];
BEGIN
  SELECT array_agg(l.place) INTO v_places
  FROM (SELECT DISTINCT v.* FROM unnest(p_locations, p_menus) AS v (location_id, id) ORDER BY 1, 2) w
  CROSS JOIN LATERAL (SELECT m.ctid AS place FROM menus m WHERE m.location_id = w.location_id AND m.id = w.id
    AND m.is_published AND m.xmin <> pg_current_xact_id()::xid FOR NO KEY UPDATE) l;
  IF v_places IS NOT NULL THEN
    UPDATE menus m SET version = m.version + 1 WHERE m.ctid = ANY (v_places);
  END IF;
END $$;

CREATE FUNCTION count_menu_versions_of_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT keeps_moments(TG_RELID) THEN
    PERFORM count_menu_versions(array_agg(c.location_id), array_agg(c.menu_id)) FROM changed_rows c;
    PERFORM touch_menus(array_agg(c.location_id), array_agg(c.menu_id)) FROM changed_rows c;
  END IF;
  RETURN NULL;
END $$;

-- A menu whose categories change is another one, published or not: its revision moves (revisions.sql). Called after the count,
-- which skips what its transaction has written.
CREATE FUNCTION touch_menus(p_locations uuid[], p_menus uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_places tid[];
BEGIN
  SELECT array_agg(l.place) INTO v_places
  FROM (SELECT DISTINCT v.* FROM unnest(p_locations, p_menus) AS v (location_id, id) ORDER BY 1, 2) w
  CROSS JOIN LATERAL (SELECT m.ctid AS place FROM menus m WHERE m.location_id = w.location_id AND m.id = w.id
    FOR NO KEY UPDATE) l;
  IF v_places IS NOT NULL THEN
    UPDATE menus m SET updated_at = clock_timestamp() WHERE m.ctid = ANY (v_places);
  END IF;
END $$;

CREATE TRIGGER count_insert AFTER INSERT ON menu_categories REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_menu_versions_of_rows();
CREATE TRIGGER count_delete AFTER DELETE ON menu_categories REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_menu_versions_of_rows();
CREATE TRIGGER count_update_before AFTER UPDATE ON menu_categories REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_menu_versions_of_rows();
CREATE TRIGGER count_update_after AFTER UPDATE ON menu_categories REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_menu_versions_of_rows();

CREATE FUNCTION count_menu_versions_of_category() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  PERFORM count_menu_versions(array_agg(c.location_id), array_agg(c.menu_id)) FROM menu_categories c
  WHERE c.location_id = NEW.location_id AND c.category_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER count_menus AFTER UPDATE OF name, visible ON categories FOR EACH ROW
  WHEN ((OLD.visible OR NEW.visible) AND ROW(OLD.name, OLD.visible) IS DISTINCT FROM ROW(NEW.name, NEW.visible))
  EXECUTE FUNCTION count_menu_versions_of_category();

-- How many units of a subselection an order line can choose at most, without regard to stock and visibility. Below
-- min_selection every order of the product is refused. The same rule: packages/api/src/resources/subselections/rules.ts.
CREATE FUNCTION most_selectable(choice subselections) RETURNS int LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT least(choice.max_selection, coalesce(CASE WHEN choice.single THEN max(i.max) ELSE sum(i.max) END, 0))::int
  FROM subselection_items i
  WHERE i.location_id = choice.location_id AND i.subselection_id = choice.id AND i.min <= choice.max_selection
$$;

-- The SHA-256 of a row, as base64url without padding.
CREATE FUNCTION content_hash(content jsonb) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT translate(encode(sha256(convert_to(content::text, 'UTF8')), 'base64'), '+/=', '-_')
$$;

-- The revisions of subselections and options, from which their entity tags are made: hashes of the row without moments and stock. No column
-- keeps them: a trigger that moves it would cost each order of an option with stock.
CREATE FUNCTION subselection_revision(choice subselections) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT content_hash(to_jsonb(choice) - '{created_at,updated_at}'::text[])
$$;
CREATE FUNCTION subselection_item_revision(item subselection_items) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT content_hash(to_jsonb(item) - '{created_at,updated_at,stock_enabled,stock_quantity}'::text[])
$$;
