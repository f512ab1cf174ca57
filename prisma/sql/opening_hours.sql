-- Opening hours of a location: {"weekly": [{"day", "opens", "closes"}], "exceptions": [{"date", "name", "spans": [{"opens", "closes"}]}]}.
-- They inform, and refuse nothing.

-- Whether the clocks of a zone have read a local time by a moment. A time that comes twice counts from the first, and one that is left
-- out from the moment at which it is. The offset of a day before tells a second passage from a first one.
CREATE FUNCTION clocks_have_read(local timestamp, zone text, moment timestamptz) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT moment AT TIME ZONE zone >= local OR f.first <= moment AND f.first AT TIME ZONE zone = local
  FROM (SELECT moment - interval '24 hours' AS at) b
  CROSS JOIN LATERAL (SELECT (local - (b.at AT TIME ZONE zone - b.at AT TIME ZONE 'UTC')) AT TIME ZONE 'UTC' AS first) f
$$;

-- Whether a location with these hours is open at a moment. A span belongs to the day on which it opens, and one that does not close later
-- than it opens closes on the next day. An exception replaces the spans that open on its date.
CREATE FUNCTION is_open(hours jsonb, zone text, moment timestamptz) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT EXISTS (
    SELECT FROM (SELECT (moment AT TIME ZONE zone)::date + n AS date FROM generate_series(-2, 1) AS n) d
    CROSS JOIN LATERAL jsonb_to_recordset(coalesce(
      (SELECT e->'spans' FROM jsonb_array_elements(hours->'exceptions') AS e WHERE e->>'date' = to_char(d.date, 'YYYY-MM-DD') LIMIT 1),
      (SELECT jsonb_agg(w) FROM jsonb_array_elements(hours->'weekly') AS w WHERE w->>'day' = to_char(d.date, 'FMday')),
      '[]')) AS s (opens time, closes time)
    WHERE clocks_have_read(d.date + s.opens, zone, moment)
      AND NOT clocks_have_read(d.date + s.closes + CASE WHEN s.closes <= s.opens THEN interval '1 day' ELSE interval '0' END, zone, moment))
$$;
