-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER touch BEFORE UPDATE ON menus
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER revise BEFORE UPDATE ON menus
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION revise_row();

CREATE TRIGGER revise_new BEFORE INSERT ON menus
  FOR EACH ROW WHEN (NOT by_service()) EXECUTE FUNCTION revise_new_row();

CREATE FUNCTION menus_revision(p_location uuid, p_id uuid) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT r.revision FROM menus r WHERE r.location_id = p_location AND r.id = p_id
$$;

CREATE FUNCTION audit_insert_menus() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'insert', 'menus', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 100) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT n.location_id AS location_id, false AS by_cascade, jsonb_build_object('id', n.id) AS key, NULL::menus AS old, n AS new,
          row_number() OVER (PARTITION BY n.location_id ORDER BY n.location_id, n.id) AS place
        FROM new_rows n
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_insert AFTER INSERT ON menus
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_insert_menus();

CREATE FUNCTION audit_update_menus() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'update', 'menus', e.n, e.kept, e.by_cascade, e.keys, e.digest)
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
          OR ROW(o.location_id, o.id, o.name, o.version, o.is_published, o.published_at, o.created_at)
            IS DISTINCT FROM ROW(n.location_id, n.id, n.name, n.version, n.is_published, n.published_at, n.created_at)
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_update AFTER UPDATE ON menus
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_update_menus();

CREATE FUNCTION audit_delete_menus() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'delete', 'menus', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.old)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT o.location_id AS location_id, g.gone AS by_cascade, jsonb_build_object('id', o.id) AS key, o AS old, NULL::menus AS new,
          row_number() OVER (PARTITION BY o.location_id, g.gone ORDER BY o.location_id, o.id) AS place
        FROM old_rows o CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM locations p WHERE p.id = o.location_id) AS gone) g
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_delete AFTER DELETE ON menus
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_delete_menus();

CREATE TRIGGER compose_texts BEFORE INSERT OR UPDATE OF name ON menus
  FOR EACH ROW WHEN (NEW.name IS NOT NFC NORMALIZED) EXECUTE FUNCTION compose_texts('name');

CREATE TRIGGER guard_id BEFORE UPDATE OF id, location_id, created_at ON menus
  FOR EACH ROW
  WHEN (ROW(OLD.id, OLD.location_id, OLD.created_at) IS DISTINCT FROM ROW(NEW.id, NEW.location_id, NEW.created_at))
  EXECUTE FUNCTION refuse('never', 'the id, the location and the creation of a menu never change: make another one');

CREATE TRIGGER guard_version BEFORE UPDATE OF version ON menus
  FOR EACH ROW
  WHEN (ROW(OLD.version) IS DISTINCT FROM ROW(NEW.version)
    AND (NOT by_service() AND pg_trigger_depth() = 0))
  EXECUTE FUNCTION refuse('never', 'the version of a menu counts what is published of it, and never changes by hand');

CREATE TRIGGER guard_revision BEFORE UPDATE OF revision ON menus
  FOR EACH ROW
  WHEN (ROW(OLD.revision) IS DISTINCT FROM ROW(NEW.revision)
    AND (pg_trigger_depth() = 0))
  EXECUTE FUNCTION refuse('fixed', 'the revision of a row follows from its changes, and never changes by hand');

CREATE TRIGGER guard_blank BEFORE INSERT OR UPDATE OF name ON menus
  FOR EACH ROW
  WHEN (NEW.name !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]')
  EXECUTE FUNCTION refuse_blank('name');

CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON menus
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('truncate', 'TRUNCATE fires no row triggers, so it would bypass capture, counts and guards: use DELETE');
