-- Order creation costs less: what it has made sure of itself, the triggers for orders written by hand need not look up
-- again. `comanda.new_order` names the order that create_order is making in this transaction.

CREATE FUNCTION is_new_order(order_id uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(order_id::text = current_setting('comanda.new_order', true), false)
$$;

-- Its lines are part of its creation.
CREATE OR REPLACE FUNCTION capture_order_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND NOT EXISTS (SELECT FROM changed_rows r WHERE NOT is_new_order(r.order_id)) THEN
    RETURN NULL;
  END IF;
  INSERT INTO captured_changes (location_id, resource, resource_id, operation, changed)
  SELECT DISTINCT r.location_id, 'order', r.order_id, 'update', ARRAY['items']
  FROM changed_rows r
  JOIN orders o ON o.location_id = r.location_id AND o.id = r.order_id
  WHERE o.xmin <> pg_current_xact_id()::xid OR TG_OP <> 'INSERT';
  RETURN NULL;
END $$;

-- It has read its products at their prices.
CREATE OR REPLACE FUNCTION guard_order_item_products() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  missing uuid;
BEGIN
  IF NOT EXISTS (SELECT FROM new_rows n WHERE NOT is_new_order(n.order_id)) THEN
    RETURN NULL;
  END IF;
  SELECT n.product_id INTO missing FROM new_rows n
  WHERE NOT EXISTS (SELECT FROM products p WHERE p.location_id = n.location_id AND p.id = n.product_id)
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'unknown product %', missing USING ERRCODE = 'CM006', DETAIL = missing::text;
  END IF;
  RETURN NULL;
END $$;

-- It makes the payment itself.
DROP TRIGGER ensure_payment ON orders;
CREATE CONSTRAINT TRIGGER ensure_payment AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NOT is_new_order(NEW.id)) EXECUTE FUNCTION ensure_payment();

-- As before, but for `comanda.new_order` and for the lines, which are read from p_items at once.
CREATE OR REPLACE FUNCTION create_order(
  p_location uuid, p_api_key uuid, p_operation text, p_key text, p_request_hash bytea, p_ttl_hours int, p_request_id text,
  p_order uuid, p_external_id text, p_channel text, p_is_take_away boolean, p_identifier text,
  p_payment_method uuid, p_total numeric,
  -- the lines: [{product_id, name, unit_price, quantity, total, comment, selections}]
  p_items jsonb,
  -- what was read: each product and item with its price, and the quantity wanted of it in all
  p_products uuid[], p_product_prices numeric[], p_product_quantities numeric[],
  p_choices uuid[], p_choice_prices numeric[], p_choice_quantities numeric[],
  OUT outcome text, OUT response text
) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_existing idempotency_keys%ROWTYPE;
  v_short_products jsonb;
  v_short_choices jsonb;
  v_taken_products uuid[];
  v_taken_choices uuid[];
  v_turn uuid;
  v_number int;
  v_other uuid;
