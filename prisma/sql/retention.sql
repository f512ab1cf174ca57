-- Rows that the service removes by itself although a guard keeps them. These functions declare their deed, and take it
-- back, as the owner of the tables; when something fails, what they declared goes with the rest.

-- Removes those of the events that are older than so many days and have no deliveries; gives how many.
CREATE FUNCTION remove_old_events(p_location uuid, p_events uuid[], p_days int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  removed int;
BEGIN
  PERFORM deed('retention: KEEP_EVENTS_DAYS');
  DELETE FROM events e
  WHERE e.location_id = p_location AND e.id = ANY (p_events) AND e.created_at < retention_border(p_days)
    AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.location_id = p_location AND d.event_id = e.id);
  GET DIAGNOSTICS removed = ROW_COUNT;
  PERFORM end_deed();
  RETURN removed;
END $$;

-- Removes so many of the audit entries that are older than so many days, the oldest first; gives how many. Without a
-- location those that have none.
CREATE FUNCTION remove_old_audit(p_location uuid, p_days int, p_most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  removed int;
BEGIN
  PERFORM deed('retention: KEEP_AUDIT_DAYS');
  WITH old AS MATERIALIZED (
    SELECT a.id FROM audit_entries a
    WHERE a.location_id = p_location AND a.created_at < retention_border(p_days) ORDER BY a.created_at, a.id LIMIT p_most
  ), lone AS MATERIALIZED (
    SELECT a.id FROM audit_entries a
    WHERE p_location IS NULL AND a.location_id IS NULL AND a.created_at < retention_border(p_days) ORDER BY a.created_at, a.id LIMIT p_most
  )
  DELETE FROM audit_entries a USING (SELECT id FROM old UNION ALL SELECT id FROM lone) o WHERE a.id = o.id;
  GET DIAGNOSTICS removed = ROW_COUNT;
  PERFORM end_deed();
  RETURN removed;
END $$;

-- The time before which something is old: the beginning of today (UTC), the kept days and one more ago.
CREATE FUNCTION retention_border(days int) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT date_trunc('day', now(), 'UTC') - make_interval(days => days + 1)
$$;
