-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

-- Removes at most p_most rows, children before what they name, and gives how many. Orders name methods and turns: what is
-- placed meanwhile is removed once the lock of the turn, which each order takes after the stock, keeps further ones
-- out. Along the primary key, for any estimate of the planner. A row is locked before the statement that removes it
-- begins: one that was changed meanwhile has another place, which the snapshot of the statement that waited for it does
-- not show.
CREATE FUNCTION remove_sandbox_rows(p_location uuid, p_most int) RETURNS int
LANGUAGE plpgsql SET search_path = public, internal, pg_temp SET enable_sort = off SET enable_seqscan = off AS $$
DECLARE
  removed int;
  places tid[];
  room int := p_most;
BEGIN
  SELECT array_agg(r.ctid) INTO places FROM (SELECT ctid FROM orders
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE) r;
  DELETE FROM orders WHERE ctid = ANY (places);
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  SELECT array_agg(r.ctid) INTO places FROM (SELECT ctid FROM categories
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE) r;
  DELETE FROM categories WHERE ctid = ANY (places);
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  SELECT array_agg(r.ctid) INTO places FROM (SELECT ctid FROM menus
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE) r;
  DELETE FROM menus WHERE ctid = ANY (places);
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  SELECT array_agg(r.ctid) INTO places FROM (SELECT ctid FROM products
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE) r;
  DELETE FROM products WHERE ctid = ANY (places);
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  SELECT array_agg(r.ctid) INTO places FROM (SELECT ctid FROM price_changes
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE) r;
  DELETE FROM price_changes WHERE ctid = ANY (places);
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;

  PERFORM pg_advisory_xact_lock(turn_lock(p_location));

  SELECT array_agg(r.ctid) INTO places FROM (SELECT ctid FROM orders
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE) r;
  DELETE FROM orders WHERE ctid = ANY (places);
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  SELECT array_agg(r.ctid) INTO places FROM (SELECT ctid FROM payment_methods
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE) r;
  DELETE FROM payment_methods WHERE ctid = ANY (places);
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  SELECT array_agg(r.ctid) INTO places FROM (SELECT ctid FROM turns
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE) r;
  DELETE FROM turns WHERE ctid = ANY (places);
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  SELECT array_agg(r.ctid) INTO places FROM (SELECT ctid FROM sync_jobs
    WHERE location_id = p_location
    ORDER BY location_id, id LIMIT room FOR UPDATE) r;
  DELETE FROM sync_jobs WHERE ctid = ANY (places);
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  SELECT array_agg(r.ctid) INTO places FROM (SELECT ctid FROM internal.idempotency_keys
    WHERE location_id = p_location AND operation <> 'sandbox.reset'
    ORDER BY location_id, api_key_id, operation, key LIMIT room FOR UPDATE) r;
  DELETE FROM internal.idempotency_keys WHERE ctid = ANY (places);
  GET DIAGNOSTICS removed = ROW_COUNT;
  room := room - removed;
  IF room = 0 THEN RETURN p_most; END IF;
  RETURN p_most - room;
END $$;
