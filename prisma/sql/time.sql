-- Moments and days as the API shows and asks for them.

-- ISO 8601 with milliseconds and the numeric offset of the zone: 2026-01-31T21:05:09.120-03:00
CREATE FUNCTION wire_time(moment timestamptz, zone text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT to_char(moment AT TIME ZONE zone, 'YYYY-MM-DD"T"HH24:MI:SS.MS')
    || CASE WHEN moment AT TIME ZONE zone < moment AT TIME ZONE INTERVAL '0'
      THEN '-' || to_char(moment AT TIME ZONE INTERVAL '0' - moment AT TIME ZONE zone, 'HH24:MI')
      ELSE '+' || to_char(moment AT TIME ZONE zone - moment AT TIME ZONE INTERVAL '0', 'HH24:MI') END
$$;

-- The first moment of a local day: the filters of every list, report and export. Its midnight may not exist where the
-- clock is set forward, or exist twice where it is set back: then it is found from the millisecond before. That may not
-- exist either, where a whole day is left out (Samoa had no 30 December 2011): then it is found by midnight. A day that
-- is left out begins where the next one does.
CREATE FUNCTION day_start(day date, zone text) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT least(day::timestamp AT TIME ZONE zone,
    ((day::timestamp - interval '1 millisecond') AT TIME ZONE zone) + interval '1 millisecond')
$$;

-- The day that a moment belongs to: the one whose day_start it has reached, so that lists, reports and exports
-- agree where clocks pass a midnight twice.
CREATE FUNCTION local_day(moment timestamptz, zone text) RETURNS date LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT x.d + CASE WHEN moment < day_start(x.d, zone) THEN -1 WHEN moment >= day_start(x.d + 1, zone) THEN 1 ELSE 0 END
  FROM (SELECT (moment AT TIME ZONE zone)::date AS d) x
$$;