BEGIN
  -- Two calls with one key: the second waits here, then replays.
  PERFORM pg_advisory_xact_lock(hashtextextended(p_api_key::text || p_operation || p_key, 0));
  SELECT * INTO v_existing FROM idempotency_keys k
  WHERE k.location_id = p_location AND k.api_key_id = p_api_key AND k.operation = p_operation AND k.key = p_key;
  IF FOUND AND v_existing.created_at > now() - make_interval(hours => p_ttl_hours) THEN
    outcome := CASE WHEN v_existing.request_hash = p_request_hash THEN 'replayed' ELSE 'reused' END;
    response := v_existing.response;
    RETURN;
  END IF;
  PERFORM set_config('comanda.request_id', coalesce(p_request_id, ''), true), set_config('comanda.new_order', p_order::text, true);

  SELECT o.id INTO v_other FROM orders o WHERE o.location_id = p_location AND o.external_id = p_external_id;
  IF FOUND THEN
    RAISE EXCEPTION 'external_id is taken by order %', v_other USING ERRCODE = 'CM003', DETAIL = v_other::text;
  END IF;
  IF NOT EXISTS (SELECT FROM payment_methods m WHERE m.location_id = p_location AND m.id = p_payment_method AND m.enabled) THEN
    RAISE EXCEPTION 'unknown or disabled payment method' USING ERRCODE = 'CM005';
  END IF;
  IF (SELECT count(*) FROM unnest(p_products, p_product_prices) v (id, price)
      JOIN products p ON p.location_id = p_location AND p.id = v.id AND p.price = v.price) < cardinality(p_products)
    OR (SELECT count(*) FROM unnest(p_choices, p_choice_prices) v (id, price)
      JOIN subselection_items s ON s.location_id = p_location AND s.id = v.id AND s.price = v.price) < cardinality(p_choices)
  THEN
    outcome := 'stale';
    RETURN;
  END IF;

  -- Stock rows are locked in the order of their ids, so that two orders never deadlock.
  WITH locked AS (
    SELECT s.product_id, s.quantity FROM product_stock s
    WHERE s.location_id = p_location AND s.product_id = ANY (p_products) AND s.enabled
    ORDER BY s.product_id FOR UPDATE
  )
  SELECT array_agg(l.product_id), jsonb_object_agg(l.product_id, l.quantity::text) FILTER (WHERE l.quantity < v.wanted)
  INTO v_taken_products, v_short_products
  FROM locked l JOIN unnest(p_products, p_product_quantities) v (id, wanted) ON v.id = l.product_id;
  IF cardinality(p_choices) > 0 THEN
    WITH locked AS (
      SELECT s.id, s.stock_quantity FROM subselection_items s
      WHERE s.location_id = p_location AND s.id = ANY (p_choices) AND s.stock_enabled
      ORDER BY s.id FOR UPDATE
    )
    SELECT array_agg(l.id), jsonb_object_agg(l.id, l.stock_quantity::text) FILTER (WHERE l.stock_quantity < v.wanted)
    INTO v_taken_choices, v_short_choices
    FROM locked l JOIN unnest(p_choices, p_choice_quantities) v (id, wanted) ON v.id = l.id;
  END IF;
  IF v_short_products IS NOT NULL OR v_short_choices IS NOT NULL THEN
    RAISE EXCEPTION 'insufficient stock' USING ERRCODE = 'CM002',
      DETAIL = jsonb_build_object('products', coalesce(v_short_products, '{}'), 'items', coalesce(v_short_choices, '{}'))::text;
  END IF;
  IF v_taken_products IS NOT NULL THEN
    UPDATE product_stock s SET quantity = s.quantity - v.wanted
    FROM unnest(p_products, p_product_quantities) v (id, wanted)
    WHERE s.location_id = p_location AND s.product_id = v.id AND s.product_id = ANY (v_taken_products);
  END IF;
  IF v_taken_choices IS NOT NULL THEN
    UPDATE subselection_items s SET stock_quantity = s.stock_quantity - v.wanted
    FROM unnest(p_choices, p_choice_quantities) v (id, wanted)
    WHERE s.location_id = p_location AND s.id = v.id AND s.id = ANY (v_taken_choices);
  END IF;

  -- Whoever closes the turn, also by hand, waits for this order or this waits for them, then sees it closed.
  SELECT t.id INTO v_turn FROM turns t WHERE t.location_id = p_location AND t.status = 'open' FOR SHARE;

  -- Without gaps, so the counter's row is held to the end: taken as late as can be.
  INSERT INTO location_counters AS c (location_id, name, value) VALUES (p_location, 'order', 1)
  ON CONFLICT (location_id, name) DO UPDATE SET value = c.value + 1
  RETURNING c.value INTO v_number;
  INSERT INTO orders (location_id, id, number, external_id, total, channel, is_take_away, identifier, payment_method_id, turn_id)
  VALUES (p_location, p_order, v_number, p_external_id, p_total, p_channel, p_is_take_away, p_identifier, p_payment_method, v_turn);
  INSERT INTO order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total, comment, selections, stock_taken)
  SELECT p_location, p_order, i.n, i.product_id, i.name, i.unit_price, i.quantity, i.total, i.comment,
    CASE WHEN i.selections = '[]' THEN '[]' ELSE (
      SELECT jsonb_agg(s || jsonb_build_object('stock_taken', coalesce((s->>'item_id')::uuid = ANY (v_taken_choices), false)) ORDER BY m)
      FROM jsonb_array_elements(i.selections) WITH ORDINALITY e (s, m)) END,
    coalesce(i.product_id = ANY (v_taken_products), false)
  FROM ROWS FROM (jsonb_to_recordset(p_items) AS (product_id uuid, name text, unit_price numeric, quantity numeric,
    total numeric, comment text, selections jsonb)) WITH ORDINALITY
    AS i (product_id, name, unit_price, quantity, total, comment, selections, n);
  INSERT INTO payments (location_id, order_id, payment_method_id, amount)
  VALUES (p_location, p_order, p_payment_method, p_total);

  SELECT j.doc::text INTO response FROM orders_json(p_location, ARRAY[p_order]) j;
  outcome := 'created';
  INSERT INTO idempotency_keys AS k (location_id, api_key_id, operation, key, request_hash, status, response)
  VALUES (p_location, p_api_key, p_operation, p_key, p_request_hash, 201, response)
  ON CONFLICT (location_id, api_key_id, operation, key) DO UPDATE
  SET request_hash = excluded.request_hash, status = excluded.status, response = excluded.response,
    created_at = now();
END $$;
