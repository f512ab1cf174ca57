-- Money: payments, and turns that are settled where they are closed, so that closing by hand settles, too.

-- JSON as text, put together without json_build_object, which costs twice as much.
CREATE FUNCTION payments_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT p.id, '{"id":"' || p.id || '","order_id":"' || p.order_id || '","payment_method_id":"' || p.payment_method_id
    || '","method":"' || m.type || '","amount":' || trim_scale(p.amount) || ',"status":"' || p.status
    || '","created_at":"' || wire_time(p.created_at, l.timezone) || '","updated_at":"' || wire_time(p.updated_at, l.timezone) || '"}'
  FROM payments p
  JOIN payment_methods m ON m.location_id = p.location_id AND m.id = p.payment_method_id
  JOIN locations l ON l.id = p.location_id
  WHERE p.location_id = location AND p.id = ANY (ids)
$$;

-- The books (docs/design/orders-and-batches.md, "Entries of settlements"): every payment that is completed is collected
-- by one turn, the one that is open then, else the next that opens. settlement_entries has it, and what is taken off
-- later: a correction, when a deed moves a payment back, and a refund. A writer of an entry shares the turn's lock;
-- closing and opening a turn take that lock exclusively. So no entry comes into a turn that is closed.

-- Gives an entry its turn, within the transaction of what it records. An import may bring entries of older turns.
CREATE FUNCTION place_entry() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF keeps_moments(TG_RELID) THEN
    RETURN NEW;
  ELSIF current_setting('transaction_isolation') <> 'read committed' THEN
    -- An older snapshot would miss the turn that the lock was waited for.
    RAISE EXCEPTION 'a payment is completed, moved back or refunded in a transaction that is READ COMMITTED'
      USING ERRCODE = 'CM007', DETAIL = NEW.payment_id::text;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(turn_lock(NEW.location_id));
  NEW.turn_id := (SELECT t.id FROM turns t WHERE t.location_id = NEW.location_id AND t.status = 'open');
  RETURN NEW;
END $$;
CREATE TRIGGER place_entry BEFORE INSERT ON settlement_entries
  FOR EACH ROW WHEN (NEW.turn_id IS NULL) EXECUTE FUNCTION place_entry();

