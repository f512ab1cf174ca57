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

-- The text that a search looks in, folded (fold_text is made by a migration): to fold it for every product that is searched takes
-- most of the search. No name, sku or external_id holds the character between them.
CREATE FUNCTION fill_search_text() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  NEW.search_text := fold_text(concat_ws(E'\x1f', NEW.name, NEW.sku, NEW.external_id));
  RETURN NEW;
END $$;
CREATE TRIGGER fill_search_text BEFORE INSERT OR UPDATE OF name, sku, external_id, search_text ON products
  FOR EACH ROW EXECUTE FUNCTION fill_search_text();

-- Makes or changes one, with its stock and its categories where they are given, and returns it as it is then. Nothing
-- is written when a category is not there: `known` are those that are; nor when the stock has another quantity than
-- `expected`: `doc` is that quantity. Locks in the order of locks.sql: the categories against their deletion, then the
-- product, so that two changes of it never interleave.
CREATE FUNCTION write_product(p_location uuid, p_id uuid, p_new boolean, p_fields jsonb, p_categories uuid[], p_stock jsonb,
  p_request_id text
) RETURNS TABLE (doc text, known uuid[]) LANGUAGE plpgsql AS $$
DECLARE
  v_expected numeric := (p_stock ->> 'expected')::numeric;
  v_there numeric;
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
    IF v_expected IS NOT NULL THEN
      -- A product without a stock record shows 0.
      SELECT s.quantity INTO v_there FROM product_stock s WHERE s.location_id = p_location AND s.product_id = p_id FOR UPDATE;
      v_there := coalesce(v_there, 0);
      IF v_there <> v_expected THEN
        doc := v_there;
        RETURN NEXT;
        RETURN;
      END IF;
    END IF;
    IF p_fields IS NOT NULL THEN
      PERFORM write_products_row(p_location, p_id, false, p_fields);
    END IF;
  END IF;
  IF p_stock IS NOT NULL THEN
    INSERT INTO product_stock AS s (location_id, product_id, enabled, quantity, min_stock_alarm)
    SELECT p_location, p_id, coalesce(g.enabled, false), coalesce(g.quantity, 0), coalesce(g.min_stock_alarm, 0)
    FROM jsonb_populate_record(NULL::product_stock, p_stock) g
    ON CONFLICT (location_id, product_id) DO UPDATE
    SET enabled = coalesce((p_stock ->> 'enabled')::boolean, s.enabled), quantity = coalesce((p_stock ->> 'quantity')::numeric, s.quantity),
      min_stock_alarm = coalesce((p_stock ->> 'min_stock_alarm')::numeric, s.min_stock_alarm)
    WHERE v_expected IS NULL OR s.quantity = v_expected;
    IF NOT FOUND THEN
      -- Another transaction made the record since it was looked for: the caller decides again.
      RAISE EXCEPTION 'the stock of % was made meanwhile', p_id USING ERRCODE = 'serialization_failure';
    END IF;
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
-- product, else as of write_product. A row that another transaction holds is waited for as long as lock_wait says.
CREATE FUNCTION update_products(
  p_location uuid, p_alone boolean,
  -- the changes, an array a column; a request's id has its place in a trace behind a space, and a seed is what a transaction of its own had
  p_products uuid[], p_fields jsonb[], p_stocks jsonb[], p_request_ids text[], p_seeds uuid[]
) RETURNS TABLE (place int, doc text, revision bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('lock_timeout', lock_wait(p_alone), true);
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

-- Adds to the stock of products of one location, or takes from it, in one transaction, as if the calls came one after the
-- other, each with its key. `adjusted` with the answer, `replayed` with the stored answer of the same key and body, `reused` when the
-- key came with another body, `busy` when another transaction holds the key (of one that is made alone it is waited for), `refused`
-- with the quantity that was found, `unknown` where there is no stock and `nothing` where there is no product. A refused call
-- leaves its key unused. As an order it locks the stock without the product (locks.sql).
CREATE FUNCTION adjust_stock_batch(p_location uuid, p_alone boolean, p_batch jsonb)
RETURNS TABLE (place int, outcome text, response text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- A call in an assignment starts no statement, as PERFORM does.
  v_setting text;
  v_claim record;
  batch record;
  v_most int;
  v_outcomes text[];
  v_responses text[];
  v_response text;
  v_there numeric;
BEGIN
  -- The calls, an array a column, in the order of their arrival; a request's id has its place in a trace and its key behind a space each.
  SELECT * INTO batch FROM jsonb_to_record(p_batch) AS b (operation text, ttl_hours int, most numeric, api_keys uuid[], keys text[],
    request_hashes bytea[], request_ids text[], products uuid[], adjusts numeric[], expected numeric[], seeds uuid[]);
  v_most := cardinality(batch.products);
  v_setting := set_config('lock_timeout', lock_wait(p_alone), true);
  IF v_most = 1 THEN
    IF NOT p_alone AND NOT pg_try_advisory_xact_lock(hashtextextended(batch.api_keys[1]::text || batch.operation || batch.keys[1], 0)) THEN
      RETURN QUERY SELECT 1, 'busy', NULL;
      RETURN;
    END IF;
    v_claim := claim_key(p_location, batch.api_keys[1], batch.operation, batch.keys[1], batch.request_hashes[1], batch.ttl_hours, batch.request_ids[1]);
    v_outcomes := ARRAY[v_claim.outcome];
    v_responses := ARRAY[CASE WHEN v_claim.outcome = 'replayed' THEN v_claim.response END];
  ELSE
    SELECT c.outcomes, c.responses INTO v_outcomes, v_responses
    FROM claim_keys(p_location, batch.api_keys, batch.operation, batch.keys, batch.request_hashes, batch.ttl_hours) c;
    -- Where all keys are new there are no outcomes.
    v_outcomes := coalesce(v_outcomes, array_fill(NULL::text, ARRAY[v_most]));
    v_responses := coalesce(v_responses, array_fill(NULL::text, ARRAY[v_most]));
  END IF;
  IF v_most > 1 THEN
    -- In the order of locks, before the first is changed.
    PERFORM FROM (
      SELECT DISTINCT v.id FROM unnest(batch.products, v_outcomes) AS v (id, outcome) WHERE v.outcome IS NULL ORDER BY v.id OFFSET 0) v CROSS JOIN LATERAL (
      SELECT FROM product_stock s WHERE s.location_id = p_location AND s.product_id = v.id FOR UPDATE) s;
  END IF;
  FOR v_place IN 1..v_most LOOP
    CONTINUE WHEN v_outcomes[v_place] IS NOT NULL;
    IF v_most > 1 THEN
      v_setting := set_config('comanda.api_key_id', batch.api_keys[v_place]::text, true);
      v_setting := set_config('comanda.request_id', batch.request_ids[v_place], true);
      v_setting := set_config('comanda.seed', batch.seeds[v_place]::text, true);
    END IF;
    UPDATE product_stock s SET quantity = s.quantity + batch.adjusts[v_place]
    WHERE s.location_id = p_location AND s.product_id = batch.products[v_place]
      AND (batch.expected[v_place] IS NULL OR s.quantity = batch.expected[v_place])
      AND s.quantity + batch.adjusts[v_place] BETWEEN 0 AND batch.most
    RETURNING '{"enabled":' || s.enabled::text || ',"quantity":' || trim_scale(s.quantity) || ',"min_stock_alarm":' || trim_scale(s.min_stock_alarm) || '}'
    INTO v_response;
    IF FOUND THEN
      v_outcomes[v_place] := 'adjusted';
      v_responses[v_place] := v_response;
      CONTINUE;
    END IF;
    SELECT s.quantity INTO v_there FROM product_stock s WHERE s.location_id = p_location AND s.product_id = batch.products[v_place];
    IF FOUND THEN
      v_outcomes[v_place] := 'refused';
      v_responses[v_place] := v_there::text;
    ELSE
      v_outcomes[v_place] := CASE WHEN EXISTS (SELECT FROM products p WHERE p.location_id = p_location AND p.id = batch.products[v_place])
        THEN 'unknown' ELSE 'nothing' END;
    END IF;
  END LOOP;
  v_setting := set_config('comanda.seed', '', true);
  INSERT INTO internal.idempotency_keys (location_id, api_key_id, operation, key, request_hash, response)
  SELECT p_location, v.api_key, batch.operation, v.key, v.hash, v.response
  FROM unnest(batch.api_keys, batch.keys, batch.request_hashes, v_outcomes, v_responses) AS v (api_key, key, hash, outcome, response)
  WHERE v.outcome = 'adjusted';
  RETURN QUERY SELECT v.n::int, v.outcome, v.response FROM unnest(v_outcomes, v_responses) WITH ORDINALITY AS v (outcome, response, n);
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
