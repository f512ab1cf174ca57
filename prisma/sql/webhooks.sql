-- Webhook endpoints and what waits for them. An endpoint is deleted, disabled or enabled at once, with any length of
-- history: its row decides what is sent (deliverable, in the worker's statements), and the worker clears the rest in
-- batches, by endpoint_clearings. No foreign key leads to an endpoint from its deliveries, so no write waits for its
-- row.

-- Deliveries pending while an endpoint was disabled are not revived: numbers of deliveries count up as they
-- are made.
CREATE FUNCTION pass_over_waiting_deliveries() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  NEW.delivers_after := nextval('webhook_deliveries_number_seq');
  RETURN NEW;
END $$;
CREATE TRIGGER pass_over_waiting BEFORE UPDATE OF status ON webhook_endpoints
  FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION pass_over_waiting_deliveries();

CREATE FUNCTION ask_for_clearing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT keeps_moments(TG_RELID) THEN
    INSERT INTO endpoint_clearings (location_id, endpoint_id, gone) VALUES (OLD.location_id, OLD.id, TG_OP = 'DELETE');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER clear_waiting AFTER UPDATE OF status ON webhook_endpoints
  FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION ask_for_clearing();
CREATE TRIGGER clear_gone AFTER DELETE ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION ask_for_clearing();

-- The body of an event as endpoints of v1 get it. Where its data differs between the families it is stored. Else it is that of v2
-- with another version, at the place that the envelope (relay/store.ts) gives it: behind {"id":"<36>","type":"<type>","api_version":"v
CREATE FUNCTION body_in_v1(p_type text, p_body text, p_body_v1 text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(p_body_v1, overlay(p_body PLACING '1' FROM 72 + length(p_type) FOR 1))
$$;

-- The body of an event of an order with what its endpoint asks for. `snapshot`, the lines as they were sold, is read when it is sent, since
-- nothing changes it; and so is `customer`, so that none of it is stored with the event. Of an order that is gone it is the stored body.
CREATE FUNCTION body_including(p_location uuid, p_body text, p_include text[]) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((
    SELECT '{' || string_agg('"' || e.key || '":' || CASE e.key WHEN 'data' THEN (
        SELECT '{' || string_agg('"' || f.key || '":' || f.value, ',' ORDER BY f.n) || '}' FROM (
          SELECT f.key, CASE f.key WHEN 'items' THEN sold.doc->'items' ELSE f.value END AS value, f.n
          FROM json_each(e.value) WITH ORDINALITY AS f (key, value, n)
          UNION ALL
          SELECT f.key, sold.doc->f.key, 1000 + f.n FROM unnest('{customer,delivery}'::text[]) WITH ORDINALITY AS f (key, n)
          WHERE json_typeof(e.value->'items') IS NOT NULL AND sold.doc->f.key IS NOT NULL) f)
      ELSE e.value::text END, ',' ORDER BY e.n) || '}'
    FROM json_each(p_body::json) WITH ORDINALITY AS e (key, value, n)
    WHERE sold.doc IS NOT NULL), p_body)
  FROM (SELECT (SELECT d.doc::json FROM orders_showing(p_location, ARRAY[(p_body::json #>> '{data,id}')::uuid], p_include) d) AS doc) sold
$$;

-- The first event of a location from a number and a moment on. Where nothing may be sorted the index of numbers alone gives the order: a plan that was
-- made while there were a few events may read all of them by the index of types.
CREATE FUNCTION event_from(p_location uuid, p_number bigint, p_moment timestamptz) RETURNS TABLE (number bigint, published_at timestamptz)
LANGUAGE plpgsql STABLE SET enable_sort = off SET enable_incremental_sort = off AS $$
BEGIN
  RETURN QUERY SELECT e.number, e.published_at FROM events e
    WHERE e.location_id = p_location AND e.number >= p_number AND e.created_at >= p_moment ORDER BY e.number LIMIT 1;
END $$;

-- Claims what is due for an endpoint, p_most at most and until their bodies hold p_bytes, in the order of due times and ids
-- after the given ones; p_held is what p_worker has claimed already. The first passes, however large it is. A claim that ran out is its holder's as long as that has a heartbeat: the clock may have
-- jumped while the attempt is on its way. The sweeper frees the claims of the dead.
--
-- It goes along webhook_deliveries_due_idx and stops: where nothing may be sorted that index alone gives the order. How many
-- wait is in no statistics that last, and by them the planner may read all of a location, or all that waits anywhere.
CREATE FUNCTION claim_due_deliveries(p_location uuid, p_endpoint uuid, p_most int, p_bytes bigint, p_lease_ms float8, p_worker text,
  p_held uuid[], p_after timestamptz, p_after_id uuid
) RETURNS TABLE (id uuid, event_id uuid, event_type text, request_id text, traceparent text, attempts smallint, due_at timestamptz, body text,
  url text, secrets json)
LANGUAGE plpgsql SET enable_sort = off SET enable_incremental_sort = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH due AS (
    SELECT d.ctid AS place, d.event_id, d.next_attempt_at, d.id FROM webhook_deliveries d
    WHERE d.location_id = p_location AND d.endpoint_id = p_endpoint
      AND (d.next_attempt_at, d.id) > (p_after, p_after_id)
      AND d.next_attempt_at <= now() AND (d.leased_until IS NULL OR d.leased_until <= now()
        AND CASE WHEN d.leased_by = p_worker THEN d.id <> ALL (p_held)
          ELSE NOT EXISTS (SELECT FROM internal.process_heartbeats h WHERE h.id = d.leased_by) END)
      AND d.number > (SELECT e.delivers_after FROM webhook_endpoints e
        WHERE e.location_id = p_location AND e.id = p_endpoint AND e.status = 'active')
      -- Deliveries pending at a location that is disabled are sent when it is enabled.
      AND (SELECT l.status FROM locations l WHERE l.id = p_location) = 'active'
    ORDER BY d.next_attempt_at, d.id LIMIT p_most
    FOR UPDATE SKIP LOCKED
  ), sized AS (
    -- Of a text that is stored elsewhere this reads the length alone.
    SELECT d.place, d.id, v.*, sum(octet_length(v.body)) OVER (ORDER BY d.next_attempt_at, d.id) - octet_length(v.body) AS before
    FROM due d CROSS JOIN LATERAL (
      SELECT v.type, v.request_id, v.traceparent, v.body, v.body_v1 FROM events v
      WHERE v.location_id = p_location AND v.id = d.event_id LIMIT 1
    ) v
  ), fitting AS MATERIALIZED (
    SELECT * FROM sized s WHERE s.before < p_bytes
  ), claimed AS (
    UPDATE webhook_deliveries d
    SET leased_until = now() + make_interval(secs => p_lease_ms / 1000), leased_by = p_worker
    WHERE d.ctid = ANY (ARRAY(SELECT f.place FROM fitting f))
    RETURNING d.id, d.event_id, d.attempts, d.next_attempt_at
  )
  SELECT c.id, c.event_id, v.type, v.request_id, v.traceparent, c.attempts, c.next_attempt_at,
    CASE WHEN e.api_version = 'v1' THEN body_in_v1(v.type, v.body, v.body_v1)
      WHEN e.include <> '{}' AND v.type LIKE 'order.%' THEN body_including(p_location, v.body, e.include) ELSE v.body END,
    e.url, (SELECT json_agg(json_build_object('keyId', s.encryption_key_id, 'sealed', encode(s.sealed, 'hex'))
        ORDER BY s.created_at DESC, s.id DESC)
      FROM internal.webhook_secrets s WHERE s.location_id = p_location AND s.endpoint_id = p_endpoint
        AND (s.expires_at IS NULL OR s.expires_at > now()))
  FROM claimed c JOIN fitting v ON v.id = c.id
  JOIN webhook_endpoints e ON e.location_id = p_location AND e.id = p_endpoint
  ORDER BY c.next_attempt_at, c.id;
END $$;
