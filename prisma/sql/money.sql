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

-- A move of a payment, with its entry in the audit: one call, one transaction. `previous` is the status it was found in, NULL
-- when there is no such payment; it has moved when that was pending. Its order is locked first, as whoever cancels it does:
-- it changes, too (changes.sql).
CREATE FUNCTION move_payment(
  p_location uuid, p_payment uuid, p_next payment_status, p_operation text, p_request_id text, p_api_key uuid,
  p_client_address text, OUT previous payment_status, OUT response text
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('comanda.request_id', p_request_id, true), refuse_unless_active(p_location);
  PERFORM FROM orders o WHERE o.location_id = p_location
    AND o.id = (SELECT p.order_id FROM payments p WHERE p.location_id = p_location AND p.id = p_payment) FOR NO KEY UPDATE;
  SELECT p.status INTO previous FROM payments p WHERE p.location_id = p_location AND p.id = p_payment FOR NO KEY UPDATE;
  IF previous = 'pending' THEN
    UPDATE payments p SET status = p_next WHERE p.location_id = p_location AND p.id = p_payment;
    INSERT INTO audit_entries (location_id, actor_kind, api_key_id, request_id, client_address, operation, resource_id, changes)
    VALUES (p_location, 'api_key', p_api_key, current_request_id(), p_client_address, p_operation, p_payment,
      jsonb_build_object('before', jsonb_build_object('status', previous), 'after', jsonb_build_object('status', p_next)));
  END IF;
  SELECT j.doc::text INTO response FROM payments_json(p_location, ARRAY[p_payment]) j;
END $$;

CREATE FUNCTION guard_payment_move() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF OLD.status <> 'pending' THEN
    RAISE EXCEPTION 'a payment cannot move from % to %', OLD.status, NEW.status
      USING ERRCODE = 'CM001', DETAIL = OLD.id::text;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_move BEFORE UPDATE OF status ON payments
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION guard_payment_move();

-- A closed turn shows what it was settled with; what is paid later belongs to no settlement.
CREATE FUNCTION turns_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT t.id, '{"id":"' || t.id || '","batch_number":"' || t.batch_number || '","status":"' || t.status
    || '","started_at":"' || wire_time(t.started_at, l.timezone) || '"' || coalesce(',"ended_at":"' || wire_time(t.ended_at, l.timezone) || '"', '')
    || coalesce(',"total_orders":' || s.total_orders || ',"total_collected":' || trim_scale(s.total_collected), (
      SELECT ',"total_orders":' || count(*) || ',"total_collected":'
        || trim_scale(coalesce(sum(p.amount) FILTER (WHERE p.status = 'completed'), 0))
      FROM orders o
      CROSS JOIN LATERAL (SELECT * FROM payments p WHERE p.location_id = o.location_id AND p.order_id = o.id LIMIT 1) p
      WHERE o.location_id = t.location_id AND o.turn_id = t.id)) || '}'
  FROM turns t
  JOIN locations l ON l.id = t.location_id
  LEFT JOIN settlements s ON s.location_id = t.location_id AND s.turn_id = t.id
  WHERE t.location_id = location AND t.id = ANY (ids)
$$;

-- Shared by each order from the moment at which it asks for the open turn, taken alone by who closes that: it is queued
-- for in order, so that closing waits for the orders under way and for no other.
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

-- Closing settles: the totals as they stand once the turn's lock is held, which orders under way share. One
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
    average_ticket, payments, orders)
  SELECT n.location_id, n.id, n.batch_number, n.started_at, n.ended_at, t.total,
    p.amount, average_money(p.amount, p.paid), p.methods,
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
    SELECT coalesce(sum(m.amount), 0) AS amount, coalesce(sum(m.paid), 0)::bigint AS paid,
      coalesce(jsonb_agg(jsonb_build_object('method', m.type, 'count', m.paid, 'amount', trim_scale(m.amount))
        ORDER BY m.type), '[]') AS methods
    FROM (
      SELECT pm.type, count(*) AS paid, sum(pay.amount) AS amount
      FROM orders ord
      CROSS JOIN LATERAL (
        SELECT * FROM payments p WHERE p.location_id = ord.location_id AND p.order_id = ord.id LIMIT 1) pay
      CROSS JOIN LATERAL (
        SELECT * FROM payment_methods m WHERE m.location_id = pay.location_id AND m.id = pay.payment_method_id LIMIT 1) pm
      WHERE ord.location_id = n.location_id AND ord.turn_id = n.id AND pay.status = 'completed'
      GROUP BY pm.type
    ) m
  ) p
  WHERE o.status = 'open' AND n.status = 'closed';
  RETURN NULL;
END $$;
-- After capture_update in the order of names: a consumer hears of the turn first.
CREATE TRIGGER settle_closed AFTER UPDATE ON turns
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION settle_closed_turns();

-- A sum divided by how many it is made of: 2 decimals, half away from zero, 0 when there are none. Whole
-- numbers inside, so that no quotient is cut before it is rounded. Amounts are never negative.
CREATE FUNCTION average_money(amount numeric, n bigint) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN n = 0 THEN 0 ELSE div(amount * 200 + n, 2 * n::numeric) * 0.01 END
$$;
