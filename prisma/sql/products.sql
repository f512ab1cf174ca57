-- Products: how they are shown, and what guards their stock record. The triggers that capture a change:
-- made/products.sql.

-- The categories of a product, as JSON without its brackets; null when it has none. A category is read as a row, so by its key: from the
-- index of names, which has all of these columns, each look-up would read every category of the location.
CREATE FUNCTION product_shelves(location uuid, product uuid) RETURNS TABLE (list text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT string_agg('{"id":"' || (c.k).id || '","name":' || to_json((c.k).name)::text || '}', ',' ORDER BY (c.k).priority, (c.k).name, (c.k).id)
  FROM product_categories l CROSS JOIN LATERAL (
    SELECT k FROM categories k WHERE k.location_id = l.location_id AND k.id = l.category_id LIMIT 1) c
  WHERE l.location_id = location AND l.product_id = product
$$;

-- A product as GET /v2/products/{id}, lists and events show it, as JSON text: put together without json_build_object, which costs twice
-- as much.
CREATE FUNCTION product_text(p products, s product_stock, shelves text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT '{"id":"' || p.id || '"' || products_columns(p) || ',"stock":{"enabled":' || coalesce(s.enabled, false)::text
    || ',"quantity":' || coalesce(trim_scale(s.quantity)::text, '0')
    || ',"min_stock_alarm":' || coalesce(trim_scale(s.min_stock_alarm)::text, '0') || '},"categories":[' || coalesce(shelves, '') || ']}'
$$;

-- One plain SELECT of functions that are, so that the planner inlines all of them.
CREATE FUNCTION products_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT p.id, product_text(p, s, c.list)
  FROM products p
  LEFT JOIN product_stock s ON s.location_id = p.location_id AND s.product_id = p.id
  CROSS JOIN LATERAL product_shelves(p.location_id, p.id) c
  WHERE p.location_id = location AND p.id = ANY (ids)
$$;

-- The text that a search looks in, in the lower case of Unicode: to lower it for every product that is searched takes
-- most of the search. No name, sku or external_id holds the character between them.
CREATE FUNCTION fill_search_text() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  NEW.search_text := lower(concat_ws(E'\x1f', NEW.name, NEW.sku, NEW.external_id) COLLATE "und-x-icu");
  RETURN NEW;
END $$;
CREATE TRIGGER fill_search_text BEFORE INSERT OR UPDATE OF name, sku, external_id, search_text ON products
  FOR EACH ROW EXECUTE FUNCTION fill_search_text();

-- Makes or changes one, with its stock and its categories where they are given, and returns it as it is then. Nothing
-- is written when a category is not there: `known` are those that are. Locks in the order of locks.sql: the categories
-- against their deletion, then the product, so that two changes of it never interleave.
CREATE FUNCTION write_product(p_location uuid, p_id uuid, p_new boolean, p_fields jsonb, p_categories uuid[], p_stock jsonb,
  p_request_id text
) RETURNS TABLE (doc text, known uuid[]) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('comanda.request_id', coalesce(p_request_id, ''), true), refuse_unless_active(p_location);
  IF p_categories IS NOT NULL THEN
    known := ARRAY(
      SELECT c.id FROM (SELECT DISTINCT n.id FROM unnest(p_categories) n (id) ORDER BY n.id) n CROSS JOIN LATERAL (
        SELECT k.id FROM categories k WHERE k.location_id = p_location AND k.id = n.id FOR KEY SHARE) c);
    IF NOT p_categories <@ known THEN
      RETURN NEXT;
      RETURN;
    END IF;
  END IF;
  IF p_new THEN
    PERFORM write_products_row(p_location, p_id, true, p_fields);
  ELSE
    PERFORM FROM products p WHERE p.location_id = p_location AND p.id = p_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
      RETURN;
    END IF;
    IF p_fields IS NOT NULL THEN
      PERFORM write_products_row(p_location, p_id, false, p_fields);
    END IF;
  END IF;
  IF p_stock IS NOT NULL THEN
    INSERT INTO product_stock (location_id, product_id, enabled, quantity, min_stock_alarm)
    SELECT p_location, p_id, s.enabled, s.quantity, s.min_stock_alarm FROM jsonb_populate_record(NULL::product_stock, p_stock) s
    ON CONFLICT (location_id, product_id) DO UPDATE
    SET enabled = excluded.enabled, quantity = excluded.quantity, min_stock_alarm = excluded.min_stock_alarm;
  END IF;
  IF p_categories IS NOT NULL THEN
    DELETE FROM product_categories l WHERE l.location_id = p_location AND l.product_id = p_id AND NOT l.category_id = ANY (known);
    INSERT INTO product_categories (location_id, product_id, category_id)
    SELECT p_location, p_id, k.id FROM unnest(known) k (id) ON CONFLICT DO NOTHING;
  END IF;
  RETURN QUERY SELECT j.doc, known FROM products_json(p_location, ARRAY[p_id]) j;
END $$;

-- Changes products of one location in one transaction, as if the calls came one after the other, each another product,
-- without categories and without the columns that are unique among products. `doc` is NULL where there is no such
-- product. A row that another transaction holds is waited for by a call that is made alone.
CREATE FUNCTION update_products(
  p_location uuid, p_alone boolean,
  -- the changes, an array a column; a request's id has its place in a trace behind a space, and a seed is what a transaction of its own had
  p_products uuid[], p_fields jsonb[], p_stocks jsonb[], p_request_ids text[], p_seeds uuid[]
) RETURNS TABLE (place int, doc text, revision bigint) LANGUAGE plpgsql AS $$
BEGIN
  IF NOT p_alone THEN
    PERFORM set_config('lock_timeout', '250ms', true);
  END IF;
  IF cardinality(p_products) > 1 THEN
    PERFORM FROM (SELECT * FROM unnest(p_products) AS v (id) ORDER BY v.id OFFSET 0) v CROSS JOIN LATERAL (
      SELECT FROM products p WHERE p.location_id = p_location AND p.id = v.id FOR NO KEY UPDATE) p;
  END IF;
  -- By id, as stock is locked, too. The order of changes to different products is not visible.
  FOR place IN SELECT v.n FROM unnest(p_products) WITH ORDINALITY AS v (id, n) ORDER BY v.id LOOP
    PERFORM set_config('comanda.seed', p_seeds[place]::text, true);
    SELECT w.doc, products_revision(p_location, p_products[place]) INTO doc, revision
    FROM write_product(p_location, p_products[place], false, p_fields[place], NULL, p_stocks[place], p_request_ids[place]) w;
    RETURN NEXT;
  END LOOP;
  PERFORM set_config('comanda.seed', '', true);
END $$;

CREATE FUNCTION stock_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT p.id, '{"product_id":"' || p.id || '"' || coalesce(',"external_id":' || to_json(p.external_id)::text, '')
    || ',"sku":' || to_json(p.sku)::text || ',"name":' || to_json(p.name)::text || ',"stock":{"enabled":' || s.enabled::text
    || ',"quantity":' || trim_scale(s.quantity) || ',"min_stock_alarm":' || trim_scale(s.min_stock_alarm)
    || '},"updated_at":"' || wire_time(s.updated_at, l.timezone) || '"}'
  FROM product_stock s
  JOIN products p ON p.location_id = s.location_id AND p.id = s.product_id
  JOIN locations l ON l.id = s.location_id
  WHERE s.location_id = location AND s.product_id = ANY (ids)
$$;
