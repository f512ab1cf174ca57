-- A sandbox is emptied in batches, before it gets the demo data again. Of a location that is none this removes
-- nothing.
--
-- These stay: the location, its keys and endpoints, the counters, so that no number is used twice, and its published
-- history: events, their deliveries and the audit. So a cursor of the feed goes on, past the deletions that the feed
-- then shows.
--
-- Two resets take turns, batch by batch, at the lock of the location's bulk writes. p_resets is how many there were when the
-- caller began: once another one is done since, nothing is removed and NULL is given. Else how many rows were removed;
-- when it is less than p_most, there was nothing more. Which rows these are, and in which order: made/sandbox.sql.
CREATE FUNCTION empty_sandbox(p_location uuid, p_resets bigint, p_most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  removed int;
BEGIN
  PERFORM hold_bulk_writes(p_location);
  IF NOT EXISTS (SELECT FROM locations l WHERE l.id = p_location AND l.sandbox) THEN
    RAISE EXCEPTION 'only a sandbox is reset' USING ERRCODE = 'CM008', DETAIL = p_location::text;
  ELSIF p_resets <> sandbox_resets(p_location) THEN
    RETURN NULL;
  END IF;
  PERFORM deed('purge: reset of the sandbox');
  removed := remove_sandbox_rows(p_location, p_most);
  PERFORM end_deed();
  RETURN removed;
END $$;

-- How often the location was reset.
CREATE FUNCTION sandbox_resets(p_location uuid) RETURNS bigint LANGUAGE sql STABLE
SET search_path = public, internal, pg_temp AS $$
  SELECT coalesce((SELECT c.value FROM internal.location_counters c WHERE c.location_id = p_location AND c.name = 'reset'), 0)
$$;
