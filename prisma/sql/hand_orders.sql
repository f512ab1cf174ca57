-- Orders that are written by hand: by psql, in Studio, by an import.
--
-- Such an order is a draft, with a number below zero that no other session ever sees, until its own transaction
-- commits. Then it gets the values that a person must not set: its number, the open turn, its total, its payment. Its
-- lines are written in the same transaction. It takes nothing from stock. Its choices and its payment method meet the
-- rules of the API. From then on it is an order like any other: its lines, its total and its number never change
-- (guarding.sql). The deed `import` sets all of these itself, except for a payment that is left out, and passes the
-- rules of choices and payment methods.

-- The adjustments that an imported order may hold: what reports and reads take from each. NULL is none.
CREATE FUNCTION are_adjustments(adjustments jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN adjustments IS NOT NULL THEN jsonb_typeof(adjustments) = 'array' AND NOT EXISTS (
    SELECT FROM jsonb_array_elements(CASE jsonb_typeof(adjustments) WHEN 'array' THEN adjustments END) a
    WHERE (a->>'kind' IN ('discount', 'service_charge', 'tip', 'delivery_fee') AND jsonb_typeof(a->'name') = 'string'
      AND (jsonb_typeof(a->'amount') = 'number') IS DISTINCT FROM (jsonb_typeof(a->'percent') = 'number')
      AND jsonb_path_exists(a, '$.total ? (@.type() == "number")')
      AND coalesce(jsonb_path_exists(a->'line', '$ ? (@ >= 1 && @ <= 200)'), true)
      AND coalesce(jsonb_path_exists(a->'tax_rate', '$ ? (@ >= 0 && @ <= 100)'), true)
      AND coalesce(jsonb_typeof(a->'external_id') = 'string', true)) IS NOT TRUE) END
$$;

-- The rules that the API validates of an order, enforced here too. No deed bypasses them. This is no CHECK: every
-- order and every move would pay for one.
CREATE FUNCTION refuse_order_texts(o orders) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  fault text := coalesce(orders_length_fault(o), CASE
    WHEN NOT is_wire_time(o.created_at) THEN 'created_at must be of the years 1 to 9999'
    WHEN NOT is_wire_time(o.promised_at) THEN 'promised_at must be of the years 1 to 9999'
    WHEN o.guests NOT BETWEEN 1 AND 10000 THEN 'guests must be 1 to 10000'
    WHEN NOT are_adjustments(o.adjustments) THEN 'adjustments are an array of {"kind", "name", "amount" or "percent", "total"}, as the API shows them'
    WHEN o.cancel_reason IS NOT NULL AND o.status <> 'canceled' THEN 'only an order that is canceled has a cancel_reason' END);
BEGIN
  IF fault IS NOT NULL THEN
    RAISE EXCEPTION '%', fault USING ERRCODE = 'check_violation', DETAIL = o.id::text;
  END IF;
END $$;

CREATE FUNCTION guard_new_order() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF by_service() THEN
    RETURN NEW;
  END IF;
  PERFORM refuse_order_texts(NEW);
  IF coalesce(NEW.number, 0) <> 0 OR NEW.status <> 'pending' OR NEW.turn_id IS NOT NULL OR NEW.adjustments IS NOT NULL
    OR NEW.created_at <> now()::timestamptz(3) THEN
    IF deed_passes(TG_RELID, 'order') THEN
      -- Orders numbered from here on need room below orders_number_check.
      IF NEW.number > 1000000000 THEN
        RAISE EXCEPTION 'the number of an order is at most 1000000000' USING ERRCODE = 'check_violation', DETAIL = NEW.id::text;
      END IF;
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'an order is made now, and gets its number and turn at the commit: leave out number, status, turn_id, '
      'adjustments and created_at (what is older is imported: select deed(''import: <why>''))'
      USING ERRCODE = 'CM008', DETAIL = NEW.id::text;
  END IF;
  NEW.number := -1 - floor(random() * 2147483647);
  NEW.total := coalesce(NEW.total, 0);
  NEW.created_by := NULL;
  NEW.request_id := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_new BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION guard_new_order();

-- The selections that a line may hold: the item that each names is looked up when its order is canceled.
CREATE FUNCTION are_selections(selections jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_typeof(selections) = 'array' AND NOT EXISTS (
    SELECT FROM jsonb_array_elements(CASE jsonb_typeof(selections) WHEN 'array' THEN selections END) s
    WHERE (s->>'item_id' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' AND jsonb_typeof(s->'item_id') = 'string'
      AND jsonb_path_exists(s, '$.quantity ? (@ > 0 && @ <= 9999999999)')
      AND coalesce(jsonb_typeof(s->'stock_taken') = 'boolean', true)) IS NOT TRUE)
$$;

-- The API's refusal of the choices of a line (selections.rules.ts), in its words; NULL where the line may be ordered.
CREATE FUNCTION choices_fault(l order_items) RETURNS text LANGUAGE sql STABLE AS $$
  WITH named AS (
    SELECT (s->>'item_id')::uuid AS id, (s->>'quantity')::numeric AS quantity, n FROM jsonb_array_elements(l.selections) WITH ORDINALITY e (s, n)
  ), chosen AS (
    SELECT c.*, i.name, i.min, i.max, g.id AS subselection_id
    FROM (SELECT id, sum(quantity) AS quantity, bool_and(quantity >= 1 AND quantity = trunc(quantity)) AS whole, min(n) AS n FROM named GROUP BY id) c
    LEFT JOIN subselection_items i ON i.location_id = l.location_id AND i.id = c.id
    LEFT JOIN subselections g ON g.location_id = i.location_id AND g.id = i.subselection_id AND g.product_id = l.product_id
  ), groups AS (
    SELECT g.name, g.min_selection AS min, g.max_selection AS max, g.single, g.position, g.id, coalesce(sum(c.quantity), 0) AS quantity, count(c.id) AS different
    FROM subselections g LEFT JOIN chosen c ON c.subselection_id = g.id
    WHERE g.location_id = l.location_id AND g.product_id = l.product_id GROUP BY g.location_id, g.id
  )
  SELECT coalesce(
    CASE WHEN jsonb_array_length(l.selections) > 200 THEN 'must hold at most 200 choices' END,
    (SELECT format('unknown item of this product, %s', c.id) FROM chosen c WHERE c.subselection_id IS NULL ORDER BY c.n LIMIT 1),
    (SELECT format('the quantity of %s must be a whole number, 1 or more', to_json(c.name)) FROM chosen c WHERE NOT c.whole ORDER BY c.n LIMIT 1),
    (SELECT format('the quantity of %s must be %s to %s in all, got %s', to_json(c.name), c.min, c.max, trim_scale(c.quantity))
      FROM chosen c WHERE c.quantity NOT BETWEEN c.min AND c.max ORDER BY c.n LIMIT 1),
    (SELECT to_json(g.name) || CASE WHEN g.quantity < g.min THEN format(' needs at least %s, got %s', g.min, trim_scale(g.quantity))
        WHEN g.quantity > g.max THEN format(' allows at most %s, got %s', g.max, trim_scale(g.quantity))
        ELSE format(' allows one item, got %s different ones', g.different) END
      FROM groups g WHERE g.quantity NOT BETWEEN g.min AND g.max OR g.single AND g.different > 1 ORDER BY g.position, g.id LIMIT 1))
$$;

-- The API's refusal of an order whose rows each are valid: NULL where it may be placed.
CREATE FUNCTION draft_fault(draft orders) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    (SELECT 'an order has at most 200 lines' FROM order_items i WHERE i.location_id = draft.location_id AND i.order_id = draft.id HAVING count(*) > 200),
    (SELECT format('the payment method %s is disabled: enable it, or name another one', to_json(m.name)) FROM payment_methods m
      WHERE m.location_id = draft.location_id AND m.id = draft.payment_method_id AND NOT m.enabled),
    (SELECT format('line %s: %s', i.position, choices_fault(i)) FROM order_items i
      WHERE i.location_id = draft.location_id AND i.order_id = draft.id AND choices_fault(i) IS NOT NULL ORDER BY i.position LIMIT 1))
$$;

-- A line of an order that is no draft is refused; a line of a draft gets the values that were left out. A line keeps
-- naming a product that is deleted later, so the column has no foreign key: the product must exist when the line is
-- written.
CREATE FUNCTION guard_line() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
DECLARE
  line order_items%ROWTYPE;
  found_order record;
  product record;
BEGIN
  IF pg_trigger_depth() > 1 OR TG_OP = 'INSERT' AND by_service() THEN
    RETURN coalesce(NEW, OLD);
  END IF;
  line := coalesce(NEW, OLD);
  SELECT o.number < 0 AS draft, o.xmin = pg_current_xact_id()::xid AS own INTO found_order
  FROM orders o WHERE o.location_id = line.location_id AND o.id = line.order_id;
  IF NOT coalesce(found_order.draft, true) AND NOT deed_passes(TG_RELID, CASE TG_OP WHEN 'INSERT' THEN 'lines' ELSE 'standing lines' END) THEN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'CM008', DETAIL = line.order_id::text;
  ELSIF TG_OP = 'DELETE' THEN
    RETURN OLD;
  ELSIF TG_OP = 'UPDATE' AND (OLD.location_id, OLD.order_id) IS DISTINCT FROM (NEW.location_id, NEW.order_id) THEN
    RAISE EXCEPTION 'a line stays with its order' USING ERRCODE = 'CM008', DETAIL = OLD.order_id::text;
  END IF;
  IF TG_OP = 'INSERT' OR NEW.product_id <> OLD.product_id THEN
    SELECT p.name, p.price, p.external_id, p.sku, p.tax_rate INTO product FROM products p WHERE p.location_id = NEW.location_id AND p.id = NEW.product_id;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'unknown product %', NEW.product_id USING ERRCODE = 'CM006', DETAIL = NEW.product_id::text;
    END IF;
  END IF;
  IF order_items_length_fault(NEW) IS NOT NULL OR NOT are_selections(NEW.selections) THEN
    RAISE EXCEPTION 'a line has a comment of at most 1000 characters, and selections as [{"item_id": "<uuid>", "quantity": 1}]'
      USING ERRCODE = 'check_violation', DETAIL = NEW.order_id::text;
  END IF;
  IF NOT found_order.draft THEN
    IF TG_OP = 'INSERT' AND NOT found_order.own THEN
      PERFORM touch_orders(ARRAY[NEW.location_id], ARRAY[NEW.order_id]);
      INSERT INTO internal.captured_changes (location_id, resource, operation, resource_ids, changed)
      VALUES (NEW.location_id, 'order', 'update', ARRAY[NEW.order_id], ARRAY['items']);
    END IF;
    RETURN NEW;
  END IF;
  IF NEW.stock_taken OR jsonb_path_exists(NEW.selections, '$[*].stock_taken ? (@ == true)') THEN
    RAISE EXCEPTION 'only POST /v2/orders takes stock: leave out stock_taken' USING ERRCODE = 'CM008', DETAIL = NEW.order_id::text;
  END IF;
  IF TG_OP = 'INSERT' THEN
    IF coalesce(NEW.name, '') = '' THEN
      NEW.name := product.name;
    END IF;
    NEW.external_id := coalesce(NEW.external_id, product.external_id);
    NEW.sku := coalesce(NEW.sku, product.sku);
    NEW.tax_rate := coalesce(NEW.tax_rate, product.tax_rate);
    NEW.category := coalesce(NEW.category, first_category(NEW.location_id, NEW.product_id));
    -- As place_order_batch keeps them: choices with the name, the price and the external_id of the moment.
    IF NEW.selections <> '[]' THEN
      SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', i.name, 'price', trim_scale(i.price), 'external_id', i.external_id)) || s ORDER BY n),
        product.price + coalesce(sum(i.price * (s->>'quantity')::numeric), 0)
      INTO NEW.selections, product.price
      FROM jsonb_array_elements(NEW.selections) WITH ORDINALITY e (s, n)
      LEFT JOIN subselection_items i ON i.location_id = NEW.location_id AND i.id = (s->>'item_id')::uuid;
    END IF;
    NEW.unit_price := coalesce(NEW.unit_price, product.price);
    IF coalesce(NEW.position, 0) = 0 THEN
      NEW.position := 1 + (SELECT coalesce(max(i.position), 0) FROM order_items i
        WHERE i.location_id = NEW.location_id AND i.order_id = NEW.order_id);
    END IF;
    IF coalesce(NEW.total, 0) NOT IN (0, round(NEW.quantity * NEW.unit_price, 2)) THEN
      RAISE EXCEPTION 'the total of a line is its quantity times its unit_price, %, not %: leave it out',
        round(NEW.quantity * NEW.unit_price, 2), NEW.total USING ERRCODE = 'CM008', DETAIL = NEW.order_id::text;
    END IF;
  END IF;
  NEW.total := round(NEW.quantity * NEW.unit_price, 2);
  RETURN NEW;
END $$;

CREATE FUNCTION complete_order() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  draft orders%ROWTYPE;
  v_total numeric;
  payment payments%ROWTYPE;
  v_turn uuid;
  v_number int;
  v_fault text;
BEGIN
  SELECT * INTO draft FROM orders o WHERE o.location_id = NEW.location_id AND o.id = NEW.id;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  SELECT * INTO payment FROM payments p WHERE p.location_id = draft.location_id AND p.order_id = draft.id AND p.replaced = 0;
  IF NOT (is_wire_time(payment.created_at) AND is_wire_time(payment.updated_at)) THEN
    RAISE EXCEPTION 'a payment has times of the years 1 to 9999' USING ERRCODE = 'check_violation', DETAIL = payment.id::text;
  ELSIF draft.number < 0 THEN
    SELECT sum(i.total) INTO v_total FROM order_items i WHERE i.location_id = draft.location_id AND i.order_id = draft.id;
    IF v_total IS NULL THEN
      RAISE EXCEPTION 'an order has lines: insert its order_items in the same transaction, or place it by POST /v2/orders'
        USING ERRCODE = 'CM008', DETAIL = draft.id::text;
    ELSIF draft.total NOT IN (0, v_total) THEN
      RAISE EXCEPTION 'the total of an order is the sum of its lines, %, not %: leave it out', v_total, draft.total
        USING ERRCODE = 'CM008', DETAIL = draft.id::text;
    ELSIF payment.amount <> v_total OR payment.payment_method_id <> draft.payment_method_id THEN
      RAISE EXCEPTION 'a payment has the total of its order, %, and its payment method', v_total
        USING ERRCODE = 'CM008', DETAIL = draft.id::text;
    END IF;
    v_fault := draft_fault(draft);
    IF v_fault IS NOT NULL AND NOT deed_passes(TG_RELID, 'order', session_user) THEN
      RAISE EXCEPTION '%', v_fault USING ERRCODE = 'CM008', DETAIL = draft.id::text;
    END IF;
    -- As place_order_batch does: who closes the turn waits for this order, or this for them.
    PERFORM pg_advisory_xact_lock_shared(turn_lock(draft.location_id));
    SELECT t.id INTO v_turn FROM turns t WHERE t.location_id = draft.location_id AND t.status = 'open';
    -- A turn that was closed since the snapshot looks open there: to lock it is a serialization failure. One that is being
    -- closed waits for this order, so this does not wait for it.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      PERFORM FROM turns t WHERE t.location_id = draft.location_id AND t.id = v_turn FOR SHARE NOWAIT;
    END IF;
    INSERT INTO internal.location_counters AS c (location_id, name, value)
    SELECT draft.location_id, 'order', greatest(max(o.number), 0) + 1 FROM orders o WHERE o.location_id = draft.location_id
    ON CONFLICT (location_id, name) DO UPDATE SET value = greatest(c.value + 1, excluded.value)
    RETURNING c.value INTO v_number;
    UPDATE orders o SET number = v_number, total = v_total, turn_id = v_turn
    WHERE o.location_id = draft.location_id AND o.id = draft.id RETURNING * INTO draft;
  END IF;
  IF payment.id IS NULL THEN
    INSERT INTO payments (location_id, order_id, payment_method_id, amount, status)
    VALUES (draft.location_id, draft.id, draft.payment_method_id, draft.total,
      CASE draft.status WHEN 'canceled' THEN 'rejected' ELSE 'pending' END::payment_status);
  END IF;
  RETURN NULL;
END $$;
-- Orders of place_order_batch are complete, and so are those of a location from another database. An import gets the payment
-- that it left out.
CREATE CONSTRAINT TRIGGER complete AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.number < 0
    OR current_setting('comanda.deed', true) <> '' AND NOT starts_with(current_setting('comanda.deed', true), 'transfer'))
  EXECUTE FUNCTION complete_order();
