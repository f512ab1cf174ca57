-- Request limits are counted here and spent in the processes, which take a block of requests at a time.

-- How many processes of a kind live beside the one that asks.
CREATE FUNCTION other_processes(p_kind text, p_id text) RETURNS int LANGUAGE sql VOLATILE AS $$
  SELECT count(*)::int FROM process_heartbeats h
  WHERE h.kind = p_kind AND h.id <> p_id AND h.seen_at > clock_timestamp() - interval '15 seconds'
$$;

-- How many requests a process may hold. One process loses nothing to another, whatever it holds; of several,
-- each may keep 1 % of the limit from the others, no more.
CREATE FUNCTION limit_block(p_limit int, p_left int, p_processes int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT least(100, ceil(p_left / (2.0 * p_processes)),
    CASE WHEN p_processes > 1 THEN ceil(p_limit / 100.0) END)::int
$$;

-- Takes requests from the minute and the month of a key: enough for those that wait, and a block. Takes none
-- of either when one is used up. Times are Unix seconds, by the database's clock unless p_at is given.
-- p_*_held is what the process still holds of the window that ends at p_*_end; "left" is what nobody holds.
CREATE FUNCTION lease_limits(
  p_key uuid, p_per_minute int, p_monthly int, p_waiting int, p_process text,
  p_minute_end float8, p_minute_held int, p_month_end float8, p_month_held int, p_at timestamptz,
  OUT now float8, OUT processes int,
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
  processes := 1 + other_processes('api', p_process);
  minute_start := extract(epoch FROM v_minute);
  minute_end := minute_start + 60;
  month_start := extract(epoch FROM v_month);
  -- A month has its length in UTC, not in the time zone of the session.
  month_end := extract(epoch FROM (v_month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC');
  v_minute_held := CASE WHEN p_minute_end = minute_end THEN p_minute_held ELSE 0 END;
  v_month_held := CASE WHEN p_month_end = month_end THEN p_month_held ELSE 0 END;

  INSERT INTO limit_counters (api_key_id, "window", window_start)
  VALUES (p_key, 'minute', v_minute), (p_key, 'month', v_month) ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS v_new = ROW_COUNT;
  -- Kept for longer than an hour, so that a clock that is set forward by one and back again begins no window anew.
  IF v_new > 0 THEN
    DELETE FROM limit_counters c WHERE c.api_key_id = p_key
      AND (c."window" = 'minute' AND c.window_start < v_now - interval '3 hours'
        OR c."window" = 'batch_hour' AND c.window_start < v_now - interval '2 days');
  END IF;
  SELECT greatest(0, p_per_minute - c.used) INTO minute_left FROM limit_counters c
  WHERE c.api_key_id = p_key AND c."window" = 'minute' AND c.window_start = v_minute FOR UPDATE;
  SELECT greatest(0, p_monthly - c.used) INTO month_left FROM limit_counters c
  WHERE c.api_key_id = p_key AND c."window" = 'month' AND c.window_start = v_month FOR UPDATE;

  v_waiting := least(p_waiting, minute_left + v_minute_held::bigint, month_left + v_month_held::bigint);
  IF v_waiting = 0 THEN
    minute_granted := 0;
    month_granted := 0;
    RETURN;
  END IF;
  minute_granted := greatest(0, least(minute_left,
    greatest(v_waiting, limit_block(p_per_minute, minute_left, processes)) - v_minute_held));
  month_granted := greatest(0, least(month_left,
    greatest(v_waiting, limit_block(p_monthly, month_left, processes)) - v_month_held));
  minute_left := minute_left - minute_granted;
  month_left := month_left - month_granted;
  -- A crash of the server may forget the last moments of counting; waiting for the disk costs every request.
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE limit_counters c SET used = c.used + minute_granted
  WHERE c.api_key_id = p_key AND c."window" = 'minute' AND c.window_start = v_minute AND minute_granted > 0;
  UPDATE limit_counters c SET used = c.used + month_granted
  WHERE c.api_key_id = p_key AND c."window" = 'month' AND c.window_start = v_month AND month_granted > 0;
END $$;

-- A process that comes or goes says so: the others then hold blocks of another size.
CREATE FUNCTION announce_process() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('comanda_processes', CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END);
  RETURN NULL;
END $$;
CREATE TRIGGER announce_arrival AFTER INSERT ON process_heartbeats
  FOR EACH ROW WHEN (NEW.kind = 'api') EXECUTE FUNCTION announce_process();
CREATE TRIGGER announce_leaving AFTER DELETE ON process_heartbeats
  FOR EACH ROW WHEN (OLD.kind = 'api') EXECUTE FUNCTION announce_process();
