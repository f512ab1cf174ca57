-- Request limits are counted here and spent in the processes, which take a block of requests at a time.

-- Takes requests from the minute and the month of a key: enough for those that wait, and a block, which is what
-- a process may keep from the others: 1 % of the limit, and no more than 100. Takes none of either when one is
-- used up. Times are Unix seconds, by the database's clock unless p_at is given. p_*_held is what the process
-- still holds of the window that ends at p_*_end; "left" is what no process holds.
CREATE FUNCTION lease_limits(
  p_key uuid, p_per_minute int, p_monthly int, p_waiting int, p_process text,
  p_minute_end float8, p_minute_held int, p_month_end float8, p_month_held int, p_at timestamptz,
  OUT now float8, OUT alone boolean,
  OUT minute_start float8, OUT minute_end float8, OUT minute_granted int, OUT minute_left int,
  OUT month_start float8, OUT month_end float8, OUT month_granted int, OUT month_left int
) LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := coalesce(p_at, clock_timestamp());
  v_minute timestamptz := date_trunc('minute', v_now, 'UTC');
  v_month timestamptz := date_trunc('month', v_now, 'UTC');
  v_new int;
  v_minute_held int;
  v_month_held int;
  v_waiting int;
BEGIN
  now := extract(epoch FROM v_now);
  alone := NOT EXISTS (SELECT FROM internal.process_heartbeats h
    WHERE h.kind = 'api' AND h.id <> p_process AND h.seen_at > clock_timestamp() - interval '15 seconds');
  minute_start := extract(epoch FROM v_minute);
  minute_end := minute_start + 60;
  month_start := extract(epoch FROM v_month);
  -- A month has its length in UTC, not in the time zone of the session.
  month_end := extract(epoch FROM (v_month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC');
  v_minute_held := CASE WHEN p_minute_end = minute_end THEN p_minute_held ELSE 0 END;
  v_month_held := CASE WHEN p_month_end = month_end THEN p_month_held ELSE 0 END;

  INSERT INTO internal.limit_counters (api_key_id, "window", window_start)
  VALUES (p_key, 'minute', v_minute), (p_key, 'month', v_month) ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS v_new = ROW_COUNT;
  -- Kept for longer than an hour, so that a clock that is set forward by one and back again does not restart a
  -- window.
  IF v_new > 0 THEN
    DELETE FROM internal.limit_counters c WHERE c.api_key_id = p_key
      AND (c."window" = 'minute' AND c.window_start < v_now - interval '3 hours'
        OR c."window" = 'batch_hour' AND c.window_start < v_now - interval '2 days');
  END IF;
  SELECT greatest(0, p_per_minute - c.used) INTO minute_left FROM internal.limit_counters c
  WHERE c.api_key_id = p_key AND c."window" = 'minute' AND c.window_start = v_minute FOR UPDATE;
  SELECT greatest(0, p_monthly - c.used) INTO month_left FROM internal.limit_counters c
  WHERE c.api_key_id = p_key AND c."window" = 'month' AND c.window_start = v_month FOR UPDATE;

  v_waiting := least(p_waiting, minute_left + v_minute_held::bigint, month_left + v_month_held::bigint);
  IF v_waiting = 0 THEN
    minute_granted := 0;
    month_granted := 0;
    RETURN;
  END IF;
  minute_granted := greatest(0, least(minute_left,
    greatest(v_waiting, least(100, ceil(p_per_minute / 100.0)::int)) - v_minute_held));
  month_granted := greatest(0, least(month_left,
    greatest(v_waiting, least(100, ceil(p_monthly / 100.0)::int)) - v_month_held));
  minute_left := minute_left - minute_granted;
  month_left := month_left - month_granted;
  -- A crash of the server may forget the last moments of counting; waiting for the disk costs every request.
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE internal.limit_counters c SET used = c.used + minute_granted
  WHERE c.api_key_id = p_key AND c."window" = 'minute' AND c.window_start = v_minute AND minute_granted > 0;
  UPDATE internal.limit_counters c SET used = c.used + month_granted
  WHERE c.api_key_id = p_key AND c."window" = 'month' AND c.window_start = v_month AND month_granted > 0;
END $$;

-- A process that comes says so: for one that was alone, what it knows to be left is no longer certain.
CREATE FUNCTION announce_process() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  PERFORM pg_notify('comanda_processes', NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER announce_arrival AFTER INSERT ON process_heartbeats
  FOR EACH ROW WHEN (NEW.kind = 'api') EXECUTE FUNCTION announce_process();
