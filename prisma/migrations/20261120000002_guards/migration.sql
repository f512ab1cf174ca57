-- What must hold whoever writes: the API, the worker, Prisma Studio or psql.
-- Refusals carry an SQLSTATE of class CM, a sentence for the person, and where useful a detail for the code:
--   CM001 illegal status move   CM002 insufficient stock    CM003 external_id taken
--   CM004 price changed         CM005 payment method unusable   CM006 product of another location

ALTER TABLE products
  ADD CONSTRAINT products_price_check CHECK (price >= 0),
  ADD CONSTRAINT products_external_id_check CHECK (external_id <> ''),
  ADD CONSTRAINT products_sku_check CHECK (sku <> '');
ALTER TABLE categories ADD CONSTRAINT categories_external_id_check CHECK (external_id <> '');
ALTER TABLE product_stock
  ADD CONSTRAINT product_stock_quantity_check CHECK (quantity >= 0),
  ADD CONSTRAINT product_stock_alarm_check CHECK (min_stock_alarm >= 0);
ALTER TABLE subselections
  ADD CONSTRAINT subselections_range_check CHECK (0 <= min_selection AND min_selection <= max_selection);
ALTER TABLE subselection_items
  ADD CONSTRAINT subselection_items_price_check CHECK (price >= 0),
  ADD CONSTRAINT subselection_items_range_check CHECK (0 <= min AND min <= max),
  ADD CONSTRAINT subselection_items_stock_check CHECK (stock_quantity >= 0);
ALTER TABLE orders ADD CONSTRAINT orders_total_check CHECK (total >= 0);
ALTER TABLE order_items ADD CONSTRAINT order_items_quantity_check CHECK (quantity > 0);
ALTER TABLE payments ADD CONSTRAINT payments_amount_check CHECK (amount >= 0);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_permissions_check CHECK (permissions IS NOT NULL);
ALTER TABLE webhook_endpoints
  ADD CONSTRAINT webhook_endpoints_events_check CHECK (cardinality(events) > 0),
  ADD CONSTRAINT webhook_endpoints_version_check CHECK (api_version IN ('v1', 'v2'));

CREATE UNIQUE INDEX turns_one_open_idx ON turns (location_id) WHERE status = 'open';
CREATE UNIQUE INDEX menus_one_published_idx ON menus (location_id) WHERE is_published;
CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (location_id, endpoint_id, next_attempt_at)
  WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_overdue_idx ON webhook_deliveries (next_attempt_at)
  WHERE next_attempt_at IS NOT NULL;

-- Legal moves of an order, as in the specification's table.
CREATE FUNCTION order_may_move(previous order_status, next order_status) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (previous, next) IN (('pending', 'ready'), ('pending', 'canceled'), ('ready', 'closed'), ('ready', 'canceled'))
$$;

CREATE FUNCTION guard_order_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT order_may_move(OLD.status, NEW.status) THEN
    RAISE EXCEPTION 'an order cannot move from % to %', OLD.status, NEW.status
      USING ERRCODE = 'CM001', DETAIL = OLD.id::text;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_move BEFORE UPDATE OF status ON orders
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION guard_order_move();

CREATE FUNCTION guard_payment_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> 'pending' THEN
    RAISE EXCEPTION 'a payment cannot move from % to %', OLD.status, NEW.status
      USING ERRCODE = 'CM001', DETAIL = OLD.id::text;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_move BEFORE UPDATE OF status ON payments
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION guard_payment_move();

CREATE FUNCTION guard_turn_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status = 'closed' AND NEW.status = 'open' THEN
    RAISE EXCEPTION 'a closed turn cannot be opened again' USING ERRCODE = 'CM001', DETAIL = OLD.id::text;
  END IF;
  IF NEW.status = 'closed' AND NEW.ended_at IS NULL THEN
    NEW.ended_at := now();
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_move BEFORE UPDATE ON turns FOR EACH ROW EXECUTE FUNCTION guard_turn_move();

-- An unknown time zone would break every answer of the location.
CREATE FUNCTION guard_location_timezone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM now() AT TIME ZONE NEW.timezone;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_timezone BEFORE INSERT OR UPDATE OF timezone ON locations
  FOR EACH ROW EXECUTE FUNCTION guard_location_timezone();

-- An order line keeps naming a product that is deleted later, so no foreign key stands here;
-- when it is written, the product must be one of the same location.
CREATE FUNCTION guard_order_item_products() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  missing uuid;
BEGIN
  SELECT n.product_id INTO missing FROM new_rows n
  WHERE NOT EXISTS (SELECT FROM products p WHERE p.location_id = n.location_id AND p.id = n.product_id)
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'unknown product %', missing USING ERRCODE = 'CM006', DETAIL = missing::text;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER guard_products AFTER INSERT ON order_items
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION guard_order_item_products();

