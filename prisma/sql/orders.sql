-- Orders: how they are made, moved and shown.
--
-- Orders are created (POST /v1/orders, /v2/orders) by place_order_batch: those of a location that come at once by one call, in one transaction:
--   1. their idempotency keys are claimed: a second call with one waits, then replays
--   2. the stock rows of what is ordered are locked, by id
--   3. what the order was decided from (product_for_sale, offered_item, payment method) is held against what is there now
--      where not all fit they are decided one after the other (decide_orders)
--   4. stock is taken; the turn's lock is shared, which keeps the turn open; the numbers are counted up; orders,
--      lines and payments are inserted
--   5. orders, payments and stock are published and counted: by place_order_batch itself, whose rows need no comparing; the
--   triggers of
--      made/ skip them while `comanda.told` is set, which holds for the service alone; so do guards (guarding.sql)
--   6. the answers are read back as orders_json shows them, and stored with the keys
-- An order written by hand: hand_orders.sql.
--
-- They are moved (PATCH …/status, POST …/cancel) by move_order_batch, those of a location that come at once by one call, or by an UPDATE by hand:
--   1. guard_move refuses what is not in the specification's table
--   2. a canceled order gives back what it took from stock and rejects its pending payment (settle_canceled by hand)
--   3. internal.order_moves gets who moved it, for the timeline (note_move by hand)
--   4. the move is published and counted (note_moved_orders; made/orders.sql by hand)
--
-- SQLSTATEs of refusals, with a sentence for the person and a detail for the code:
--   CM001 illegal status move   CM002 insufficient stock   CM003 external_id taken   CM006 product of another location
--   CM008 refused by a guard (guarding.sql)   CM009 the location is not active (locations.sql)

