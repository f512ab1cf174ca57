-- Compares counts with the rows that they count, for comanda doctor. Both are read in one snapshot: a writer writes a
-- row and its note in one transaction, so that they agree in every snapshot.

-- The tallies of a location that differ from its rows (made/counted.sql).
CREATE FUNCTION tally_errors(p_location uuid)
RETURNS TABLE (hours int, starts_at timestamptz, name text, counted bigint, there bigint) LANGUAGE sql STABLE AS $$
  WITH stretches (hours) AS (
    VALUES (0), (1), (24), (768)
  ), there AS (
    SELECT s.hours, CASE WHEN s.hours = 0 THEN f.at ELSE order_stretch(s.hours, f.at) END AS starts_at, f.name, sum(f.n) AS n
    FROM counted_rows(p_location) f JOIN stretches s ON (s.hours = 0) = (f.at = '-infinity') GROUP BY 1, 2, 3
  ), counted AS (
    SELECT c.hours, c.starts_at, c.name, sum(c.n) AS n FROM (
      SELECT t.hours::int AS hours, t.starts_at, t.name, t.n FROM internal.tallies t WHERE t.location_id = p_location
      UNION ALL
      SELECT s.hours, CASE WHEN s.hours = 0 THEN u.starts_at ELSE order_stretch(s.hours, u.starts_at) END, u.name, u.n
      FROM internal.tally_notes u JOIN stretches s ON (s.hours = 0) = (u.starts_at = '-infinity') WHERE u.location_id = p_location
    ) c WHERE c.name <> 'catalog' GROUP BY 1, 2, 3
  )
  SELECT hours, starts_at, name, coalesce(c.n, 0)::bigint, coalesce(t.n, 0)::bigint
  FROM there t FULL JOIN counted c USING (hours, starts_at, name) WHERE coalesce(c.n, 0) <> coalesce(t.n, 0)
$$;

-- Sets them right and gives what they were. A session that folds skips these meanwhile (tallies.sql); writers, which
-- insert notes alone, wait for nothing. In READ COMMITTED alone: the snapshot must be younger than the lock.
CREATE FUNCTION recount_tallies(p_location uuid)
RETURNS TABLE (hours int, starts_at timestamptz, name text, counted bigint, there bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('tallies' || p_location, 0));
  RETURN QUERY
  WITH errors AS MATERIALIZED (
    SELECT * FROM tally_errors(p_location)
  ), mended AS (
    INSERT INTO internal.tallies AS t (location_id, hours, starts_at, name, n)
    SELECT p_location, e.hours, e.starts_at, e.name, e.there - e.counted FROM errors e
    ON CONFLICT (location_id, hours, starts_at, name) DO UPDATE SET n = t.n + excluded.n
  )
  SELECT e.hours, e.starts_at, e.name, e.counted, e.there FROM errors e;
END $$;