CREATE FUNCTION book_entry(
  p_location uuid, p_order uuid, p_payment uuid, p_kind settlement_entry_kind, p_amount numeric, p_reason text, p_person text,
  p_moment timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_microseconds bigint;
BEGIN
  -- Lists read entries by id, and uuid_v7 orders by milliseconds: a correction and the entry after it are made in less.
  v_microseconds := extract(epoch FROM clock_timestamp()) * 1000000;
  INSERT INTO settlement_entries (location_id, id, order_id, payment_id, kind, amount, reason, person, created_at)
  VALUES (p_location,
    encode(overlay(uuid_send(gen_random_uuid()) PLACING int8send((v_microseconds / 1000 << 16) | 28672 | v_microseconds % 1000 * 4)
      FROM 1 FOR 8), 'hex')::uuid,
    p_order, p_payment, p_kind, p_amount, p_reason, p_person, p_moment);
END $$;

-- The amount collected of a payment: its amount once it is completed, nothing before. `known` is false where no entry
-- has it: it was completed before there were entries, or imported.
CREATE FUNCTION collected_of(location uuid, payment uuid, OUT known boolean, OUT collected numeric, OUT refunded numeric)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT count(*) > 0, coalesce(sum(e.amount) FILTER (WHERE e.kind <> 'refund'), 0), -coalesce(sum(e.amount) FILTER (WHERE e.kind = 'refund'), 0)
  FROM settlement_entries e WHERE e.location_id = location AND e.payment_id = payment
$$;

-- Imports bring the entries of what they bring, or none. Some of the history of a demo was paid before its books.
CREATE FUNCTION book_payment() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  books record;
BEGIN
  IF TG_OP = 'INSERT' AND (coalesce(declared_deed(), '') ~ '^(import|transfer):'
    OR by_service() AND current_setting('comanda.before_books', true) = 'true') THEN
    RETURN NULL;
  ELSIF TG_OP = 'UPDATE' AND OLD.status = 'pending' AND captures_itself() THEN
    -- Of many requests at once: move_payment_batch.
    RETURN NULL;
  ELSIF TG_OP = 'INSERT' OR OLD.status <> 'completed' THEN
    PERFORM book_entry(NEW.location_id, NEW.order_id, NEW.id, 'payment', NEW.amount, NULL, NULL, NEW.updated_at);
    RETURN NULL;
  END IF;
  SELECT * INTO books FROM collected_of(NEW.location_id, NEW.id);
  IF books.refunded > (CASE NEW.status WHEN 'completed' THEN NEW.amount ELSE 0 END) THEN
    RAISE EXCEPTION 'of this payment % was given back, so it stays completed, with that amount or more', books.refunded
      USING ERRCODE = 'CM008', DETAIL = NEW.id::text;
  ELSIF books.known THEN
    PERFORM book_entry(NEW.location_id, NEW.order_id, NEW.id, 'correction', -OLD.amount, left(reason_of(declared_deed()), 500), NULL,
      NEW.updated_at);
    IF NEW.status = 'completed' THEN
      PERFORM book_entry(NEW.location_id, NEW.order_id, NEW.id, 'payment', NEW.amount, NULL, NULL, NEW.updated_at);
    END IF;
  END IF;
  RETURN NULL;
END $$;

-- Before the row gets its moment, which its entry has, too: at that moment the turn of the entry is open.
CREATE FUNCTION hold_turn() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(turn_lock(NEW.location_id));
  RETURN NEW;
END $$;
CREATE TRIGGER hold_turn_new BEFORE INSERT ON payments
  FOR EACH ROW WHEN (NEW.status = 'completed') EXECUTE FUNCTION hold_turn();
CREATE TRIGGER hold_turn BEFORE UPDATE OF status, amount ON payments
  FOR EACH ROW WHEN ((OLD.status = 'completed' OR NEW.status = 'completed') AND (OLD.status, OLD.amount) IS DISTINCT FROM (NEW.status, NEW.amount))
  EXECUTE FUNCTION hold_turn();

CREATE TRIGGER book_new AFTER INSERT ON payments
  FOR EACH ROW WHEN (NEW.status = 'completed') EXECUTE FUNCTION book_payment();
CREATE TRIGGER book AFTER UPDATE OF status, amount ON payments
  FOR EACH ROW WHEN ((OLD.status = 'completed' OR NEW.status = 'completed') AND (OLD.status, OLD.amount) IS DISTINCT FROM (NEW.status, NEW.amount))
  EXECUTE FUNCTION book_payment();

-- Payments collected while no turn was open belong to the next turn.
CREATE FUNCTION collect_waiting() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  v_moment timestamptz;
BEGIN
  IF keeps_moments(TG_RELID) THEN
    RETURN NULL;
  ELSIF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'a turn is opened in a transaction that is READ COMMITTED' USING ERRCODE = 'CM007', DETAIL = NEW.id::text;
  END IF;
  PERFORM pg_advisory_xact_lock(turn_lock(NEW.location_id));
  -- One moment for all: readers of changes look for the first after the one from which on they read.
  PERFORM announce_change();
  v_moment := date_trunc('milliseconds', clock_timestamp());
  UPDATE settlement_entries e SET turn_id = NEW.id, placed_at = v_moment WHERE e.location_id = NEW.location_id AND e.turn_id IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER collect_waiting AFTER INSERT ON turns
  FOR EACH ROW WHEN (NEW.status = 'open') EXECUTE FUNCTION collect_waiting();

-- Moves payments of one location, with their entries in the audit, in one transaction, as if they were moved one after
-- the other; no two of them are the same payment. `previous` is the status that one was found in, NULL when there is no
-- such payment; it has moved when that was pending. Orders are locked first, as a cancellation does: they change, too
-- (changes.sql). The turn's lock comes before both: a session that waits for it holds no row.
CREATE FUNCTION move_payment_batch(p_location uuid, p_alone boolean, p_batch jsonb)
RETURNS TABLE (place int, previous payment_status, response text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- A call in an assignment starts no statement, as PERFORM does.
  v_setting text;
  batch record;
  v_announced timestamptz;
  -- The payments found, in the order of their ids: the indexes of the moves from 1 on, and the status of each
  -- payment.
  v_found int[];
  v_statuses payment_status[];
  -- The payments that move.
  v_moved int[];
  v_places tid[];
  v_nexts payment_status[];
  v_orders uuid[];
BEGIN
  -- Other requests of the location queue behind these, so a row that another transaction holds is not waited for long.
  v_setting := set_config('lock_timeout', lock_wait(p_alone), true);
  v_setting := refuse_unless_active(p_location);
  v_setting := pg_advisory_xact_lock_shared(turn_lock(p_location));
  SELECT b.*, o.* INTO batch
  -- The moves, an array a column, in the order of their arrival; a request's id has its place in a trace behind a space.
  FROM jsonb_to_record(p_batch) AS b (payments uuid[], nexts payment_status[], operations text[], request_ids text[], api_keys uuid[],
    client_addresses text[], seeds uuid[])
  -- All orders, with their row locations: neither can change while the orders are locked.
  CROSS JOIN LATERAL (SELECT array_agg(l.id) AS orders, array_agg(l.place) AS order_places FROM (
      SELECT p.order_id FROM unnest(b.payments) AS v (id)
      CROSS JOIN LATERAL (SELECT p.order_id FROM payments p WHERE p.location_id = p_location AND p.id = v.id LIMIT 1) p ORDER BY 1) w
    CROSS JOIN LATERAL (
      SELECT o.id, o.ctid AS place FROM orders o WHERE o.location_id = p_location AND o.id = w.order_id FOR NO KEY UPDATE) l) o;
  SELECT array_agg(w.n), array_agg(l.status), array_agg(w.n) FILTER (WHERE l.status = 'pending'),
    array_agg(l.place) FILTER (WHERE l.status = 'pending'), array_agg(w.next) FILTER (WHERE l.status = 'pending'),
    array_agg(l.order_id) FILTER (WHERE l.status = 'pending')
  INTO v_found, v_statuses, v_moved, v_places, v_nexts, v_orders
  FROM (SELECT v.n::int, v.id, v.next FROM unnest(batch.payments, batch.nexts) WITH ORDINALITY AS v (id, next, n) ORDER BY v.id) w
  CROSS JOIN LATERAL (
    SELECT p.status, p.order_id, p.ctid AS place FROM payments p
    WHERE p.location_id = p_location AND p.id = w.id FOR NO KEY UPDATE) l;

  IF v_moved IS NOT NULL THEN
    -- From here on the function publishes, books and touches by itself in place of the triggers: each of them
    -- for its own request.
    v_setting := set_config('comanda.told', by_service()::text, true);
    UPDATE payments p SET status = w.next FROM unnest(v_places, v_nexts) AS w (place, next) WHERE p.ctid = w.place;
    IF current_setting('comanda.told') = 'true' THEN
      v_announced := announce_change();
      UPDATE orders o SET updated_at = clock_timestamp() FROM unnest(batch.orders, batch.order_places) AS w (id, place)
      WHERE o.ctid = w.place AND w.id = ANY (v_orders) AND o.updated_at + interval '0' < v_announced;
      INSERT INTO settlement_entries (location_id, order_id, payment_id, kind, amount, created_at, created_by, request_id)
      SELECT p_location, p.order_id, p.id, 'payment', p.amount, p.updated_at, batch.api_keys[m.n],
        nullif(split_part(batch.request_ids[m.n], ' ', 1), '')
      FROM unnest(v_moved, v_nexts) AS m (n, next)
      CROSS JOIN LATERAL (SELECT * FROM payments p WHERE p.location_id = p_location AND p.id = batch.payments[m.n] LIMIT 1) p
      WHERE m.next = 'completed' ORDER BY m.n;
      INSERT INTO internal.captured_changes (location_id, seed, resource, operation, changed, resource_ids, before, after, request_id, traceparent)
      SELECT p_location, batch.seeds[m.n], c.resource, 'update', c.changed, c.ids, c.before, c.after,
        nullif(split_part(batch.request_ids[m.n], ' ', 1), ''), nullif(split_part(batch.request_ids[m.n], ' ', 2), '')
      FROM unnest(v_moved, v_orders) AS m (n, order_id)
      CROSS JOIN LATERAL (VALUES
        (1, 'order', '{payment}'::text[], ARRAY[m.order_id], NULL::jsonb[], NULL::jsonb[]),
        (2, 'payment', '{status}', ARRAY[batch.payments[m.n]], ARRAY[jsonb_build_object('status', 'pending')],
          ARRAY[jsonb_build_object('status', batch.nexts[m.n])])) c (line, resource, changed, ids, before, after)
      ORDER BY m.n, c.line;
      v_setting := set_config('comanda.told', '', true);
    END IF;
    INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, client_address, operation, resource_id, changes)
    SELECT p_location, 'api_key', batch.api_keys[n], nullif(split_part(batch.request_ids[n], ' ', 1), ''), batch.client_addresses[n], batch.operations[n],
      batch.payments[n],
      jsonb_build_object('before', jsonb_build_object('status', 'pending'), 'after', jsonb_build_object('status', batch.nexts[n]))
    FROM unnest(v_moved) AS n ORDER BY n;
  END IF;
  RETURN QUERY SELECT v.n::int, f.status, j.doc
  FROM unnest(batch.payments) WITH ORDINALITY AS v (id, n)
  LEFT JOIN unnest(v_found, v_statuses) AS f (n, status) ON f.n = v.n
  LEFT JOIN LATERAL payments_json(p_location, ARRAY[v.id]) j ON true;
END $$;

-- Records that money was given back: nothing is paid by it. `previous` is the payment's status, NULL when there is no such payment;
-- `left_over` is what was left of it before. It is recorded when the payment is completed and as much is left.
CREATE FUNCTION refund_payment(
  p_location uuid, p_payment uuid, p_amount numeric, p_reason text, p_person text, p_operation text, p_request_id text,
  p_api_key uuid, p_client_address text, OUT previous payment_status, OUT left_over numeric, OUT response text
) LANGUAGE plpgsql AS $$
DECLARE
  payment payments;
BEGIN
  PERFORM set_config('comanda.request_id', p_request_id, true), set_config('comanda.api_key_id', p_api_key::text, true),
    refuse_unless_active(p_location);
  PERFORM pg_advisory_xact_lock_shared(turn_lock(p_location));
  -- Before its payment, as a cancellation does.
  PERFORM FROM orders o WHERE o.location_id = p_location AND o.id = (
    SELECT p.order_id FROM payments p WHERE p.location_id = p_location AND p.id = p_payment) FOR NO KEY UPDATE;
  SELECT * INTO payment FROM payments p WHERE p.location_id = p_location AND p.id = p_payment FOR NO KEY UPDATE;
  previous := payment.status;
  left_over := payment.amount - (SELECT c.refunded FROM collected_of(p_location, p_payment) c);
  IF previous = 'completed' AND p_amount <= left_over THEN
    PERFORM book_entry(p_location, payment.order_id, p_payment, 'refund', -p_amount, p_reason, p_person,
      date_trunc('milliseconds', clock_timestamp()));
    UPDATE payments p SET updated_at = clock_timestamp() WHERE p.location_id = p_location AND p.id = p_payment;
    -- With include=payments its order shows that moment.
    PERFORM touch_orders(ARRAY[p_location], ARRAY[payment.order_id]);
    INSERT INTO internal.captured_changes (location_id, resource, operation, changed, resource_ids)
    VALUES (p_location, 'payment', 'update', '{refunds}', ARRAY[p_payment]);
    INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, client_address, operation, resource_id, changes)
    VALUES (p_location, 'api_key', p_api_key, current_request_id(), p_client_address, p_operation, p_payment,
      jsonb_build_object('before', NULL, 'after', jsonb_build_object('amount', p_amount, 'reason', p_reason, 'person', p_person)));
  END IF;
  SELECT left(j.doc, -1) || payment_books(p_location, p_payment) || '}' INTO response FROM payments_json(p_location, ARRAY[p_payment]) j;
