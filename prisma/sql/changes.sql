-- A reader of a list by the moment of the last change misses nothing (docs/design/changes-and-events.md, "Reading changes").
--
-- A transaction announces a moment before it gives a row one, by a shared lock that it holds to its end and that blocks
-- no other transaction. So a reader who looks at the locks first knows from when on something may still come:
-- change_horizon. All of a transaction's moments are that of its announcement or later.

-- The moment at which this transaction had announced, in whole milliseconds, as rows are stamped: what it has stamped
-- itself is not before it. The lock names a moment before it, in hundredths of a second modulo 2^31, which is 248 days;
-- a reader who comes later than the answer meets the lock. A savepoint that is rolled back takes lock and setting
-- along. The setting counts from the service alone; the announcement of a manual edit is a declaration (declaring.sql).
CREATE FUNCTION announce_change() RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  announced bigint := nullif(current_setting('comanda.announced', true), '');
  by_hand boolean := NOT service_session();
  moment timestamptz;
BEGIN
  IF by_hand THEN
    SELECT o.announced_at INTO moment FROM own_declarations() o WHERE o.announced_at IS NOT NULL LIMIT 1;
  ELSIF announced IS NOT NULL THEN
    RETURN timestamptz 'epoch' + announced * interval '1 millisecond';
  END IF;
  IF moment IS NULL THEN
    PERFORM pg_advisory_xact_lock_shared(change_lock(),
      (floor(extract(epoch FROM clock_timestamp()) * 100)::bigint % 2147483648)::int);
    announced := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    moment := timestamptz 'epoch' + announced * interval '1 millisecond';
    IF by_hand THEN
      PERFORM forget_declarations();
      INSERT INTO internal.declarations (announced_at) VALUES (moment);
    ELSE
      PERFORM set_config('comanda.announced', announced::text, true);
    END IF;
  END IF;
  RETURN moment;
END $$;

-- The class of these locks among those that have two numbers.
CREATE FUNCTION change_lock() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1667788391 $$;

-- The announced moments, and the session that announced each; pid is null for a prepared transaction.
CREATE FUNCTION announced_changes() RETURNS TABLE (announced timestamptz, pid int, virtual_transaction text)
LANGUAGE sql VOLATILE AS $$
  SELECT to_timestamp((n.now - (n.now - l.objid::bigint + 8640000) % 2147483648 + 8640000) / 100.0), l.pid, l.virtualtransaction
  -- A day of grace for what is announced between the two looks, and for a clock that was set back.
  FROM (SELECT floor(extract(epoch FROM clock_timestamp()) * 100)::bigint AS now) n, pg_locks l
  WHERE l.locktype = 'advisory' AND l.classid::bigint = change_lock() AND l.objsubid = 2
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
$$;

-- A snapshot that is taken after this shows every change with a moment before the horizon. `asked` is the time of day,
-- read before the locks: who announces after the look gives no moment before it.
CREATE FUNCTION change_horizon(OUT asked timestamptz, OUT horizon timestamptz) LANGUAGE plpgsql AS $$
BEGIN
  asked := date_trunc('milliseconds', clock_timestamp());
  SELECT least(asked, min(c.announced)) INTO horizon FROM announced_changes() c;
END $$;

