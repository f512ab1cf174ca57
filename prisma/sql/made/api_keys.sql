-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE FUNCTION audit_insert_api_keys() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'insert', 'api_keys', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{key_hash}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 100) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT n.location_id AS location_id, false AS by_cascade, jsonb_build_object('id', n.id) AS key, NULL::api_keys AS old, n AS new,
          row_number() OVER (PARTITION BY n.location_id ORDER BY n.location_id, n.id) AS place
        FROM new_rows n
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_insert AFTER INSERT ON api_keys
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_insert_api_keys();

CREATE FUNCTION audit_update_api_keys() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'update', 'api_keys', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{key_hash}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT coalesce(n.location_id, o.location_id) AS location_id, false AS by_cascade, jsonb_build_object('id', coalesce(n.id, o.id)) AS key,
          CASE WHEN o.location_id IS NOT NULL THEN o END AS old, CASE WHEN n.location_id IS NOT NULL THEN n END AS new,
          row_number() OVER (PARTITION BY coalesce(n.location_id, o.location_id) ORDER BY coalesce(n.location_id, o.location_id), coalesce(n.id, o.id)) AS place
        FROM old_rows o FULL JOIN new_rows n ON n.location_id = o.location_id AND n.id = o.id
        WHERE o.location_id IS NULL OR n.location_id IS NULL
          OR ROW(o.location_id, o.id, o.name, o.prefix, o.key_hash, o.permissions, o.per_minute, o.monthly, o.batch_jobs_per_hour, o.max_items_per_batch, o.expires_at, o.revoked_at, o.last_used_at, o.created_at, o.all_event_types)
            IS DISTINCT FROM ROW(n.location_id, n.id, n.name, n.prefix, n.key_hash, n.permissions, n.per_minute, n.monthly, n.batch_jobs_per_hour, n.max_items_per_batch, n.expires_at, n.revoked_at, n.last_used_at, n.created_at, n.all_event_types)
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_update AFTER UPDATE ON api_keys
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_update_api_keys();

CREATE FUNCTION audit_delete_api_keys() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'delete', 'api_keys', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{key_hash}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.old)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT o.location_id AS location_id, g.gone AS by_cascade, jsonb_build_object('id', o.id) AS key, o AS old, NULL::api_keys AS new,
          row_number() OVER (PARTITION BY o.location_id, g.gone ORDER BY o.location_id, o.id) AS place
        FROM old_rows o CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM locations p WHERE p.id = o.location_id) AS gone) g
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_delete AFTER DELETE ON api_keys
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_delete_api_keys();

CREATE TRIGGER compose_texts BEFORE INSERT OR UPDATE OF name ON api_keys
  FOR EACH ROW WHEN (NEW.name IS NOT NFC NORMALIZED) EXECUTE FUNCTION compose_texts('name');

CREATE TRIGGER guard_service BEFORE INSERT ON api_keys
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('a key is made by comanda keys create, which shows its text once and stores only a hash of it');

CREATE TRIGGER guard_id BEFORE UPDATE OF id, location_id, prefix, key_hash, created_at ON api_keys
  FOR EACH ROW
  WHEN (ROW(OLD.id, OLD.location_id, OLD.prefix, OLD.key_hash, OLD.created_at) IS DISTINCT FROM ROW(NEW.id, NEW.location_id, NEW.prefix, NEW.key_hash, NEW.created_at))
  EXECUTE FUNCTION refuse('never', 'the id, the location and the text of a key never change: make another one (comanda keys create) and revoke this');

CREATE TRIGGER guard_name BEFORE UPDATE OF name ON api_keys
  FOR EACH ROW
  WHEN (ROW(OLD.name) IS DISTINCT FROM ROW(NEW.name)
    AND (starts_with(NEW.name, 'app: ') AND NOT by_service()))
  EXECUTE FUNCTION refuse('never', 'a name of a key that begins with "app: " is that of a person: comanda app code makes such a key');

CREATE TRIGGER guard_permissions BEFORE UPDATE OF permissions ON api_keys
  FOR EACH ROW
  WHEN (ROW(OLD.permissions) IS DISTINCT FROM ROW(NEW.permissions)
    AND (NOT by_service()))
  EXECUTE FUNCTION refuse('never', 'the permissions of a key are changed by a command, with a name: comanda keys update <id> --permissions <all of them> --as <your name>');

CREATE TRIGGER guard_all_event_types BEFORE UPDATE OF all_event_types ON api_keys
  FOR EACH ROW
  WHEN (ROW(OLD.all_event_types) IS DISTINCT FROM ROW(NEW.all_event_types)
    AND (NOT by_service() OR NOT OLD.all_event_types))
  EXECUTE FUNCTION refuse('never', 'which event types a key sees is changed by a command, and only from all to those of its permissions: comanda keys update <id> --event-types by_permission --as <your name>');

CREATE TRIGGER guard_revoked_at BEFORE UPDATE OF revoked_at ON api_keys
  FOR EACH ROW
  WHEN (ROW(OLD.revoked_at) IS DISTINCT FROM ROW(NEW.revoked_at)
    AND (OLD.revoked_at IS NOT NULL))
  EXECUTE FUNCTION refuse('never', 'a key is revoked for good: make another one (comanda keys create)');

CREATE TRIGGER guard_blank BEFORE INSERT OR UPDATE OF name ON api_keys
  FOR EACH ROW
  WHEN (NEW.name !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]')
  EXECUTE FUNCTION refuse_blank('name');

CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON api_keys
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('truncate', 'TRUNCATE fires no row triggers, so it would bypass capture, counts and guards: use DELETE');
