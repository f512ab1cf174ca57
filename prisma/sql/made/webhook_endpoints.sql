-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER touch BEFORE UPDATE ON webhook_endpoints
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER revise BEFORE UPDATE ON webhook_endpoints
  FOR EACH ROW WHEN (ROW(OLD.url, OLD.events, OLD.status, OLD.api_version, OLD.include)
    IS DISTINCT FROM ROW(NEW.url, NEW.events, NEW.status, NEW.api_version, NEW.include)) EXECUTE FUNCTION revise_row();

CREATE TRIGGER revise_new BEFORE INSERT ON webhook_endpoints
  FOR EACH ROW WHEN (NOT by_service()) EXECUTE FUNCTION revise_new_row();

CREATE FUNCTION webhook_endpoints_revision(p_location uuid, p_id uuid) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT r.revision FROM webhook_endpoints r WHERE r.location_id = p_location AND r.id = p_id
$$;

CREATE FUNCTION audit_insert_webhook_endpoints() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'insert', 'webhook_endpoints', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 100) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT n.location_id AS location_id, false AS by_cascade, jsonb_build_object('id', n.id) AS key, NULL::webhook_endpoints AS old, n AS new,
          row_number() OVER (PARTITION BY n.location_id ORDER BY n.location_id, n.id) AS place
        FROM new_rows n
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_insert AFTER INSERT ON webhook_endpoints
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_insert_webhook_endpoints();

CREATE FUNCTION audit_update_webhook_endpoints() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'update', 'webhook_endpoints', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT coalesce(n.location_id, o.location_id) AS location_id, false AS by_cascade, jsonb_build_object('id', coalesce(n.id, o.id)) AS key,
          CASE WHEN o.location_id IS NOT NULL THEN o END AS old, CASE WHEN n.location_id IS NOT NULL THEN n END AS new,
          row_number() OVER (PARTITION BY coalesce(n.location_id, o.location_id) ORDER BY coalesce(n.location_id, o.location_id), coalesce(n.id, o.id)) AS place
        FROM old_rows o FULL JOIN new_rows n ON n.location_id = o.location_id AND n.id = o.id
        WHERE o.location_id IS NULL OR n.location_id IS NULL
          OR ROW(o.location_id, o.id, o.url, o.events, o.status, o.api_version, o.delivers_after, o.created_at, o.include)
            IS DISTINCT FROM ROW(n.location_id, n.id, n.url, n.events, n.status, n.api_version, n.delivers_after, n.created_at, n.include)
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_update AFTER UPDATE ON webhook_endpoints
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_update_webhook_endpoints();

CREATE FUNCTION audit_delete_webhook_endpoints() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'delete', 'webhook_endpoints', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.old)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT o.location_id AS location_id, g.gone AS by_cascade, jsonb_build_object('id', o.id) AS key, o AS old, NULL::webhook_endpoints AS new,
          row_number() OVER (PARTITION BY o.location_id, g.gone ORDER BY o.location_id, o.id) AS place
        FROM old_rows o CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM locations p WHERE p.id = o.location_id) AS gone) g
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_delete AFTER DELETE ON webhook_endpoints
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_delete_webhook_endpoints();

CREATE TRIGGER guard_service BEFORE INSERT ON webhook_endpoints
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('an endpoint is made by POST /v2/webhook-endpoints, which gives it a signing secret');

CREATE TRIGGER guard_id BEFORE UPDATE OF id, location_id, created_at ON webhook_endpoints
  FOR EACH ROW
  WHEN (ROW(OLD.id, OLD.location_id, OLD.created_at) IS DISTINCT FROM ROW(NEW.id, NEW.location_id, NEW.created_at))
  EXECUTE FUNCTION refuse('never', 'the id, the location and the creation of a webhook endpoint never change: make another one');

CREATE TRIGGER guard_delivers_after BEFORE UPDATE OF delivers_after ON webhook_endpoints
  FOR EACH ROW
  WHEN (ROW(OLD.delivers_after) IS DISTINCT FROM ROW(NEW.delivers_after))
  EXECUTE FUNCTION refuse('never', 'pending deliveries are skipped automatically: disable the endpoint, and enable it');

CREATE TRIGGER guard_revision BEFORE UPDATE OF revision ON webhook_endpoints
  FOR EACH ROW
  WHEN (ROW(OLD.revision) IS DISTINCT FROM ROW(NEW.revision)
    AND (pg_trigger_depth() = 0))
  EXECUTE FUNCTION refuse('fixed', 'the revision of a row follows from its changes, and never changes by hand');

CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON webhook_endpoints
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('truncate', 'TRUNCATE fires no row triggers, so it would bypass capture, counts and guards: use DELETE');