END $$;

-- Another payment of an order takes the place of the rejected one, for every writer: the order shows it, with its method. One of an order
-- whose payment is not rejected breaks the key (location_id, order_id, replaced). place_order_batch makes first payments alone.
CREATE FUNCTION follow_payment() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  ordered orders;
BEGIN
  IF captures_itself() OR keeps_moments(TG_RELID) THEN
    RETURN NEW;
  ELSIF NEW.replaced <> 0 THEN
    IF deed_passes(TG_RELID, 'order', session_user) THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a new payment is the one of its order: leave out replaced' USING ERRCODE = 'CM008', DETAIL = NEW.id::text;
  END IF;
  SELECT * INTO ordered FROM orders o WHERE o.location_id = NEW.location_id AND o.id = NEW.order_id FOR NO KEY UPDATE;
  UPDATE payments p SET replaced = 1 + (
    SELECT max(m.replaced) FROM payments m WHERE m.location_id = NEW.location_id AND m.order_id = NEW.order_id)
  WHERE p.location_id = NEW.location_id AND p.order_id = NEW.order_id AND p.replaced = 0 AND p.status = 'rejected';
  IF NOT FOUND THEN
    RETURN NEW;
  ELSIF NOT deed_passes(TG_RELID, 'order', session_user) THEN
    IF ordered.status = 'canceled' OR ordered.number < 0 THEN
      RAISE EXCEPTION 'only an order that has its number and is not canceled gets another payment' USING ERRCODE = 'CM008', DETAIL = NEW.id::text;
    ELSIF NEW.amount <> ordered.total THEN
      RAISE EXCEPTION 'a payment has the total of its order, %', ordered.total USING ERRCODE = 'CM008', DETAIL = NEW.id::text;
    END IF;
  END IF;
  UPDATE orders o SET payment_method_id = NEW.payment_method_id, updated_at = clock_timestamp()
  WHERE o.location_id = NEW.location_id AND o.id = NEW.order_id;
  INSERT INTO internal.captured_changes (location_id, resource, operation, changed, resource_ids)
  VALUES (NEW.location_id, 'order', 'update', '{payment}', ARRAY[NEW.order_id]);
  RETURN NEW;
