-- A sandbox is emptied in batches, before it gets the demo data anew. Of a location that is none this removes nothing.
--
-- What stays: the location, its keys and endpoints, the counters, so that no number comes twice, and what was told of it:
-- events, their deliveries and the audit. So a cursor of the feed goes on, past the deletions that the feed then shows.
--
-- Two resets take turns, batch by batch, at the lock of the location's bulk writes. p_resets is how many there were when the
-- caller began: once another one is done since, nothing is removed and NULL is given. Else how many rows were removed;
-- when it is less than p_most, there was nothing more.
CREATE FUNCTION empty_sandbox(p_location uuid, p_resets bigint, p_most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp SET enable_sort = off SET enable_seqscan = off AS $$
DECLARE
  said text := coalesce(current_setting('comanda.deed', true), '');
  kind record;
  removed int;
  room int := p_most;
BEGIN
  PERFORM hold_bulk_writes(p_location);
  IF NOT EXISTS (SELECT FROM locations l WHERE l.id = p_location AND l.sandbox) THEN
    RAISE EXCEPTION 'only a sandbox is reset' USING ERRCODE = 'CM008', DETAIL = p_location::text;
  ELSIF p_resets <> sandbox_resets(p_location) THEN
    RETURN NULL;
  END IF;
  PERFORM set_config('comanda.deed', 'purge: reset of the sandbox', true);
  -- The order of locks.sql. Orders name methods and turns: what is placed meanwhile goes once the lock of the turn, which each
  -- order takes after the stock, keeps further ones out. Along the primary key, whatever the planner knows.
  FOR kind IN SELECT * FROM (VALUES
    ('orders', 'id', 'true'), ('categories', 'id', 'true'), ('menus', 'id', 'true'), ('products', 'id', 'true'),
    (NULL, NULL, NULL),
    ('orders', 'id', 'true'), ('turns', 'id', 'true'), ('payment_methods', 'id', 'true'), ('sync_jobs', 'id', 'true'),
    -- A repeat of the reset itself is answered as it was.
    ('internal.idempotency_keys', 'api_key_id, operation, key', 'operation <> ''sandbox.reset''')
  ) k (relation, key, condition)
  LOOP
    EXIT WHEN room = 0;
    IF kind.relation IS NULL THEN
      PERFORM pg_advisory_xact_lock(turn_lock(p_location));
      CONTINUE;
    END IF;
    EXECUTE format('DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE location_id = $1 AND %3$s
      ORDER BY location_id, %2$s LIMIT $2 FOR UPDATE))', kind.relation, kind.key, kind.condition) USING p_location, room;
    GET DIAGNOSTICS removed = ROW_COUNT;
    room := room - removed;
  END LOOP;
  PERFORM set_config('comanda.deed', said, true);
  RETURN p_most - room;
END $$;

-- How often the location was reset.
CREATE FUNCTION sandbox_resets(p_location uuid) RETURNS bigint LANGUAGE sql STABLE
SET search_path = public, internal, pg_temp AS $$
  SELECT coalesce((SELECT c.value FROM internal.location_counters c WHERE c.location_id = p_location AND c.name = 'reset'), 0)
$$;