CREATE FUNCTION guard_order_item_product() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM products p WHERE p.location_id = NEW.location_id AND p.id = NEW.product_id) THEN
    RAISE EXCEPTION 'unknown product %', NEW.product_id USING ERRCODE = 'CM006', DETAIL = NEW.product_id::text;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_product BEFORE UPDATE OF location_id, product_id ON order_items
  FOR EACH ROW WHEN (OLD.product_id <> NEW.product_id OR OLD.location_id <> NEW.location_id)
  EXECUTE FUNCTION guard_order_item_product();

-- Cancelling gives back the stock that the order took and rejects its pending payment.
-- Rows are locked in the order of their ids, as order creation does, so that the two never deadlock.
CREATE FUNCTION settle_canceled_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payments SET status = 'rejected'
  WHERE location_id = NEW.location_id AND order_id = NEW.id AND status = 'pending';

  WITH taken AS (
    SELECT i.product_id, sum(i.quantity) AS quantity FROM order_items i
    WHERE i.location_id = NEW.location_id AND i.order_id = NEW.id AND i.stock_taken
    GROUP BY i.product_id
  ), locked AS (
    SELECT s.product_id FROM product_stock s
    WHERE s.location_id = NEW.location_id AND s.product_id IN (SELECT product_id FROM taken)
    ORDER BY s.product_id FOR UPDATE
  )
  UPDATE product_stock s SET quantity = least(s.quantity + t.quantity, 9999999999.99)
  FROM locked l JOIN taken t USING (product_id)
  WHERE s.location_id = NEW.location_id AND s.product_id = l.product_id;

  WITH taken AS (
    SELECT (x->>'item_id')::uuid AS id, sum(i.quantity * (x->>'quantity')::numeric) AS quantity
    FROM order_items i, jsonb_array_elements(i.selections) x
    WHERE i.location_id = NEW.location_id AND i.order_id = NEW.id AND (x->>'stock_taken')::boolean
    GROUP BY 1
  ), locked AS (
    SELECT s.id FROM subselection_items s
    WHERE s.location_id = NEW.location_id AND s.id IN (SELECT id FROM taken)
    ORDER BY s.id FOR UPDATE
  )
  UPDATE subselection_items s SET stock_quantity = least(s.stock_quantity + t.quantity, 9999999999.99)
  FROM locked l JOIN taken t USING (id)
  WHERE s.location_id = NEW.location_id AND s.id = l.id;
  RETURN NULL;
END $$;
CREATE TRIGGER settle_canceled AFTER UPDATE OF status ON orders
  FOR EACH ROW WHEN (NEW.status = 'canceled' AND OLD.status <> 'canceled') EXECUTE FUNCTION settle_canceled_order();

-- An order is never without its payment: one that is written by hand alone gets it at the commit.
CREATE FUNCTION ensure_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payments (location_id, order_id, payment_method_id, amount)
  SELECT o.location_id, o.id, o.payment_method_id, o.total FROM orders o
  WHERE o.location_id = NEW.location_id AND o.id = NEW.id
    AND NOT EXISTS (SELECT FROM payments p WHERE p.location_id = o.location_id AND p.order_id = o.id)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER ensure_payment AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION ensure_payment();

-- Disabling an endpoint drops what is still waiting for it; enabling does not revive it.
CREATE FUNCTION drop_waiting_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE webhook_deliveries SET status = 'dropped', next_attempt_at = NULL, leased_until = NULL, leased_by = NULL
  WHERE location_id = NEW.location_id AND endpoint_id = NEW.id AND next_attempt_at IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER drop_waiting AFTER UPDATE OF status ON webhook_endpoints
  FOR EACH ROW WHEN (NEW.status = 'disabled' AND OLD.status <> 'disabled') EXECUTE FUNCTION drop_waiting_deliveries();

-- updated_at moves with every real change.
CREATE FUNCTION touch_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at := now();
  RETURN NEW;
END $$;
DO $$
DECLARE
  touched text;
BEGIN
  FOREACH touched IN ARRAY ARRAY['locations', 'categories', 'products', 'product_stock', 'subselections',
    'subselection_items', 'menus', 'payment_methods', 'orders', 'payments', 'webhook_endpoints'] LOOP
    EXECUTE format('CREATE TRIGGER touch BEFORE UPDATE ON %I FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) '
      || 'EXECUTE FUNCTION touch_updated_at()', touched);
  END LOOP;
END $$;

-- Every process keeps keys in memory; whoever changes one says so. Keys change rarely, so a
-- notification inside the transaction costs nothing here.
CREATE FUNCTION announce_api_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NOTIFY comanda_api_keys;
  RETURN NULL;
END $$;
CREATE TRIGGER announce AFTER UPDATE OF key_hash, permissions, per_minute, monthly, batch_jobs_per_hour,
  max_items_per_batch, expires_at, revoked_at OR DELETE ON api_keys
  FOR EACH STATEMENT EXECUTE FUNCTION announce_api_keys();
CREATE TRIGGER announce AFTER UPDATE OF timezone, currency ON locations
  FOR EACH STATEMENT EXECUTE FUNCTION announce_api_keys();