-- `,"note":…,"promised_at":…,"guests":…,"adjustments":[{…}]`, each where it is given. Most orders carry none, so this is no expression that
-- each statement would have to prepare.
CREATE FUNCTION carried_json(note text, promised_at timestamptz, guests int, adjustments jsonb, zone text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN concat(',"note":' || to_json(note)::text, ',"promised_at":"' || wire_time(promised_at, zone) || '"', ',"guests":' || guests,
    ',"adjustments":' || (
      SELECT json_strip_nulls(json_agg(json_build_object('kind', a->'kind', 'name', a->'name', 'amount', a->'amount', 'percent', a->'percent',
        'line', a->'line', 'external_id', a->'external_id', 'tax_rate', a->'tax_rate', 'total', a->'total') ORDER BY n))::text
      FROM jsonb_array_elements(adjustments) WITH ORDINALITY AS e (a, n)));
END $$;

-- `,"customer":{…},"delivery":{…}`, each where something of it is known.
CREATE FUNCTION customer_json(o orders) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(',"customer":' || nullif(json_strip_nulls(json_build_object('name', o.customer_name, 'phone', o.customer_phone,
      'email', o.customer_email, 'tax_id', o.customer_tax_id))::text, '{}'), '')
    || coalesce(',"delivery":' || nullif(json_strip_nulls(json_build_object('lines', string_to_array(o.delivery_lines, E'\n'),
      'city', o.delivery_city, 'postal_code', o.delivery_postal_code, 'country', o.delivery_country, 'note', o.delivery_note))::text, '{}'), '')
$$;

-- As JSON text, put together as products_json does it, and what `shown` names: `customer`, whom it is for and where it goes; of lines
-- `details`, their numbers, and `tax`, their rates, or `snapshot`, all that they keep of what was sold.
CREATE FUNCTION orders_showing(location uuid, ids uuid[], shown text[]) RETURNS TABLE (id uuid, doc text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT o.id, concat('{"id":"', o.id, '","number":', o.number, ',"status":"', o.status, '","total":', trim_scale(o.total),
    ',"created_at":"', wire_time(o.created_at, l.timezone), '","payment":{"id":"', p.id, '","status":"', p.status, '"}',
    ',"external_id":' || to_json(o.external_id)::text, ',"channel":' || to_json(o.channel)::text,
    ',"is_take_away":', o.is_take_away::text, ',"identifier":', to_json(o.identifier),
    ',"payment_method_id":"', o.payment_method_id, '"', ',"cancel_reason":' || to_json(o.cancel_reason)::text,
    CASE WHEN num_nonnulls(o.note, o.promised_at, o.guests, o.adjustments) > 0
      THEN carried_json(o.note, o.promised_at, o.guests, o.adjustments, l.timezone) END,
    CASE WHEN 'customer' = ANY (shown) THEN customer_json(o) END,
    ',"items":[', (
      SELECT string_agg(concat('{"product_id":"', i.product_id, '","name":', to_json(i.name), ',"quantity":', trim_scale(i.quantity),
        ',"unit_price":', trim_scale(i.unit_price), ',"total":', trim_scale(i.total), ',"comment":' || to_json(i.comment)::text,
        CASE WHEN 'details' = ANY (shown) THEN ',"line_id":' || i.position END,
        CASE WHEN 'snapshot' = ANY (shown)
          THEN concat(',"external_id":' || to_json(i.external_id)::text, ',"sku":' || to_json(i.sku)::text) END,
        CASE WHEN shown && '{tax,snapshot}' THEN ',"tax_rate":' || trim_scale(i.tax_rate)::text END,
        CASE WHEN i.selections <> '[]' THEN ',"subselections":' || (
          SELECT json_strip_nulls(json_agg(CASE WHEN 'snapshot' = ANY (shown)
            THEN json_build_object('item_id', x->'item_id', 'quantity', x->'quantity', 'name', x->'name', 'unit_price', x->'price',
              'external_id', x->'external_id')
            ELSE json_build_object('item_id', x->'item_id', 'quantity', x->'quantity') END ORDER BY n))::text
          FROM jsonb_array_elements(i.selections) WITH ORDINALITY AS e (x, n)) END,
        '}'), ',' ORDER BY i.position)
      FROM order_items i WHERE i.location_id = o.location_id AND i.order_id = o.id), ']}')
  FROM orders o
  JOIN locations l ON l.id = o.location_id
  CROSS JOIN LATERAL (
    SELECT p.id, p.status FROM payments p WHERE p.location_id = o.location_id AND p.order_id = o.id AND p.replaced = 0 LIMIT 1) p
  WHERE o.location_id = location AND o.id = ANY (ids)
$$;

-- The documented shapes alone.
CREATE FUNCTION orders_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT d.id, d.doc FROM orders_showing(location, ids, '{}') d
$$;

-- The category that a report counts a product under, {id, name}, {} without one.
CREATE FUNCTION first_category(location uuid, product uuid) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce((
    SELECT jsonb_build_object('id', c.id, 'name', c.name) FROM product_categories pc CROSS JOIN LATERAL (
      SELECT * FROM categories c WHERE c.location_id = pc.location_id AND c.id = pc.category_id LIMIT 1) c
    WHERE pc.location_id = location AND pc.product_id = product ORDER BY c.priority, c.name, c.id LIMIT 1), '{}')
$$;

-- The data that orders are decided from. `version` changes with any of it that affects the decision: all but the stock,
-- whose rows are locked where it is taken. Data that a caller does not ask for is not read.
CREATE FUNCTION product_for_sale(location uuid, product uuid)
RETURNS TABLE (external_id text, sku text, tax_rate numeric, name text, price numeric, stock numeric, subselections json, version bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT p.external_id, p.sku, p.tax_rate, p.name, p.price,
    (SELECT t.quantity FROM product_stock t WHERE t.location_id = p.location_id AND t.product_id = p.id AND t.enabled),
    s.docs, hash_record_extended(ROW(p.external_id, p.name, p.price, s.version), 0)
  FROM products p
  CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object('id', c.id, 'name', c.name, 'min', c.min_selection, 'max', c.max_selection,
        'single', c.single) ORDER BY c.position, c.id) AS docs,
      sum(hash_record_extended(ROW(c.id, c.name, c.min_selection, c.max_selection, c.single), 0)) AS version
    FROM subselections c WHERE c.location_id = p.location_id AND c.product_id = p.id) s
  WHERE p.location_id = location AND p.id = product LIMIT 1
$$;

-- That an item's subselection moves to another product shows in the versions of both products.
CREATE FUNCTION offered_item(location uuid, item uuid)
RETURNS TABLE (product_id uuid, subselection_id uuid, name text, price numeric, min int, max int, stock numeric, version bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT (SELECT s.product_id FROM subselections s WHERE s.location_id = i.location_id AND s.id = i.subselection_id),
    i.subselection_id, i.name, i.price, i.min, i.max, CASE WHEN i.stock_enabled THEN i.stock_quantity END,
    hash_record_extended(ROW(i.subselection_id, i.name, i.price, i.min, i.max), 0)
  FROM subselection_items i WHERE i.location_id = location AND i.id = item LIMIT 1
$$;

-- Makes orders of one location in one transaction, as if they came one after the other, and answers what became of
-- each: `created` with the answer, `replayed` with the stored answer of the same key and body, `reused` when the key
-- came with another body, `busy` when another transaction holds the key (of one that is made alone it is waited for),
-- `taken` with the id of the order that has the external_id, `stale` when what the order was decided from has changed
-- since, `short` with what is left, by the ids of products and items, `paused` when the location takes no orders. A refused order leaves nothing behind. A waiting
-- call holds a connection, so each wait is short (packages/api/src/capacity/slots.ts).
CREATE FUNCTION place_order_batch(p_location uuid, p_alone boolean, p_batch jsonb)
RETURNS TABLE (place int, outcome text, response text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- A call in an assignment starts no statement, as PERFORM does.
  v_setting text;
  v_claim record;
  batch record;
  v_most int;
  -- By the order's place: the outcome, NULL while it may be made, and what the outcome says. NULL: all may be made.
  v_outcomes text[];
  v_responses text[];
  v_made int[];
  -- The products as they were decided from, with what lines keep of them.
  v_products uuid[];
  v_external_ids text[];
  v_skus text[];
  v_tax_rates numeric[];
  v_categories jsonb[];
  v_counted uuid[];
  v_places tid[];
  v_left numeric[];
  v_wanted numeric[];
  v_short boolean;
  v_counted_choices uuid[];
  v_choice_places tid[];
  v_choices_left numeric[];
  v_choices_wanted numeric[];
  v_short_choices boolean;
  v_taken boolean;
  v_same boolean;
  v_paused boolean;
  v_number int;
BEGIN
  SELECT * INTO batch FROM jsonb_to_record(p_batch) AS b (operation text, ttl_hours int,
    -- the orders, an array a column, in the order of their arrival; a request's id has its place in a trace behind a space
    places int[], api_keys uuid[], keys text[], request_hashes bytea[], request_ids text[], orders uuid[], payments uuid[], external_ids text[],
    channels text[], take_away boolean[], identifiers text[], payment_methods uuid[], totals numeric[],
    -- each product and item with the version that all of the orders were decided from, and the quantity wanted of it in all
    products uuid[], product_versions bigint[], product_quantities numeric[],
    choices uuid[], choice_versions bigint[], choice_quantities numeric[],
    -- what each order wants of them: products, then items, `_of` by its place from 1 on
    want_of int[], wants uuid[], want_quantities numeric[],
    -- an object a line, with the place of its order; without selections where nothing was chosen
    lines jsonb,
    -- what an order carries besides, an object of columns, null where it carries nothing
    carried jsonb[],
    -- whether an order is made in spite of a pause; NULL where none is
    while_paused boolean[]);
  v_made := batch.places;
  v_most := cardinality(v_made);
  -- Other requests of the location queue behind these, so a row that another transaction holds is not waited for long.
  v_setting := set_config('lock_timeout', lock_wait(p_alone), true);
  IF v_most = 1 THEN
    IF NOT p_alone AND NOT pg_try_advisory_xact_lock(hashtextextended(batch.api_keys[1]::text || batch.operation || batch.keys[1], 0)) THEN
      RETURN QUERY SELECT 1, 'busy', NULL;
      RETURN;
    END IF;
    v_claim := claim_key(p_location, batch.api_keys[1], batch.operation, batch.keys[1], batch.request_hashes[1], batch.ttl_hours, batch.request_ids[1]);
    IF v_claim.outcome IS NOT NULL THEN
      RETURN QUERY SELECT 1, v_claim.outcome, v_claim.response;
      RETURN;
    END IF;
  ELSE
    SELECT c.outcomes, c.responses INTO v_outcomes, v_responses
    FROM claim_keys(p_location, batch.api_keys, batch.operation, batch.keys, batch.request_hashes, batch.ttl_hours) c;
  END IF;

  -- In the order of their ids, so that two orders never deadlock. Each row is looked up by its key, and found again by
  -- its ctid, which cannot change while the row is locked.
  SELECT array_agg(l.product_id), array_agg(l.place), array_agg(w.quantity), array_agg(l.quantity), bool_or(l.quantity < w.quantity)
  INTO v_counted, v_places, v_wanted, v_left, v_short
  FROM (SELECT * FROM unnest(batch.products, batch.product_quantities) AS v (id, quantity) ORDER BY v.id) w
  CROSS JOIN LATERAL (
    SELECT s.product_id, s.quantity, s.ctid AS place FROM product_stock s
    WHERE s.location_id = p_location AND s.product_id = w.id AND s.enabled FOR UPDATE) l;
  IF cardinality(batch.choices) > 0 THEN
    SELECT array_agg(l.id), array_agg(l.place), array_agg(w.quantity), array_agg(l.stock_quantity), bool_or(l.stock_quantity < w.quantity)
    INTO v_counted_choices, v_choice_places, v_choices_wanted, v_choices_left, v_short_choices
    FROM (SELECT * FROM unnest(batch.choices, batch.choice_quantities) AS v (id, quantity) ORDER BY v.id) w
    CROSS JOIN LATERAL (
      SELECT s.id, s.stock_quantity, s.ctid AS place FROM subselection_items s
      WHERE s.location_id = p_location AND s.id = w.id AND s.stock_enabled FOR UPDATE) l;
  END IF;

  SELECT EXISTS (SELECT FROM unnest(batch.external_ids) AS e (external_id)
      CROSS JOIN LATERAL (SELECT FROM orders o WHERE o.location_id = p_location AND o.external_id = e.external_id LIMIT 1) o)
    -- One that may be there in another normalization form is looked for by decide_orders.
    OR EXISTS (SELECT FROM unnest(batch.external_ids) AS e WHERE e !~ '^[ -:<-JL-_a-~]*$'),
    NOT EXISTS (SELECT FROM unnest(batch.payment_methods) AS e (id)
      WHERE NOT EXISTS (SELECT FROM payment_methods m WHERE m.location_id = p_location AND m.id = e.id AND m.enabled))
    AND cardinality(batch.products) = count(*)
    AND (cardinality(batch.choices) = 0
      OR cardinality(batch.choices) = (SELECT count(*) FROM unnest(batch.choices, batch.choice_versions) AS v (id, version)
        CROSS JOIN LATERAL offered_item(p_location, v.id) o WHERE o.version = v.version)),
    -- Read in this transaction, so that no order is made that began after a pause was answered.
    EXISTS (SELECT FROM locations l WHERE l.id = p_location AND pause_holds(l)),
    array_agg(v.id), array_agg(o.external_id), array_agg(o.sku), array_agg(o.tax_rate),
    array_agg(first_category(p_location, v.id))
  INTO v_taken, v_same, v_paused, v_products, v_external_ids, v_skus, v_tax_rates, v_categories
  FROM unnest(batch.products, batch.product_versions) AS v (id, version)
  CROSS JOIN LATERAL product_for_sale(p_location, v.id) o WHERE o.version = v.version;
  IF v_paused THEN
    v_outcomes := ARRAY(SELECT coalesce(v_outcomes[n], CASE WHEN batch.while_paused[n] THEN NULL ELSE 'paused' END)
      FROM unnest(batch.places) AS n ORDER BY n);
  END IF;
  IF v_taken OR v_short OR v_short_choices OR NOT v_same OR v_outcomes IS NOT NULL
    OR v_most > 1 AND v_most > (SELECT count(DISTINCT e) FROM unnest(batch.external_ids) AS e) THEN
    SELECT d.outcomes, d.responses, d.wanted[:coalesce(cardinality(v_counted), 0)], d.wanted[coalesce(cardinality(v_counted), 0) + 1:],
      ARRAY(SELECT n FROM unnest(batch.places) AS n WHERE d.outcomes[n] IS NULL)
    INTO v_outcomes, v_responses, v_wanted, v_choices_wanted, v_made
    FROM decide_orders(p_location, batch.orders, batch.external_ids, batch.payment_methods, batch.want_of, batch.wants, batch.want_quantities,
      batch.products, batch.product_versions, batch.choices, batch.choice_versions, v_counted || v_counted_choices, v_left || v_choices_left,
      coalesce(v_outcomes, array_fill(NULL::text, ARRAY[v_most])), coalesce(v_responses, array_fill(NULL::text, ARRAY[v_most]))) d;
    RETURN QUERY SELECT n, v_outcomes[n], v_responses[n] FROM unnest(batch.places) AS n WHERE v_outcomes[n] IS NOT NULL;
    IF cardinality(v_made) = 0 THEN
      RETURN;
    END IF;
  END IF;

  -- From here on the function captures and counts by itself what the triggers of these tables would find
  -- (made/).
  v_setting := set_config('comanda.told', by_service()::text, true);
  IF v_places IS NOT NULL THEN
    UPDATE product_stock s SET quantity = s.quantity - w.quantity
    FROM unnest(v_places, v_wanted) AS w (place, quantity) WHERE s.ctid = w.place AND w.quantity <> 0;
  END IF;
  IF v_choice_places IS NOT NULL THEN
    UPDATE subselection_items s SET stock_quantity = s.stock_quantity - w.quantity
    FROM unnest(v_choice_places, v_choices_wanted) AS w (place, quantity) WHERE s.ctid = w.place AND w.quantity <> 0;
  END IF;

  -- A session that closes the turn, also by hand, waits for these orders, or these wait for it and see the turn closed.
  -- This is not a lock of the row: sessions that share a row lock overtake one that waits for it. It is not in one
  -- statement either: the next statement must see the changes that were waited for.
  v_setting := pg_advisory_xact_lock_shared(turn_lock(p_location));

  -- Without gaps, so the counter's row is held to the end: taken as late as can be.
  UPDATE internal.location_counters c SET value = c.value + cardinality(v_made) WHERE c.location_id = p_location AND c.name = 'order'
  RETURNING c.value - cardinality(v_made) INTO v_number;
  IF NOT FOUND THEN
    INSERT INTO internal.location_counters AS c (location_id, name, value) VALUES (p_location, 'order', cardinality(v_made))
    ON CONFLICT (location_id, name) DO UPDATE SET value = c.value + cardinality(v_made)
    RETURNING c.value - cardinality(v_made) INTO v_number;
  END IF;
  INSERT INTO orders (location_id, id, number, external_id, total, channel, is_take_away, identifier, payment_method_id, turn_id,
    created_by, request_id, note, promised_at, guests, customer_name, customer_phone, customer_email, customer_tax_id,
    delivery_lines, delivery_city, delivery_postal_code, delivery_country, delivery_note, adjustments)
  SELECT p_location, batch.orders[m.n], v_number + m.nth, batch.external_ids[m.n], batch.totals[m.n], batch.channels[m.n], batch.take_away[m.n],
    batch.identifiers[m.n], batch.payment_methods[m.n], (SELECT t.id FROM turns t WHERE t.location_id = p_location AND t.status = 'open'),
    batch.api_keys[m.n], nullif(split_part(batch.request_ids[m.n], ' ', 1), ''), c.*
  FROM unnest(v_made) WITH ORDINALITY AS m (n, nth)
  LEFT JOIN LATERAL jsonb_to_record(batch.carried[m.n]) AS c (note text, promised_at timestamptz, guests int,
    customer_name text, customer_phone text, customer_email text, customer_tax_id text, delivery_lines text, delivery_city text,
    delivery_postal_code text, delivery_country text, delivery_note text, adjustments jsonb) ON true;
  INSERT INTO order_items (location_id, order_id, position, product_id, name, external_id, sku, tax_rate, category, unit_price, quantity, total,
    comment, selections, stock_taken)
  SELECT p_location, batch.orders[v.place], v.position, v.product_id, v.name, v_external_ids[f.place], v_skus[f.place], v_tax_rates[f.place],
    v_categories[f.place], v.unit_price, v.quantity, v.total, v.comment,
    CASE WHEN v.selections IS NULL THEN '[]' ELSE (
      SELECT jsonb_agg(s || jsonb_build_object('stock_taken', coalesce(i.id = ANY (v_counted_choices), false))
        || CASE WHEN i.external_id IS NULL THEN '{}' ELSE jsonb_build_object('external_id', i.external_id) END ORDER BY m)
      FROM jsonb_array_elements(v.selections) WITH ORDINALITY e (s, m)
      LEFT JOIN LATERAL (SELECT * FROM subselection_items i WHERE i.location_id = p_location AND i.id = (s->>'item_id')::uuid LIMIT 1) i ON true) END,
    coalesce(v.product_id = ANY (v_counted), false)
  FROM jsonb_to_recordset(batch.lines) AS v (place int, position int, product_id uuid, name text, unit_price numeric, quantity numeric, total numeric,
    comment text, selections jsonb)
  CROSS JOIN LATERAL (SELECT array_position(v_products, v.product_id) AS place) f
  WHERE v_outcomes IS NULL OR v_outcomes[v.place] IS NULL;
  INSERT INTO payments (location_id, id, order_id, payment_method_id, amount)
  SELECT p_location, batch.payments[n], batch.orders[n], batch.payment_methods[n], batch.totals[n] FROM unnest(v_made) AS n;

  IF current_setting('comanda.told') = 'true' THEN
    -- Subscribers see each order as a transaction of its own: its id is the seed.
    WITH told AS (
      INSERT INTO internal.captured_changes (location_id, seed, resource, operation, resource_ids, changed, in_catalog, request_id, traceparent)
      SELECT p_location, batch.orders[m.n], c.resource, c.operation, c.ids, c.changed, c.in_catalog,
        nullif(split_part(batch.request_ids[m.n], ' ', 1), ''), nullif(split_part(batch.request_ids[m.n], ' ', 2), '')
      FROM unnest(v_made) AS m (n)
      CROSS JOIN LATERAL (VALUES
        (1, 'stock', 'update', CASE WHEN v_most = 1 THEN v_counted ELSE (
          SELECT array_agg(w.id ORDER BY w.id) FROM unnest(batch.want_of, batch.wants) AS w (n, id) WHERE w.n = m.n AND w.id = ANY (v_counted)) END,
          '{quantity}'::text[], true),
        (2, 'order', 'insert', ARRAY[batch.orders[m.n]], '{}', false),
        (3, 'payment', 'insert', ARRAY[batch.payments[m.n]], '{}', false)) c (line, resource, operation, ids, changed, in_catalog)
      WHERE c.ids IS NOT NULL
      RETURNING in_catalog
    )
    INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
    SELECT p_location, v.at, v.name, v.n FROM (VALUES
      ('-infinity'::timestamptz, 'catalog', (SELECT count(*) FROM told WHERE in_catalog)),
      (order_stretch(1, now()::timestamptz(3)), 'order pending', cardinality(v_made))) v (at, name, n)
    WHERE v.n > 0;
    IF random() < 0.02 * cardinality(v_made) THEN
      PERFORM fold_tallies(p_location);
    END IF;
    v_setting := set_config('comanda.told', '', true);
  END IF;

  RETURN QUERY WITH kept AS (
    INSERT INTO internal.idempotency_keys AS i (location_id, api_key_id, operation, key, request_hash, response)
    SELECT p_location, batch.api_keys[n], batch.operation, batch.keys[n], batch.request_hashes[n], j.doc
    FROM unnest(v_made) AS n CROSS JOIN LATERAL orders_json(p_location, ARRAY[batch.orders[n]]) j
    RETURNING i.api_key_id, i.key, i.response
  )
  SELECT n, 'created', k.response FROM unnest(v_made) AS n JOIN kept k ON k.api_key_id = batch.api_keys[n] AND k.key = batch.keys[n];
END $$;

-- Claims the keys of several calls, as claim_key does for one, but without waiting. A key that another transaction
-- holds is `busy`: its call is made alone. `outcomes` is NULL where all keys are new.
CREATE FUNCTION claim_keys(
  p_location uuid, p_api_keys uuid[], p_operation text, p_keys text[], p_request_hashes bytea[], p_ttl_hours int,
  OUT outcomes text[], OUT responses text[]
) LANGUAGE plpgsql AS $$
DECLARE
  v_setting text;
  v_busy int[];
BEGIN
  v_setting := refuse_unless_active(p_location);
  -- In the order of their hashes, and in a statement of their own: the next one sees what was committed before.
  SELECT array_agg(k.n) INTO v_busy FROM (
    SELECT v.n::int, hashtextextended(v.api_key::text || p_operation || v.key, 0) AS hash
    FROM unnest(p_api_keys, p_keys) WITH ORDINALITY AS v (api_key, key, n) ORDER BY 2 OFFSET 0) k
  WHERE NOT pg_try_advisory_xact_lock(k.hash);
  IF v_busy IS NULL AND NOT EXISTS (
    SELECT FROM unnest(p_api_keys, p_keys) AS k (api_key, key) JOIN internal.idempotency_keys i
      ON i.location_id = p_location AND i.api_key_id = k.api_key AND i.operation = p_operation AND i.key = k.key) THEN
    RETURN;
  END IF;
  WITH found AS (
    SELECT k.n, i.response, i.request_hash = k.hash AS same, i.created_at > now() - make_interval(hours => p_ttl_hours) AS fresh
    FROM unnest(p_api_keys, p_keys, p_request_hashes) WITH ORDINALITY AS k (api_key, key, hash, n)
    LEFT JOIN internal.idempotency_keys i
      ON i.location_id = p_location AND i.api_key_id = k.api_key AND i.operation = p_operation AND i.key = k.key
  )
  SELECT array_agg(CASE WHEN f.n = ANY (v_busy) THEN 'busy' WHEN f.fresh AND f.same THEN 'replayed' WHEN f.fresh THEN 'reused' END ORDER BY f.n),
    array_agg(CASE WHEN f.fresh AND f.same THEN f.response END ORDER BY f.n)
  INTO outcomes, responses FROM found f;
  DELETE FROM internal.idempotency_keys i USING unnest(p_api_keys, p_keys, outcomes) AS k (api_key, key, outcome)
  WHERE i.location_id = p_location AND i.api_key_id = k.api_key AND i.operation = p_operation AND i.key = k.key AND k.outcome IS NULL;
END $$;

-- Takes orders one after the other, in the order of their arrival, where some do not fit: a refused one claims nothing.
-- Returns the outcomes with their messages, and the amounts of counted stock that the remaining orders need: products,
-- then items.
CREATE FUNCTION decide_orders(
  p_location uuid, p_orders uuid[], p_external_ids text[], p_payment_methods uuid[], p_want_of int[], p_wants uuid[], p_want_quantities numeric[],
  p_products uuid[], p_product_versions bigint[], p_choices uuid[], p_choice_versions bigint[],
  p_counted uuid[], p_left numeric[],
  INOUT outcomes text[], INOUT responses text[], OUT wanted numeric[]
) LANGUAGE plpgsql AS $$
DECLARE
  v_left numeric[] := p_left;
  v_wanted numeric[];
  v_other uuid;
  v_short jsonb;
  v_stale uuid[];
BEGIN
  SELECT array_agg(w.id) INTO v_stale FROM (
    SELECT v.id FROM unnest(p_products, p_product_versions) AS v (id, version)
    WHERE NOT EXISTS (SELECT FROM product_for_sale(p_location, v.id) o WHERE o.version = v.version)
    UNION ALL
    SELECT v.id FROM unnest(p_choices, p_choice_versions) AS v (id, version)
    WHERE NOT EXISTS (SELECT FROM offered_item(p_location, v.id) o WHERE o.version = v.version)) w;
  FOR v_place IN 1..cardinality(p_orders) LOOP
    CONTINUE WHEN outcomes[v_place] IS NOT NULL;
    v_other := coalesce(
      (SELECT o.id FROM orders o WHERE o.location_id = p_location AND o.external_id = p_external_ids[v_place]),
      (SELECT o.id FROM orders o WHERE o.location_id = p_location AND p_external_ids[v_place] !~ '^[ -:<-JL-_a-~]*$'
        AND o.external_id !~ '^[ -:<-JL-_a-~]*$' AND normalize(o.external_id, NFC) = normalize(p_external_ids[v_place], NFC)
        ORDER BY o.external_id_twin LIMIT 1),
      (SELECT p_orders[e.n] FROM generate_series(1, v_place - 1) AS e (n)
        WHERE outcomes[e.n] IS NULL AND normalize(p_external_ids[e.n], NFC) = normalize(p_external_ids[v_place], NFC)));
    IF v_other IS NOT NULL THEN
      outcomes[v_place] := 'taken';
      responses[v_place] := v_other::text;
    ELSIF NOT EXISTS (
        SELECT FROM payment_methods m WHERE m.location_id = p_location AND m.id = p_payment_methods[v_place] AND m.enabled)
      OR EXISTS (SELECT FROM unnest(p_want_of, p_wants) AS w (n, id) WHERE w.n = v_place AND w.id = ANY (v_stale)) THEN
      outcomes[v_place] := 'stale';
    ELSE
      SELECT array_agg(coalesce(w.quantity, 0) ORDER BY c.n),
        jsonb_object_agg(c.id, c.quantity::text) FILTER (WHERE c.quantity < w.quantity)
      INTO v_wanted, v_short
      FROM unnest(p_counted, v_left) WITH ORDINALITY AS c (id, quantity, n)
      LEFT JOIN unnest(p_want_of, p_wants, p_want_quantities) AS w (n, id, quantity) ON w.n = v_place AND w.id = c.id;
      IF v_short IS NOT NULL THEN
        outcomes[v_place] := 'short';
        responses[v_place] := v_short::text;
      ELSE
        SELECT array_agg(c.quantity - c.wanted ORDER BY c.n) INTO v_left
        FROM unnest(v_left, v_wanted) WITH ORDINALITY AS c (quantity, wanted, n);
      END IF;
    END IF;
  END LOOP;
  SELECT array_agg(c.before - c.after ORDER BY c.n) INTO wanted FROM unnest(p_left, v_left) WITH ORDINALITY AS c (before, after, n);
END $$;

-- Moves orders of one location in one transaction, as if they came one after the other, each another order. `previous`
-- is the status that an order was found in, NULL when there is no such order; `response` is the order after the move,
-- NULL when the move is not in the table. Moves of one order wait for one another at its row, and no other call waits
-- behind them: one that is not made alone gives up soon.
CREATE FUNCTION move_order_batch(p_location uuid, p_alone boolean, p_batch jsonb)
RETURNS TABLE (place int, previous order_status, response text, revision bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_setting text;
  batch record;
  v_canceled uuid[];
  v_rejected uuid[];
  v_stocked uuid[];
BEGIN
  v_setting := set_config('lock_timeout', lock_wait(p_alone), true);
  -- Triggers read these where the session is not the service's, which moves one order a call.
  v_setting := set_config('comanda.request_id', coalesce(p_batch->'request_ids'->>0, ''), true);
  v_setting := set_config('comanda.api_key_id', coalesce(p_batch->'api_keys'->>0, ''), true);
  v_setting := refuse_unless_active(p_location);
  SELECT b.*, f.* INTO batch
  -- The moves, an array a column; a request's id has its place in a trace behind a space, and a seed is what a transaction of its own had.
  FROM jsonb_to_record(p_batch)
    AS b (orders uuid[], next order_status[], reasons text[], request_ids text[], api_keys uuid[], seeds uuid[])
  -- What is found of each, and the moves that are made, by their places.
  CROSS JOIN LATERAL (
    SELECT array_agg(o.place ORDER BY m.n) AS places, array_agg(o.status ORDER BY m.n) AS previous,
      array_agg(o.cancel_reason ORDER BY m.n) AS previous_reasons, array_agg(o.external_id ORDER BY m.n) AS external_ids,
      array_agg(o.created_at ORDER BY m.n) AS created,
      array_agg(m.n::int ORDER BY m.n) FILTER (WHERE order_may_move(o.status, b.next[m.n])) AS moved
    FROM (SELECT * FROM unnest(b.orders) WITH ORDINALITY AS v (id, n) ORDER BY v.id OFFSET 0) m
    LEFT JOIN LATERAL (
      SELECT o.ctid AS place, o.status, o.cancel_reason, o.external_id, o.created_at FROM orders o
      WHERE o.location_id = p_location AND o.id = m.id FOR NO KEY UPDATE) o ON true) f;
  IF batch.moved IS NOT NULL THEN
    -- From here on the function captures and counts by itself what the triggers of these tables would find
    -- (made/).
    v_setting := set_config('comanda.told', by_service()::text, true);
    UPDATE orders o SET status = batch.next[m.n], cancel_reason = coalesce(batch.reasons[m.n], o.cancel_reason)
    FROM unnest(batch.moved) AS m (n) WHERE o.ctid = batch.places[m.n];
    IF v_setting = 'true' THEN
      v_setting := note_order_moves(p_location, batch.orders, batch.previous, batch.next, batch.api_keys, batch.request_ids, batch.moved);
      IF 'canceled' = ANY (batch.next) THEN
        v_canceled := ARRAY(SELECT batch.orders[m.n] FROM unnest(batch.moved) AS m (n) WHERE batch.next[m.n] = 'canceled');
        v_rejected := reject_payments_of_orders(p_location, v_canceled);
        v_stocked := move_stock_of_orders(p_location, v_canceled, 1);
      END IF;
      v_setting := note_moved_orders(p_location, batch.orders, batch.next, batch.reasons, batch.request_ids, batch.seeds,
        batch.previous, batch.previous_reasons, batch.external_ids, batch.created, batch.moved, v_rejected, v_stocked);
      v_setting := set_config('comanda.told', '', true);
    END IF;
  END IF;
  RETURN QUERY SELECT m.n::int, batch.previous[m.n], j.doc, orders_revision(p_location, m.id)
  FROM unnest(batch.orders) WITH ORDINALITY AS m (id, n)
  LEFT JOIN LATERAL (SELECT j.doc FROM orders_json(p_location, ARRAY[m.id]) j WHERE m.n = ANY (batch.moved)) j ON true;
END $$;

-- Moves of orders for their timelines. Runs as the owner, because the service has no right to insert them, and does nothing unless the caller captures its own changes.
CREATE FUNCTION note_order_moves(
  p_location uuid, p_orders uuid[], p_previous order_status[], p_next order_status[], p_api_keys uuid[], p_request_ids text[], p_moved int[]
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT coalesce(captures_itself(), false) THEN
    RETURN;
  END IF;
  INSERT INTO internal.order_moves (location_id, order_id, from_status, to_status, moved_by, request_id)
  SELECT p_location, p_orders[m.n], p_previous[m.n], p_next[m.n], p_api_keys[m.n], nullif(split_part(p_request_ids[m.n], ' ', 1), '')
  FROM unnest(p_moved) AS m (n);
END $$;

-- Captures and counts moved orders, each under its own request, as triggers capture the same rows: the rejected payment, the stock that was
-- given back, the order.
CREATE FUNCTION note_moved_orders(
  p_location uuid, p_orders uuid[], p_next order_status[], p_reasons text[], p_request_ids text[], p_seeds uuid[],
  p_previous order_status[], p_previous_reasons text[], p_external_ids text[], p_created timestamptz[],
  p_moved int[], p_rejected uuid[], p_stocked uuid[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_noted bigint;
BEGIN
  WITH told AS (
    INSERT INTO internal.captured_changes (location_id, seed, resource, operation, resource_ids, changed, before, after, in_catalog,
      request_id, traceparent)
    SELECT p_location, p_seeds[m.n], c.resource, 'update', c.ids, c.changed, c.before, c.after, c.resource = 'stock',
      nullif(split_part(p_request_ids[m.n], ' ', 1), ''), nullif(split_part(p_request_ids[m.n], ' ', 2), '')
    FROM unnest(p_moved) AS m (n)
    CROSS JOIN LATERAL (
      SELECT 'payment', array_agg(p.id), '{status}'::text[], ARRAY['{"status": "pending"}'::jsonb], ARRAY['{"status": "rejected"}'::jsonb]
      FROM payments p WHERE p_rejected IS NOT NULL AND p.location_id = p_location AND p.order_id = p_orders[m.n] AND p.id = ANY (p_rejected)
      UNION ALL
      SELECT 'stock', array_agg(DISTINCT i.product_id), '{quantity}', NULL, NULL
      FROM order_items i WHERE p_stocked IS NOT NULL AND p_next[m.n] = 'canceled' AND i.location_id = p_location AND i.order_id = p_orders[m.n]
        AND i.stock_taken AND i.product_id = ANY (p_stocked)
      UNION ALL
      SELECT 'order', ARRAY[p_orders[m.n]],
        CASE WHEN p_reasons[m.n] <> coalesce(p_previous_reasons[m.n], '') THEN '{status,cancel_reason}'::text[] ELSE '{status}' END,
        ARRAY[jsonb_build_object('external_id', p_external_ids[m.n], 'status', p_previous[m.n])],
        ARRAY[jsonb_build_object('external_id', p_external_ids[m.n], 'status', p_next[m.n])]
    ) c (resource, ids, changed, before, after)
    WHERE c.ids IS NOT NULL
    RETURNING in_catalog
  )
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
  SELECT p_location, v.at, v.name, v.n FROM (
    SELECT '-infinity'::timestamptz AS at, 'catalog' AS name, count(*) AS n FROM told WHERE in_catalog
    UNION ALL
    SELECT t.at, 'order ' || t.status, sum(t.n) FROM unnest(p_moved) AS m (n) CROSS JOIN LATERAL (
      VALUES (order_stretch(1, p_created[m.n]), p_previous[m.n], -1), (order_stretch(1, p_created[m.n]), p_next[m.n], 1)) t (at, status, n)
    GROUP BY 1, 2) v
  WHERE v.n <> 0;
  GET DIAGNOSTICS v_noted = ROW_COUNT;
  IF random() < 0.01 * v_noted THEN
    PERFORM fold_tallies(p_location);
  END IF;
END $$;

-- Legal moves of an order, as in the specification's table.
CREATE FUNCTION order_may_move(previous order_status, next order_status) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (previous, next) IN (('pending', 'ready'), ('pending', 'canceled'), ('ready', 'closed'), ('ready', 'canceled'))
$$;

CREATE FUNCTION guard_order_move() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT order_may_move(OLD.status, NEW.status) AND NOT deed_passes(TG_RELID, 'moves') THEN
    RAISE EXCEPTION 'an order cannot move from % to %', OLD.status, NEW.status
      USING ERRCODE = 'CM001', DETAIL = OLD.id::text, HINT = deed_hint('moves');
  END IF;
  IF OLD.status = 'canceled' THEN
    NEW.cancel_reason := NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_move BEFORE UPDATE OF status ON orders
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION guard_order_move();

-- Adds to stock what orders took, or takes it again: `times` is 1 or -1. Rows are locked in the order of their ids, as
-- order creation does, so that the two never deadlock. Returns the products whose stock it changed.
CREATE FUNCTION move_stock_of_orders(p_location uuid, p_orders uuid[], times int) RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  v_places tid[];
  v_quantities numeric[];
  v_stocked uuid[];
BEGIN
  SELECT array_agg(l.place), array_agg(t.quantity * times), array_agg(t.product_id) FILTER (WHERE l.quantity <> 9999999999.99 OR times < 0)
  INTO v_places, v_quantities, v_stocked FROM (
    SELECT i.product_id, sum(i.quantity) AS quantity FROM order_items i
    WHERE i.location_id = p_location AND i.order_id = ANY (p_orders) AND i.stock_taken GROUP BY 1 ORDER BY 1
  ) t CROSS JOIN LATERAL (
    SELECT s.ctid AS place, s.quantity FROM product_stock s
    WHERE s.location_id = p_location AND s.product_id = t.product_id FOR UPDATE) l;
  IF v_places IS NOT NULL THEN
    PERFORM refuse_short(p_orders[1], bool_or(s.quantity + w.quantity < 0))
    FROM unnest(v_places, v_quantities) AS w (place, quantity) JOIN product_stock s ON s.ctid = w.place;
    UPDATE product_stock s SET quantity = least(s.quantity + w.quantity, 9999999999.99)
    FROM unnest(v_places, v_quantities) AS w (place, quantity) WHERE s.ctid = w.place;
  END IF;

  SELECT array_agg(l.place), array_agg(t.quantity * times) INTO v_places, v_quantities FROM (
    SELECT (x->>'item_id')::uuid AS id, sum(i.quantity * (x->>'quantity')::numeric) AS quantity
    FROM order_items i, jsonb_array_elements(i.selections) x
    WHERE i.location_id = p_location AND i.order_id = ANY (p_orders) AND (x->>'stock_taken')::boolean GROUP BY 1 ORDER BY 1
  ) t CROSS JOIN LATERAL (
    SELECT s.ctid AS place FROM subselection_items s WHERE s.location_id = p_location AND s.id = t.id FOR UPDATE) l;
  IF v_places IS NOT NULL THEN
    PERFORM refuse_short(p_orders[1], bool_or(s.stock_quantity + w.quantity < 0))
    FROM unnest(v_places, v_quantities) AS w (place, quantity) JOIN subselection_items s ON s.ctid = w.place;
    UPDATE subselection_items s SET stock_quantity = least(s.stock_quantity + w.quantity, 9999999999.99)
    FROM unnest(v_places, v_quantities) AS w (place, quantity) WHERE s.ctid = w.place;
  END IF;
  RETURN v_stocked;
END $$;

CREATE FUNCTION refuse_short(p_order uuid, is_short boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF is_short THEN
    RAISE EXCEPTION 'the stock that this order took is gone: correct the stock first' USING ERRCODE = 'CM008', DETAIL = p_order::text;
  END IF;
END $$;

-- Returns the payments that it rejected: of these orders those that were pending.
CREATE FUNCTION reject_payments_of_orders(p_location uuid, p_orders uuid[]) RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  v_payments uuid[];
  v_places tid[];
BEGIN
  SELECT array_agg(l.id), array_agg(l.place) INTO v_payments, v_places
  FROM (SELECT * FROM unnest(p_orders) AS v (id) ORDER BY v.id OFFSET 0) o CROSS JOIN LATERAL (
    SELECT p.id, p.ctid AS place FROM payments p
    WHERE p.location_id = p_location AND p.order_id = o.id AND p.status = 'pending' FOR NO KEY UPDATE) l;
  IF v_places IS NOT NULL THEN
    UPDATE payments p SET status = 'rejected' WHERE p.ctid = ANY (v_places);
  END IF;
  RETURN v_payments;
END $$;

-- A cancel gives back the stock that the order took and rejects its pending payment. move_order_batch does so for all of its orders.
CREATE FUNCTION settle_canceled_order() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF captures_itself() THEN
    RETURN NULL;
  END IF;
  PERFORM reject_payments_of_orders(NEW.location_id, ARRAY[NEW.id]), move_stock_of_orders(NEW.location_id, ARRAY[NEW.id], 1);
  RETURN NULL;
END $$;
CREATE TRIGGER settle_canceled AFTER UPDATE OF status ON orders
  FOR EACH ROW WHEN (NEW.status = 'canceled' AND OLD.status <> 'canceled') EXECUTE FUNCTION settle_canceled_order();

-- A cancellation that a deed takes back takes the stock again. Its payment stays as it is.
CREATE FUNCTION take_stock_again() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  PERFORM move_stock_of_orders(NEW.location_id, ARRAY[NEW.id], -1);
  RETURN NULL;
END $$;
CREATE TRIGGER take_stock_again AFTER UPDATE OF status ON orders
  FOR EACH ROW WHEN (OLD.status = 'canceled' AND NEW.status <> 'canceled') EXECUTE FUNCTION take_stock_again();

-- The history of an order with the actor of each step, for its timeline: an edit in Studio or psql is shown
-- as well.
CREATE FUNCTION note_order_move() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF captures_itself() THEN
    RETURN NULL;
  END IF;
  INSERT INTO internal.order_moves (location_id, order_id, from_status, to_status, deed)
  VALUES (NEW.location_id, NEW.id, OLD.status, NEW.status,
    CASE WHEN current_setting('comanda.deed', true) <> '' THEN declared_deed() END);
  RETURN NULL;
END $$;
CREATE TRIGGER note_move AFTER UPDATE OF status ON orders
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION note_order_move();

-- Lines that are changed later, which only a deed may, change their order.
CREATE FUNCTION capture_order_lines() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  PERFORM touch_orders(array_agg(r.location_id), array_agg(r.order_id)) FROM changed_rows r;
  INSERT INTO internal.captured_changes (location_id, resource, operation, changed, resource_ids)
  SELECT c.location_id, 'order', 'update', ARRAY['items'], array_agg(c.order_id)
  FROM (
    SELECT r.location_id, r.order_id, (row_number() OVER () - 1) / 500 AS share
    FROM (SELECT DISTINCT r.location_id, r.order_id FROM changed_rows r) r
    JOIN orders o ON o.location_id = r.location_id AND o.id = r.order_id
  ) c GROUP BY c.location_id, c.share;
  RETURN NULL;
END $$;
CREATE TRIGGER capture_update AFTER UPDATE ON order_items REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_order_lines();
CREATE TRIGGER capture_delete AFTER DELETE ON order_items REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_order_lines();
