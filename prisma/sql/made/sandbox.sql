-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

-- Removes at most p_most rows, children before what they name, and gives how many. Orders name methods and turns: what is
-- placed meanwhile is removed once the lock of the turn, which each order takes after the stock, keeps further ones out.
-- Along the primary key, whatever the planner knows.
CREATE FUNCTION remove_sandbox_rows(p_location uuid, p_most int) RETURNS int
LANGUAGE plpgsql SET search_path = public, internal, pg_temp SET enable_sort = off SET enable_seqscan = off AS $$
DECLARE
  removed int;
  room int := p_most;
BEGIN
  DELETE FROM orders WHERE ctid = ANY (ARRAY(SELECT ctid FROM orders
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE));
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  DELETE FROM categories WHERE ctid = ANY (ARRAY(SELECT ctid FROM categories
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE));
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  DELETE FROM menus WHERE ctid = ANY (ARRAY(SELECT ctid FROM menus
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE));
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  DELETE FROM products WHERE ctid = ANY (ARRAY(SELECT ctid FROM products
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE));
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;

  PERFORM pg_advisory_xact_lock(turn_lock(p_location));

  DELETE FROM orders WHERE ctid = ANY (ARRAY(SELECT ctid FROM orders
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE));
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  DELETE FROM payment_methods WHERE ctid = ANY (ARRAY(SELECT ctid FROM payment_methods
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE));
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  DELETE FROM turns WHERE ctid = ANY (ARRAY(SELECT ctid FROM turns
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE));
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  DELETE FROM sync_jobs WHERE ctid = ANY (ARRAY(SELECT ctid FROM sync_jobs
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE));
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  DELETE FROM internal.idempotency_keys WHERE ctid = ANY (ARRAY(SELECT ctid FROM internal.idempotency_keys
    WHERE location_id = p_location AND operation <> 'sandbox.reset'
    ORDER BY location_id, api_key_id, operation, key LIMIT room FOR UPDATE));
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  RETURN p_most - room;
END $$;
