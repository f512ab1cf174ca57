-- Counting without waiting. A writer inserts notes of how many it added or took; a reader adds up the folded counts and
-- the notes since. No lock is shared, so none can be part of a deadlock, and a transaction that is left open blocks no
-- other (docs/design/database.md, "Counts and lists").

-- Names the history that counts belong to. A count may come back with another meaning after a restore or a failover that
-- lost commits; then this is another (docs/design/changes-and-events.md, "Epochs"). Only on a primary: a standby has started at another time.
CREATE FUNCTION database_epoch() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT left(md5(extract(epoch FROM pg_postmaster_start_time()) || pg_relation_filepath('internal.tallies')), 8)
$$;

-- The tallies of a location with these names.
CREATE FUNCTION tally(p_location uuid, p_names text[]) RETURNS TABLE (name text, n bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT c.name, sum(c.n)::bigint FROM (
    SELECT t.name, t.n FROM internal.tallies t
    WHERE t.location_id = p_location AND t.hours = 0 AND t.starts_at = '-infinity' AND t.name = ANY (p_names)
    UNION ALL
    SELECT u.name, u.n FROM internal.tally_notes u WHERE u.location_id = p_location AND u.name = ANY (p_names)
  ) c GROUP BY 1
$$;

-- Adds the notes of a location to its tallies; what has a moment, to its stretches of 1 hour, 1 day and 32 days. One
-- session folds at a time and the others skip it. Not at REPEATABLE READ or above: a fold by another session since the
-- snapshot would fail the transaction.
CREATE FUNCTION fold_tallies(p_location uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed'
    OR NOT pg_try_advisory_xact_lock(hashtextextended('tallies' || p_location, 0)) THEN
    RETURN;
  END IF;
  WITH folded AS (
    DELETE FROM internal.tally_notes u WHERE u.location_id = p_location RETURNING u.starts_at, u.name, u.n
  )
  INSERT INTO internal.tallies AS t (location_id, hours, starts_at, name, n)
  SELECT p_location, s.hours, CASE WHEN s.hours = 0 THEN f.starts_at ELSE order_stretch(s.hours, f.starts_at) END, f.name, sum(f.n)
  FROM folded f JOIN (VALUES (0), (1), (24), (768)) s (hours) ON (s.hours = 0) = (f.starts_at = '-infinity')
  GROUP BY 2, 3, 4
  ON CONFLICT (location_id, hours, starts_at, name) DO UPDATE SET n = t.n + excluded.n;
END $$;

-- After all that belongs to the location, which is noted while it goes.
CREATE FUNCTION forget_location_tallies() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  DELETE FROM internal.tallies t WHERE t.location_id = OLD.id;
  DELETE FROM internal.tally_notes u WHERE u.location_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_tallies AFTER DELETE ON locations FOR EACH ROW EXECUTE FUNCTION forget_location_tallies();
