-- Order creation costs less (docs/decisions/0015). place_order takes the place of create_order, which stays for the
-- processes of the version before.

-- An order that takes stock sets updated_at itself: that spares a call of the trigger for each line.
DROP TRIGGER touch ON product_stock;
CREATE TRIGGER touch BEFORE UPDATE ON product_stock FOR EACH ROW
  WHEN (NEW.updated_at IS DISTINCT FROM now()::timestamptz(3) AND OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION touch_updated_at();

-- As before: place_order makes the payment itself. Spelled out, since a function in a condition is parsed for each order.
DROP TRIGGER ensure_payment ON orders;
CREATE CONSTRAINT TRIGGER ensure_payment AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.id::text IS DISTINCT FROM current_setting('comanda.new_order', true)) EXECUTE FUNCTION ensure_payment();

-- Returns outcome 'created' with the answer, 'replayed' with the stored answer of the same key and body,
-- 'reused' when the key came with another body, or 'stale' when what it was decided from has changed since.
-- Raises CM002 (detail: {"products": {id: what is left}, "items": {id: what is left}}), CM003 (detail: the
-- existing order's id), CM005, and leaves nothing behind.
-- Generic plans by index, whatever the statistics were when a connection planned them first.
CREATE FUNCTION place_order(
  p_location uuid, p_api_key uuid, p_operation text, p_key text, p_request_hash bytea, p_ttl_hours int, p_request_id text,
  -- the version of the offer that the order was decided from; NULL when it was read for this order: then each price and
  -- the payment method are held against what is read here
  p_offer bigint,
  p_order uuid, p_payment uuid, p_external_id text, p_channel text, p_is_take_away boolean, p_identifier text,
  p_payment_method uuid, p_total numeric,
  -- each product and item with its price, and the quantity wanted of it in all
  p_products uuid[], p_product_prices numeric[], p_product_quantities numeric[],
  p_choices uuid[], p_choice_prices numeric[], p_choice_quantities numeric[],
  -- the lines, an array a column; selections are NULL where nothing was chosen
  p_line_products uuid[], p_line_names text[], p_line_unit_prices numeric[], p_line_quantities numeric[],
  p_line_totals numeric[], p_line_comments text[], p_line_selections jsonb[],
  -- the answer as orders_json shows it, in three parts: what precedes the number, what precedes the time, and the rest
  p_answer text[],
  OUT outcome text, OUT response text
) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_zone text;
  v_offer bigint;
  v_other uuid;
  v_known record;
  v_short boolean;
  v_short_choices boolean;
  v_taken_products uuid[];
  v_taken_choices uuid[];
  v_turn uuid;
  v_number int;
  v_created_at timestamptz;
BEGIN
  -- Two calls with one key: the second waits here, then replays.
  PERFORM pg_advisory_xact_lock(hashtextextended(p_api_key::text || p_operation || p_key, 0)),
    set_config('comanda.api_key_id', p_api_key::text, true), set_config('comanda.request_id', coalesce(p_request_id, ''), true),
    set_config('comanda.new_order', p_order::text, true);
  SELECT k.request_hash = p_request_hash AS same, k.response, k.created_at > now() - make_interval(hours => p_ttl_hours) AS fresh
  INTO v_known FROM idempotency_keys k
  WHERE k.location_id = p_location AND k.api_key_id = p_api_key AND k.operation = p_operation AND k.key = p_key;
  IF FOUND THEN
    IF v_known.fresh THEN
      outcome := CASE WHEN v_known.same THEN 'replayed' ELSE 'reused' END;
      response := v_known.response;
      RETURN;
    END IF;
    DELETE FROM idempotency_keys k
    WHERE k.location_id = p_location AND k.api_key_id = p_api_key AND k.operation = p_operation AND k.key = p_key;
  END IF;

  SELECT l.timezone, (SELECT coalesce(sum(t.offer_changes), 0) FROM product_tallies t WHERE t.location_id = p_location),
    (SELECT o.id FROM orders o WHERE o.location_id = p_location AND o.external_id = p_external_id)
  INTO v_zone, v_offer, v_other FROM locations l WHERE l.id = p_location;
  IF v_other IS NOT NULL THEN
    RAISE EXCEPTION 'external_id is taken by order %', v_other USING ERRCODE = 'CM003', DETAIL = v_other::text;
  END IF;
  IF p_offer IS NULL THEN
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
  ELSIF p_offer IS DISTINCT FROM v_offer THEN
    outcome := 'stale';
    RETURN;
  END IF;

  -- Stock rows are locked in the order of their ids, so that two orders never deadlock.
  SELECT array_agg(l.product_id), bool_or(l.quantity < p_product_quantities[array_position(p_products, l.product_id)])
  INTO v_taken_products, v_short FROM (
    SELECT s.product_id, s.quantity FROM product_stock s
    WHERE s.location_id = p_location AND s.product_id = ANY (p_products) AND s.enabled
    ORDER BY s.product_id FOR UPDATE
  ) l;
  IF cardinality(p_choices) > 0 THEN
    SELECT array_agg(l.id), bool_or(l.stock_quantity < p_choice_quantities[array_position(p_choices, l.id)])
    INTO v_taken_choices, v_short_choices FROM (
      SELECT s.id, s.stock_quantity FROM subselection_items s
      WHERE s.location_id = p_location AND s.id = ANY (p_choices) AND s.stock_enabled
      ORDER BY s.id FOR UPDATE
    ) l;
  END IF;
  IF v_short OR v_short_choices THEN
    RAISE EXCEPTION 'insufficient stock' USING ERRCODE = 'CM002', DETAIL = jsonb_build_object(
      'products', (SELECT coalesce(jsonb_object_agg(s.product_id, s.quantity::text), '{}') FROM product_stock s
        WHERE s.location_id = p_location AND s.product_id = ANY (v_taken_products)
          AND s.quantity < p_product_quantities[array_position(p_products, s.product_id)]),
      'items', (SELECT coalesce(jsonb_object_agg(s.id, s.stock_quantity::text), '{}') FROM subselection_items s
        WHERE s.location_id = p_location AND s.id = ANY (v_taken_choices)
          AND s.stock_quantity < p_choice_quantities[array_position(p_choices, s.id)]))::text;
  END IF;
  IF v_taken_products IS NOT NULL THEN
    UPDATE product_stock s SET updated_at = now(),
      quantity = s.quantity - p_product_quantities[array_position(p_products, s.product_id)]
    WHERE s.location_id = p_location AND s.product_id = ANY (v_taken_products);
  END IF;
  IF v_taken_choices IS NOT NULL THEN
    UPDATE subselection_items s SET stock_quantity = s.stock_quantity - p_choice_quantities[array_position(p_choices, s.id)]
    WHERE s.location_id = p_location AND s.id = ANY (v_taken_choices);
  END IF;

  -- Whoever closes the turn, also by hand, waits for this order or this waits for them, then sees it closed.
  SELECT t.id INTO v_turn FROM turns t WHERE t.location_id = p_location AND t.status = 'open' FOR SHARE;

  -- Without gaps, so the counter's row is held to the end: taken as late as can be.
  UPDATE location_counters c SET value = c.value + 1 WHERE c.location_id = p_location AND c.name = 'order'
  RETURNING c.value INTO v_number;
  IF NOT FOUND THEN
    INSERT INTO location_counters AS c (location_id, name, value) VALUES (p_location, 'order', 1)
    ON CONFLICT (location_id, name) DO UPDATE SET value = c.value + 1
    RETURNING c.value INTO v_number;
  END IF;
  INSERT INTO orders (location_id, id, number, external_id, total, channel, is_take_away, identifier, payment_method_id, turn_id)
  VALUES (p_location, p_order, v_number, p_external_id, p_total, p_channel, p_is_take_away, p_identifier, p_payment_method, v_turn)
  RETURNING created_at INTO v_created_at;
  INSERT INTO order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total, comment, selections, stock_taken)
  SELECT p_location, p_order, v.position, v.product_id, v.name, v.unit_price, v.quantity, v.total, v.comment,
    CASE WHEN v.selections IS NULL THEN '[]' ELSE (
      SELECT jsonb_agg(s || jsonb_build_object('stock_taken', coalesce((s->>'item_id')::uuid = ANY (v_taken_choices), false)) ORDER BY m)
      FROM jsonb_array_elements(v.selections) WITH ORDINALITY e (s, m)) END,
    coalesce(v.product_id = ANY (v_taken_products), false)
  FROM unnest(p_line_products, p_line_names, p_line_unit_prices, p_line_quantities, p_line_totals, p_line_comments,
    p_line_selections) WITH ORDINALITY AS v (product_id, name, unit_price, quantity, total, comment, selections, position);
  INSERT INTO payments (location_id, id, order_id, payment_method_id, amount)
  VALUES (p_location, p_payment, p_order, p_payment_method, p_total);

  outcome := 'created';
  response := concat(p_answer[1], v_number, p_answer[2], wire_time(v_created_at, v_zone), p_answer[3]);
  INSERT INTO idempotency_keys (location_id, api_key_id, operation, key, request_hash, status, response)
  VALUES (p_location, p_api_key, p_operation, p_key, p_request_hash, 201, response);
END $$;