END $$;
CREATE TRIGGER follow BEFORE INSERT ON payments FOR EACH ROW EXECUTE FUNCTION follow_payment();

-- Another payment of an order, after one that was rejected. `order_status` is NULL when there is no such order, `previous` is the status of
-- its payment, `enabled` is NULL when there is no such method. It is made when these allow it.
CREATE FUNCTION add_payment(
  p_location uuid, p_order uuid, p_method uuid, p_operation text, p_request_id text, p_api_key uuid, p_client_address text,
  OUT order_status order_status, OUT previous payment_status, OUT enabled boolean, OUT response text
) LANGUAGE plpgsql AS $$
DECLARE
  v_total numeric;
  v_payment uuid;
BEGIN
  PERFORM set_config('comanda.request_id', p_request_id, true), set_config('comanda.api_key_id', p_api_key::text, true),
    refuse_unless_active(p_location);
  SELECT o.status, o.total INTO order_status, v_total FROM orders o
  WHERE o.location_id = p_location AND o.id = p_order FOR NO KEY UPDATE;
  SELECT p.status INTO previous FROM payments p WHERE p.location_id = p_location AND p.order_id = p_order AND p.replaced = 0;
  SELECT m.enabled INTO enabled FROM payment_methods m WHERE m.location_id = p_location AND m.id = p_method FOR KEY SHARE;
  IF order_status <> 'canceled' AND previous = 'rejected' AND enabled THEN
    INSERT INTO payments (location_id, order_id, payment_method_id, amount) VALUES (p_location, p_order, p_method, v_total)
    RETURNING id INTO v_payment;
    INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, client_address, operation, resource_id, changes)
    VALUES (p_location, 'api_key', p_api_key, current_request_id(), p_client_address, p_operation, v_payment,
      jsonb_build_object('before', NULL, 'after', jsonb_build_object('order_id', p_order, 'payment_method_id', p_method)));
    SELECT j.doc INTO response FROM payments_json(p_location, ARRAY[v_payment]) j;
  END IF;
