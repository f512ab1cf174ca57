-- The first moment of a local day. Its midnight may not exist where the clock is set forward, or exist twice where it is
-- set back: then it is found from the millisecond before. That may not exist either, where a whole day is left out
-- (Samoa had no 30 December 2011): then it is found by midnight. A day that is left out begins where the next one does.
CREATE OR REPLACE FUNCTION day_start(day date, zone text) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT least(day::timestamp AT TIME ZONE zone,
    ((day::timestamp - interval '1 millisecond') AT TIME ZONE zone) + interval '1 millisecond')
$$;
