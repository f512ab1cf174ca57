-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER touch BEFORE UPDATE ON locations
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER revise BEFORE UPDATE ON locations
  FOR EACH ROW WHEN (ROW(OLD.name, OLD.timezone, OLD.currency, OLD.status, OLD.paused, OLD.paused_until, OLD.opening_hours, OLD.pause_reason)
    IS DISTINCT FROM ROW(NEW.name, NEW.timezone, NEW.currency, NEW.status, NEW.paused, NEW.paused_until, NEW.opening_hours, NEW.pause_reason)) EXECUTE FUNCTION revise_row();

CREATE FUNCTION locations_revision(p_location uuid, p_id uuid) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT r.revision FROM locations r WHERE r.id = p_id
$$;

CREATE FUNCTION audit_insert_locations() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'insert', 'locations', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 100) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT n.id AS location_id, false AS by_cascade, jsonb_build_object('id', n.id) AS key, NULL::locations AS old, n AS new,
          row_number() OVER (PARTITION BY n.id ORDER BY n.id) AS place
        FROM new_rows n
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_insert AFTER INSERT ON locations
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_insert_locations();

CREATE FUNCTION audit_update_locations() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'update', 'locations', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT coalesce(n.id, o.id) AS location_id, false AS by_cascade, jsonb_build_object('id', coalesce(n.id, o.id)) AS key,
          CASE WHEN o.id IS NOT NULL THEN o END AS old, CASE WHEN n.id IS NOT NULL THEN n END AS new,
          row_number() OVER (PARTITION BY coalesce(n.id, o.id) ORDER BY coalesce(n.id, o.id)) AS place
        FROM old_rows o FULL JOIN new_rows n ON n.id = o.id
        WHERE o.id IS NULL OR n.id IS NULL
          OR ROW(o.id, o.code, o.name, o.timezone, o.currency, o.sandbox, o.status, o.created_at, o.pause_reason, o.paused, o.paused_until, o.opening_hours)
            IS DISTINCT FROM ROW(n.id, n.code, n.name, n.timezone, n.currency, n.sandbox, n.status, n.created_at, n.pause_reason, n.paused, n.paused_until, n.opening_hours)
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_update AFTER UPDATE ON locations
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_update_locations();

CREATE FUNCTION audit_delete_locations() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'delete', 'locations', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.old)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT o.id AS location_id, g.gone AS by_cascade, jsonb_build_object('id', o.id) AS key, o AS old, NULL::locations AS new,
          row_number() OVER (PARTITION BY o.id, g.gone ORDER BY o.id) AS place
        FROM old_rows o CROSS JOIN LATERAL (SELECT false AS gone) g
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_delete AFTER DELETE ON locations
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_delete_locations();

CREATE TRIGGER compose_texts BEFORE INSERT OR UPDATE OF name ON locations
  FOR EACH ROW WHEN (NEW.name IS NOT NFC NORMALIZED) EXECUTE FUNCTION compose_texts('name');

CREATE TRIGGER guard_kept BEFORE DELETE ON locations
  FOR EACH ROW
  WHEN (has_orders(OLD.id))
  EXECUTE FUNCTION refuse('kept', 'this location has orders, so it is kept: revoke its keys (comanda keys revoke). To remove it with all that it has: select deed(''purge: <why>'') in the transaction');

CREATE TRIGGER guard_id BEFORE UPDATE OF id ON locations
  FOR EACH ROW
  WHEN (ROW(OLD.id) IS DISTINCT FROM ROW(NEW.id))
  EXECUTE FUNCTION refuse('fixed', 'the id of a location never changes: make another one (comanda locations create)');

CREATE TRIGGER guard_code BEFORE UPDATE OF code ON locations
  FOR EACH ROW
  WHEN (ROW(OLD.code) IS DISTINCT FROM ROW(NEW.code))
  EXECUTE FUNCTION refuse('fixed', 'the code of a location never changes: its keys carry it');

CREATE TRIGGER guard_sandbox BEFORE UPDATE OF sandbox ON locations
  FOR EACH ROW
  WHEN (ROW(OLD.sandbox) IS DISTINCT FROM ROW(NEW.sandbox))
  EXECUTE FUNCTION refuse('fixed', 'whether a location is a sandbox never changes: make another one (comanda locations create --sandbox)');

CREATE TRIGGER guard_status BEFORE UPDATE OF status ON locations
  FOR EACH ROW
  WHEN (ROW(OLD.status) IS DISTINCT FROM ROW(NEW.status)
    AND (OLD.status = 'deleting' OR NEW.status = 'deleting' AND NOT by_service() OR held_by_move(OLD.id, NEW.status)))
  EXECUTE FUNCTION refuse('never', 'a location that is being deleted, or moves to another cell, keeps its status, and no edit begins either: see comanda locations delete, and comanda locations move');

CREATE TRIGGER guard_currency BEFORE UPDATE OF currency ON locations
  FOR EACH ROW
  WHEN (ROW(OLD.currency) IS DISTINCT FROM ROW(NEW.currency)
    AND (NEW.currency IS NOT NULL AND has_amounts(OLD.id)))
  EXECUTE FUNCTION refuse('never', 'the currency of a location with orders or settlements never changes, because their amounts would be of another one: make another location (comanda locations create)');

CREATE TRIGGER guard_created_at BEFORE UPDATE OF created_at ON locations
  FOR EACH ROW
  WHEN (ROW(OLD.created_at) IS DISTINCT FROM ROW(NEW.created_at))
  EXECUTE FUNCTION refuse('never', 'the creation of a location never changes');

CREATE TRIGGER guard_revision BEFORE UPDATE OF revision ON locations
  FOR EACH ROW
  WHEN (ROW(OLD.revision) IS DISTINCT FROM ROW(NEW.revision)
    AND (pg_trigger_depth() = 0))
  EXECUTE FUNCTION refuse('fixed', 'the revision of a row follows from its changes, and never changes by hand');

CREATE TRIGGER guard_blank BEFORE INSERT OR UPDATE OF name ON locations
  FOR EACH ROW
  WHEN (NEW.name !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]')
  EXECUTE FUNCTION refuse_blank('name');

CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON locations
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('truncate', 'TRUNCATE fires no row triggers, so it would bypass capture, counts and guards: use DELETE');