-- Whether rows keep the moments of another database (comanda locations import): their location is not read until it is
-- enabled, so no reader has to wait for them.
CREATE FUNCTION keeps_moments(relation oid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN starts_with(coalesce(current_setting('comanda.deed', true), ''), 'transfer')
    AND deed_passes(relation, 'moments', session_user);
END $$;

-- Runs before a statement that stamps any number of rows of these lists. It locks as the owner: no other role needs the
-- right to lock.
CREATE FUNCTION announce_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT keeps_moments(TG_RELID) THEN
    PERFORM announce_change();
  END IF;
  RETURN NULL;
END $$;

-- Never rounded up: nothing has changed later than now.
CREATE FUNCTION touch_updated_at() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  NEW.updated_at := date_trunc('milliseconds', clock_timestamp());
  RETURN NEW;
END $$;

CREATE FUNCTION touch_new_row() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT keeps_moments(TG_RELID) THEN
    NEW.updated_at := date_trunc('milliseconds', clock_timestamp());
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER announce BEFORE INSERT OR UPDATE ON orders FOR EACH STATEMENT EXECUTE FUNCTION announce_statement();
CREATE TRIGGER announce BEFORE INSERT OR UPDATE ON products FOR EACH STATEMENT EXECUTE FUNCTION announce_statement();
CREATE TRIGGER announce BEFORE INSERT OR UPDATE ON categories FOR EACH STATEMENT EXECUTE FUNCTION announce_statement();
CREATE TRIGGER announce BEFORE INSERT OR UPDATE ON payments FOR EACH STATEMENT EXECUTE FUNCTION announce_statement();
CREATE TRIGGER announce BEFORE INSERT OR UPDATE ON product_stock FOR EACH STATEMENT EXECUTE FUNCTION announce_statement();
-- No list of changes of their own: with include=books they are the moments of orders and payments, which a close does not write.
CREATE TRIGGER announce BEFORE INSERT OR UPDATE ON settlements FOR EACH STATEMENT EXECUTE FUNCTION announce_statement();
-- Overwrites any moment that an insert gives: imported rows are new to readers of changes.
CREATE TRIGGER touch_new BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION touch_new_row();
CREATE TRIGGER touch_new BEFORE INSERT ON payments FOR EACH ROW EXECUTE FUNCTION touch_new_row();
CREATE TRIGGER touch_new BEFORE INSERT ON products FOR EACH ROW EXECUTE FUNCTION touch_new_row();
CREATE TRIGGER touch_new BEFORE INSERT ON categories FOR EACH ROW EXECUTE FUNCTION touch_new_row();
CREATE TRIGGER touch_new BEFORE INSERT ON product_stock FOR EACH ROW EXECUTE FUNCTION touch_new_row();
CREATE TRIGGER touch_new BEFORE INSERT ON settlements FOR EACH ROW EXECUTE FUNCTION touch_new_row();

-- Rows that show values of other rows: an order shows its payment, stock its product's names, a product its categories
-- and, when the record is gone, its stock. Stock that moves makes its product come again by itself: products are read
-- by the later moment of the two. Touched are rows whose moment is before the announcement: a reader who has seen a
-- later one met the lock. Rows are locked in the order of their ids: categories, then products, then stock; orders
-- before payments by the API. A product is touched as well where another transaction gave it a later moment: its
-- revision must move with what it shows. They are looked for by id: `+ interval '0'` keeps the index of moments out.
-- Called with no rows as well, as null.

CREATE FUNCTION touch_orders(p_locations uuid[], p_orders uuid[]) RETURNS void LANGUAGE plpgsql STRICT AS $$
DECLARE
  v_announced timestamptz := announce_change();
  v_places tid[];
BEGIN
  SELECT array_agg(l.place) INTO v_places
  FROM (SELECT DISTINCT v.* FROM unnest(p_locations, p_orders) AS v (location_id, id) ORDER BY 1, 2) w
  CROSS JOIN LATERAL (SELECT o.ctid AS place FROM orders o
    WHERE o.location_id = w.location_id AND o.id = w.id AND o.updated_at + interval '0' < v_announced FOR NO KEY UPDATE) l;
  IF v_places IS NOT NULL THEN
    UPDATE orders o SET updated_at = clock_timestamp() WHERE o.ctid = ANY (v_places);
  END IF;
END $$;

CREATE FUNCTION touch_products(p_locations uuid[], p_products uuid[]) RETURNS void LANGUAGE plpgsql STRICT AS $$
DECLARE
  v_announced timestamptz := announce_change();
  v_places tid[];
BEGIN
  SELECT array_agg(l.place) INTO v_places
  FROM (SELECT DISTINCT v.* FROM unnest(p_locations, p_products) AS v (location_id, id) ORDER BY 1, 2) w
  CROSS JOIN LATERAL (SELECT p.ctid AS place FROM products p
    WHERE p.location_id = w.location_id AND p.id = w.id
      AND (p.updated_at + interval '0' < v_announced OR p.xmin <> pg_current_xact_id()::xid) FOR NO KEY UPDATE) l;
  IF v_places IS NOT NULL THEN
    UPDATE products p SET updated_at = clock_timestamp() WHERE p.ctid = ANY (v_places);
  END IF;
END $$;

CREATE FUNCTION touch_order_of_payment() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  v_announced timestamptz;
BEGIN
  -- Of many requests at once: move_payment_batch, move_order_batch.
  IF captures_itself() THEN
    RETURN NULL;
  END IF;
  v_announced := announce_change();
  -- The triggers of an UPDATE run even when it finds no row.
  PERFORM FROM orders o
  WHERE o.location_id = NEW.location_id AND o.id = NEW.order_id AND o.updated_at + interval '0' < v_announced FOR NO KEY UPDATE;
  IF FOUND THEN
    UPDATE orders o SET updated_at = clock_timestamp() WHERE o.location_id = NEW.location_id AND o.id = NEW.order_id;
  END IF;
  -- The order's body shows the status. A canceled order, which rejects its payment by a trigger, is published
  -- itself.
  IF OLD.status <> NEW.status AND pg_trigger_depth() = 1 THEN
    INSERT INTO internal.captured_changes (location_id, resource, operation, changed, resource_ids)
    VALUES (NEW.location_id, 'order', 'update', '{payment}', ARRAY[NEW.order_id]);
  END IF;
  RETURN NULL;
END $$;
-- With include=books an order shows when it was paid; a corrected amount is paid at its correction.
CREATE TRIGGER touch_order AFTER UPDATE OF id, order_id, status, amount ON payments
  FOR EACH ROW WHEN (ROW(OLD.id, OLD.order_id, OLD.status, OLD.amount) IS DISTINCT FROM ROW(NEW.id, NEW.order_id, NEW.status, NEW.amount))
  EXECUTE FUNCTION touch_order_of_payment();

CREATE FUNCTION touch_orders_of_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT keeps_moments(TG_RELID) THEN
    PERFORM touch_orders(array_agg(r.location_id), array_agg(r.order_id)) FROM changed_rows r;
  END IF;
  RETURN NULL;
END $$;
-- An order is new itself when its payment is made with it; an import may bring the payment later.
CREATE TRIGGER touch_orders_of_new AFTER INSERT ON payments REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT WHEN (current_setting('comanda.deed', true) <> '') EXECUTE FUNCTION touch_orders_of_rows();

CREATE FUNCTION touch_products_of_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT keeps_moments(TG_RELID) THEN
    PERFORM touch_products(array_agg(r.location_id), array_agg(r.product_id)) FROM changed_rows r;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER touch_linked AFTER INSERT ON product_categories REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION touch_products_of_rows();
CREATE TRIGGER touch_unlinked AFTER DELETE ON product_categories REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION touch_products_of_rows();
CREATE TRIGGER touch_linked_before AFTER UPDATE ON product_categories REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION touch_products_of_rows();
CREATE TRIGGER touch_linked_after AFTER UPDATE ON product_categories REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION touch_products_of_rows();
CREATE TRIGGER touch_product_without AFTER DELETE ON product_stock REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION touch_products_of_rows();

-- A stock record that is given to another product by hand.
CREATE FUNCTION touch_product_before() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  PERFORM touch_products(ARRAY[OLD.location_id], ARRAY[OLD.product_id]);
  RETURN NULL;
END $$;
CREATE TRIGGER touch_product_before AFTER UPDATE OF location_id, product_id ON product_stock
  FOR EACH ROW WHEN (OLD.location_id <> NEW.location_id OR OLD.product_id <> NEW.product_id)
  EXECUTE FUNCTION touch_product_before();

-- Called for changes of columns that packages/db/src/tables marks as `shownElsewhere`.
CREATE FUNCTION touched_by_categories(p_locations uuid[], p_categories uuid[]) RETURNS void LANGUAGE plpgsql STRICT AS $$
BEGIN
  PERFORM touch_products(array_agg(l.location_id), array_agg(l.product_id))
  FROM unnest(p_locations, p_categories) AS w (location_id, id) CROSS JOIN LATERAL (
    SELECT * FROM product_categories c WHERE c.location_id = w.location_id AND c.category_id = w.id) l;
END $$;

CREATE FUNCTION touched_by_products(p_locations uuid[], p_products uuid[]) RETURNS void LANGUAGE plpgsql STRICT AS $$
DECLARE
  v_announced timestamptz := announce_change();
  v_places tid[];
BEGIN
  SELECT array_agg(l.place) INTO v_places
  FROM (SELECT * FROM unnest(p_locations, p_products) AS v (location_id, id) ORDER BY 1, 2) w
  CROSS JOIN LATERAL (SELECT s.ctid AS place FROM product_stock s
    WHERE s.location_id = w.location_id AND s.product_id = w.id AND s.updated_at + interval '0' < v_announced FOR NO KEY UPDATE) l;
  IF v_places IS NOT NULL THEN
    UPDATE product_stock s SET updated_at = clock_timestamp() WHERE s.ctid = ANY (v_places);
  END IF;
END $$;

-- Records each deletion from a list, by the service or by hand: announced and stamped as rows are, so that its readers
-- miss no deletion either. An id that comes back keeps its note: readers pass it by while the row is there. The notes
-- of a deleted location are never read.
CREATE FUNCTION keep_deletions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM old_rows) AND NOT keeps_moments(TG_RELID) THEN
    PERFORM announce_change();
    INSERT INTO internal.deleted_records (location_id, resource, deleted_at, id)
    SELECT o.location_id, TG_ARGV[0], date_trunc('milliseconds', clock_timestamp()), o.id FROM old_rows o
    WHERE (SELECT l.id FROM locations l WHERE l.id = o.location_id) IS NOT NULL
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION keep_former_id() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  PERFORM announce_change();
  INSERT INTO internal.deleted_records (location_id, resource, deleted_at, id)
  VALUES (OLD.location_id, TG_ARGV[0], date_trunc('milliseconds', clock_timestamp()), OLD.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