END $$;

-- The payments of an order, oldest first, as `include=payments` adds them to it.
CREATE FUNCTION order_payments(location uuid, ordered uuid) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ',"payments":[' || string_agg(j.doc, ',' ORDER BY nullif(p.replaced, 0)) || ']'
  FROM payments p CROSS JOIN LATERAL payments_json(p.location_id, ARRAY[p.id]) j
  WHERE p.location_id = location AND p.order_id = ordered
$$;

-- The fields that `include=books` adds to a payment: the turn and the settlement that collect it, when it was
-- completed, the amount that the next turn will collect, and the amount refunded. `::text` keeps the index of completions out.
CREATE FUNCTION payment_books(location uuid, payment uuid) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce((
      SELECT coalesce(',"turn_id":"' || e.turn_id || '"', '') || coalesce(',"settlement_id":"' || s.id || '"', '')
        || ',"completed_at":"' || wire_time(e.created_at, l.timezone) || '"'
      FROM payments p
      JOIN LATERAL (SELECT * FROM settlement_entries e WHERE e.location_id = p.location_id AND e.payment_id = p.id AND e.kind::text = 'payment'
        ORDER BY e.id DESC LIMIT 1) e ON true
      JOIN locations l ON l.id = p.location_id
      LEFT JOIN settlements s ON s.location_id = e.location_id AND s.turn_id = e.turn_id
      WHERE p.location_id = location AND p.id = payment AND p.status = 'completed'), '')
    || coalesce((SELECT ',"unsettled":' || trim_scale(sum(e.amount)) FROM settlement_entries e
      WHERE e.location_id = location AND e.payment_id = payment AND e.turn_id IS NULL AND e.kind <> 'refund'), '')
    || coalesce((SELECT ',"refunded":' || trim_scale(c.refunded) FROM collected_of(location, payment) c WHERE c.refunded > 0), '')
