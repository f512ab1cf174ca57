-- The backlog of changes to publish: which locations have one, and how a transaction that cannot be published
-- at once is split.

-- Wakes the relay at the commit of what another program than the API wrote: the worker, a command, psql, Studio. The API wakes
-- it after its commit (relay-wake.ts): commits that notify wait for each other.
CREATE FUNCTION wake_relay() RETURNS trigger LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  NOTIFY comanda_changes;
  RETURN NULL;
END $$;
CREATE TRIGGER wake_relay AFTER INSERT ON captured_changes FOR EACH STATEMENT
  WHEN (current_setting('application_name') NOT LIKE 'comanda-api%') EXECUTE FUNCTION wake_relay();

-- The first captured row of every location that has one. Goes along the key, one probe a location.
CREATE FUNCTION waiting_locations() RETURNS TABLE (location_id uuid, id bigint, captured_at timestamptz)
LANGUAGE sql STABLE AS $$
  WITH RECURSIVE walk AS (
    (SELECT c.location_id, c.id, c.captured_at FROM internal.captured_changes c WHERE c.failures = 0
     ORDER BY c.location_id, c.id, c.line LIMIT 1)
    UNION ALL
    SELECT n.* FROM walk w CROSS JOIN LATERAL (
      SELECT c.location_id, c.id, c.captured_at FROM internal.captured_changes c
      WHERE c.location_id > w.location_id AND c.failures = 0 ORDER BY c.location_id, c.id, c.line LIMIT 1
    ) n
  )
  SELECT w.location_id, w.id, w.captured_at FROM walk w
$$;

-- Cuts a part of a transaction at a location (0: all of it, uncut) into parts of so many resources, in the order of their
-- ids; all rows of a resource stay in one part. They take the place of the transaction's last row: what another one
-- changed before it is published before. The caller holds the location's lock. Gives the rows that it made.
CREATE FUNCTION cut_transaction(p_location uuid, p_seed uuid, p_part int, p_size int) RETURNS SETOF internal.captured_changes
LANGUAGE sql AS $$
  WITH gone AS (
    DELETE FROM internal.captured_changes c
    WHERE c.seed = p_seed AND c.location_id = p_location AND c.part = p_part AND c.failures = 0 RETURNING c.*
  ), base AS (
    -- A transaction that was split before keeps its parts; the last one is the note that note_catalog makes.
    SELECT (SELECT max(g.id) FROM gone g) AS id, coalesce(max(c.part), 0) AS part, coalesce(max(c.line), 0) AS line
    FROM internal.captured_changes c WHERE c.seed = p_seed AND c.location_id = p_location AND c.part < 2147483647
  ), shares AS (
    SELECT g.id, g.line, g.resource, g.operation, g.changed, g.in_catalog, g.request_id, g.traceparent, g.captured_at, r.resource_id,
      g.before[r.at] AS before, g.after[r.at] AS after, (dense_rank() OVER (ORDER BY r.resource_id) - 1) / p_size + 1 AS share
    FROM gone g CROSS JOIN LATERAL unnest(g.resource_ids) WITH ORDINALITY r (resource_id, at)
  )
  INSERT INTO internal.captured_changes (location_id, id, line, seed, part, resource, operation, resource_ids, changed, before, after,
    in_catalog, request_id, traceparent, captured_at)
  SELECT p_location, b.id, b.line + row_number() OVER (ORDER BY s.share, s.id, s.line), p_seed, b.part + s.share, s.resource,
    s.operation, array_agg(s.resource_id), s.changed, array_agg(s.before), array_agg(s.after), s.in_catalog, s.request_id, s.traceparent,
    s.captured_at
  FROM shares s, base b
  GROUP BY b.id, b.line, b.part, s.share, s.id, s.line, s.resource, s.operation, s.changed, s.in_catalog, s.request_id, s.traceparent,
    s.captured_at
  RETURNING *
$$;

-- Notes that these split transactions changed the catalog: published once, after all their parts.
CREATE FUNCTION note_catalog(p_locations uuid[], p_seeds uuid[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO internal.captured_changes (location_id, id, line, seed, part, resource, operation, resource_ids, in_catalog, request_id, traceparent,
    captured_at)
  SELECT w.location_id, c.id, 2147483647, w.seed, 2147483647, 'catalog', 'update', ARRAY[w.location_id], true, c.request_id, c.traceparent,
    c.captured_at
  FROM unnest(p_locations, p_seeds) AS w (location_id, seed) CROSS JOIN LATERAL (
    SELECT c.id, c.request_id, c.traceparent, c.captured_at FROM internal.captured_changes c
    WHERE c.seed = w.seed AND c.location_id = w.location_id AND c.part > 0 LIMIT 1
  ) c
  ON CONFLICT DO NOTHING
$$;