$$;

-- The same for an order: its own turn, that turn's settlement, and when its payment was completed.
CREATE FUNCTION order_books(location uuid, ordered uuid) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(',"turn_id":"' || o.turn_id || '"', '') || coalesce(',"settlement_id":"' || s.id || '"', '')
    || coalesce(',"completed_at":"' || wire_time(e.created_at, l.timezone) || '"', '')
  FROM orders o
  JOIN locations l ON l.id = o.location_id
  LEFT JOIN settlements s ON s.location_id = o.location_id AND s.turn_id = o.turn_id
  LEFT JOIN LATERAL (
    SELECT * FROM payments p WHERE p.location_id = o.location_id AND p.order_id = o.id AND p.status = 'completed' LIMIT 1) p ON true
  LEFT JOIN LATERAL (SELECT * FROM settlement_entries e WHERE e.location_id = p.location_id AND e.payment_id = p.id AND e.kind::text = 'payment'
    ORDER BY e.id DESC LIMIT 1) e ON true
  WHERE o.location_id = location AND o.id = ordered
$$;

CREATE FUNCTION guard_payment_move() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF OLD.status = 'pending' THEN
    RETURN NEW;
  ELSIF NOT deed_passes(TG_RELID, 'moves') THEN
    RAISE EXCEPTION 'a payment cannot move from % to %', OLD.status, NEW.status
      USING ERRCODE = 'CM001', DETAIL = OLD.id::text, HINT = deed_hint('moves');
  ELSIF NEW.status = 'pending' AND EXISTS (
    SELECT FROM orders o WHERE o.location_id = NEW.location_id AND o.id = NEW.order_id AND o.status = 'canceled') THEN
    RAISE EXCEPTION 'the payment of a canceled order is not pending: move it to rejected, or move the order back first'
      USING ERRCODE = 'CM008', DETAIL = OLD.id::text;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_move BEFORE UPDATE OF status ON payments
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION guard_payment_move();

-- A closed turn shows what it was settled with; an open one what it has collected so far.
CREATE FUNCTION turns_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT t.id, '{"id":"' || t.id || '","batch_number":"' || t.batch_number || '","status":"' || t.status
    || '","started_at":"' || wire_time(t.started_at, l.timezone) || '"' || coalesce(',"ended_at":"' || wire_time(t.ended_at, l.timezone) || '"', '')
    || coalesce(',"total_orders":' || s.total_orders || ',"total_collected":' || trim_scale(s.total_collected),
      ',"total_orders":' || (SELECT count(*) FROM orders o WHERE o.location_id = t.location_id AND o.turn_id = t.id)
        || ',"total_collected":' || (SELECT trim_scale(coalesce(sum(e.amount), 0)) FROM settlement_entries e
          WHERE e.location_id = t.location_id AND e.turn_id = t.id AND e.kind <> 'refund')) || '}'
  FROM turns t
  JOIN locations l ON l.id = t.location_id
  LEFT JOIN settlements s ON s.location_id = t.location_id AND s.turn_id = t.id
  WHERE t.location_id = location AND t.id = ANY (ids)
$$;

-- Shared by each order and each entry from the moment at which it asks for the open turn, taken exclusively to close or open one: it
-- is queued for in order, so that closing waits for what is under way and for no other.
CREATE FUNCTION turn_lock(location uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtextextended('turn' || location::text, 0)
$$;

-- A turn that is opened by hand gets the next number, and begins now. An import brings others, closed ones too.
CREATE FUNCTION guard_new_turn() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  next int;
BEGIN
  IF by_service() THEN
    RETURN NEW;
  ELSIF deed_passes(TG_RELID, 'order', session_user) THEN
    IF NEW.batch_number > 1000000000 THEN
      RAISE EXCEPTION 'the number of a turn is at most 1000000000' USING ERRCODE = 'check_violation', DETAIL = NEW.id::text;
    END IF;
    RETURN NEW;
  END IF;
  INSERT INTO internal.location_counters AS c (location_id, name, value)
  SELECT NEW.location_id, 'batch', coalesce(max(t.batch_number), 0) + 1 FROM turns t WHERE t.location_id = NEW.location_id
  ON CONFLICT (location_id, name) DO UPDATE SET value = greatest(c.value + 1, excluded.value) RETURNING c.value INTO next;
  IF coalesce(NEW.batch_number, next) <> next OR NEW.status <> 'open' OR NEW.started_at <> now()::timestamptz(3) THEN
    RAISE EXCEPTION 'a turn is opened now and gets the next number, %: leave out batch_number, status and started_at '
      '(what is older is imported: select deed(''import: <why>''))', next
      USING ERRCODE = 'CM008', DETAIL = NEW.id::text;
  END IF;
  NEW.batch_number := next;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_new BEFORE INSERT ON turns FOR EACH ROW EXECUTE FUNCTION guard_new_turn();

-- Once the lock is held every order of the turn is committed: it ends after the last of them. It locks as the owner.
CREATE FUNCTION guard_turn_move() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF OLD.status = 'closed' AND NEW.status = 'open' THEN
    RAISE EXCEPTION 'a closed turn cannot be opened again' USING ERRCODE = 'CM001', DETAIL = OLD.id::text;
  END IF;
  IF OLD.status = 'open' AND NEW.status = 'closed' THEN
    PERFORM pg_advisory_xact_lock(turn_lock(OLD.location_id));
  END IF;
  IF NEW.status = 'closed' AND NEW.ended_at IS NULL THEN
    NEW.ended_at := greatest(clock_timestamp(), NEW.started_at);
  ELSIF OLD.status = 'open' AND NEW.status = 'closed' AND NOT service_session() THEN
    -- By hand alone: it reads every order of the turn.
    IF NOT NEW.ended_at BETWEEN greatest(NEW.started_at, (
      SELECT max(o.created_at) FROM orders o WHERE o.location_id = NEW.location_id AND o.turn_id = NEW.id)) AND clock_timestamp() THEN
      RAISE EXCEPTION 'a turn ends after its last order, and not later than now: leave out ended_at'
        USING ERRCODE = 'check_violation', DETAIL = OLD.id::text;
    END IF;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_move BEFORE UPDATE ON turns FOR EACH ROW EXECUTE FUNCTION guard_turn_move();

-- Closing settles: the totals at the moment that the turn's lock is held, which orders under way share. One
-- statement, so one snapshot. A turn that is inserted closed brings its own settlement, or has none.
CREATE FUNCTION settle_closed_turns() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM old_rows o JOIN new_rows n USING (location_id, id)
    WHERE o.status = 'open' AND n.status = 'closed') THEN
    RETURN NULL;
  END IF;
  -- An older snapshot would miss the orders that the lock was waited for.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'a turn is closed in a transaction that is READ COMMITTED' USING ERRCODE = 'CM007';
  END IF;
  INSERT INTO settlements (location_id, turn_id, batch_number, started_at, ended_at, total_orders, total_collected,
    average_ticket, tips, difference, payments, orders)
  SELECT n.location_id, n.id, n.batch_number, n.started_at, n.ended_at, t.total,
    p.amount, average_money(p.amount, p.paid), tips.amount, n.counted - n.starting_cash - cash.amount, p.methods,
    jsonb_build_object('closed', t.closed, 'canceled', t.canceled, 'open', t.open)
  FROM old_rows o
  JOIN new_rows n USING (location_id, id)
  CROSS JOIN LATERAL (
    SELECT count(*) AS total,
      count(*) FILTER (WHERE status = 'closed') AS closed,
      count(*) FILTER (WHERE status = 'canceled') AS canceled,
      count(*) FILTER (WHERE status IN ('pending', 'ready')) AS open
    FROM orders WHERE location_id = n.location_id AND turn_id = n.id
  ) t
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(m.amount), 0) + coalesce(sum(m.corrected), 0) AS amount,
      (coalesce(sum(m.paid), 0) - coalesce(sum(m.corrections), 0))::bigint AS paid,
      coalesce(jsonb_agg(jsonb_build_object('method', m.type, 'count', m.paid, 'amount', trim_scale(m.amount))
        ORDER BY m.type) FILTER (WHERE m.paid > 0), '[]') AS methods
    FROM (
      SELECT pm.type, count(*) FILTER (WHERE e.kind = 'payment') AS paid, sum(e.amount) FILTER (WHERE e.kind = 'payment') AS amount,
        count(*) FILTER (WHERE e.kind = 'correction') AS corrections, sum(e.amount) FILTER (WHERE e.kind = 'correction') AS corrected
      FROM settlement_entries e
      CROSS JOIN LATERAL (SELECT * FROM payments p WHERE p.location_id = e.location_id AND p.id = e.payment_id LIMIT 1) pay
      CROSS JOIN LATERAL (
        SELECT * FROM payment_methods m WHERE m.location_id = pay.location_id AND m.id = pay.payment_method_id LIMIT 1) pm
      WHERE e.location_id = n.location_id AND e.turn_id = n.id AND e.kind <> 'refund'
      GROUP BY pm.type
    ) m
  ) p
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(CASE e.kind WHEN 'payment' THEN 1 ELSE -1 END * (a->>'total')::numeric), 0) AS amount
    FROM settlement_entries e
    CROSS JOIN LATERAL (SELECT * FROM orders o WHERE o.location_id = e.location_id AND o.id = e.order_id LIMIT 1) ordered
    CROSS JOIN LATERAL jsonb_array_elements(ordered.adjustments) a
    WHERE e.location_id = n.location_id AND e.turn_id = n.id AND e.kind <> 'refund' AND a->>'kind' = 'tip'
  ) tips
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(e.amount), 0) AS amount
    FROM settlement_entries e
    CROSS JOIN LATERAL (SELECT * FROM payments p WHERE p.location_id = e.location_id AND p.id = e.payment_id LIMIT 1) pay
    CROSS JOIN LATERAL (
      SELECT * FROM payment_methods m WHERE m.location_id = pay.location_id AND m.id = pay.payment_method_id LIMIT 1) pm
    WHERE n.counted IS NOT NULL AND e.location_id = n.location_id AND e.turn_id = n.id AND pm.type = 'cash'
  ) cash
  WHERE o.status = 'open' AND n.status = 'closed';
  RETURN NULL;
END $$;
-- After capture_update in the order of names: a consumer hears of the turn first.
CREATE TRIGGER settle_closed AFTER UPDATE ON turns
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION settle_closed_turns();

-- A sum divided by how many it is made of: 2 decimals, half away from zero, 0 when there are none. Whole numbers inside, so that no
-- quotient is cut before it is rounded.
CREATE FUNCTION average_money(amount numeric, n bigint) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN n <= 0 THEN 0 ELSE sign(amount) * div(abs(amount) * 200 + n, 2 * n::numeric) * 0.01 END
$$;
