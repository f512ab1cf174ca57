-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER touch BEFORE UPDATE ON settlements
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION touch_updated_at();

CREATE FUNCTION capture_insert_settlements() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'insert', 'settlements', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 100) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT n.location_id AS location_id, false AS by_cascade, jsonb_build_object('id', n.id) AS key, NULL::settlements AS old, n AS new,
          row_number() OVER (PARTITION BY n.location_id ORDER BY n.location_id, n.id) AS place
        FROM new_rows n
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT n.location_id, n.id AS id
    FROM new_rows n
  )
  INSERT INTO internal.captured_changes (location_id, resource, operation, in_catalog, resource_ids, before)
  SELECT c.location_id, 'settlement', 'insert', false, array_agg(c.id), NULL
  FROM (SELECT c.*, (row_number() OVER () - 1) / 500 AS share FROM changed c) c
  GROUP BY c.location_id, c.share;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_insert AFTER INSERT ON settlements
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_insert_settlements();

CREATE FUNCTION audit_update_settlements() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'update', 'settlements', e.n, e.kept, e.by_cascade, e.keys, e.digest)
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
          OR ROW(o.location_id, o.id, o.turn_id, o.batch_number, o.started_at, o.ended_at, o.total_orders, o.total_collected, o.average_ticket, o.payments, o.orders, o.created_at, o.difference, o.tips)
            IS DISTINCT FROM ROW(n.location_id, n.id, n.turn_id, n.batch_number, n.started_at, n.ended_at, n.total_orders, n.total_collected, n.average_ticket, n.payments, n.orders, n.created_at, n.difference, n.tips)
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_update AFTER UPDATE ON settlements
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_update_settlements();

CREATE FUNCTION audit_delete_settlements() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'delete', 'settlements', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.old)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT o.location_id AS location_id, g.gone AS by_cascade, jsonb_build_object('id', o.id) AS key, o AS old, NULL::settlements AS new,
          row_number() OVER (PARTITION BY o.location_id, g.gone ORDER BY o.location_id, o.id) AS place
        FROM old_rows o CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM turns p WHERE p.location_id = o.location_id AND p.id = o.turn_id) AS gone) g
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_delete AFTER DELETE ON settlements
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_delete_settlements();

CREATE TRIGGER guard_service BEFORE INSERT ON settlements
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('closing a turn settles it: update turns set status = ''closed''');

CREATE TRIGGER guard_id BEFORE UPDATE OF id, location_id, turn_id, batch_number, started_at, ended_at, total_orders, total_collected, average_ticket, tips, difference, payments, orders, created_at, updated_at ON settlements
  FOR EACH ROW
  WHEN (ROW(OLD.id, OLD.location_id, OLD.turn_id, OLD.batch_number, OLD.started_at, OLD.ended_at, OLD.total_orders, OLD.total_collected, OLD.average_ticket, OLD.tips, OLD.difference, OLD.payments, OLD.orders, OLD.created_at, OLD.updated_at) IS DISTINCT FROM ROW(NEW.id, NEW.location_id, NEW.turn_id, NEW.batch_number, NEW.started_at, NEW.ended_at, NEW.total_orders, NEW.total_collected, NEW.average_ticket, NEW.tips, NEW.difference, NEW.payments, NEW.orders, NEW.created_at, NEW.updated_at))
  EXECUTE FUNCTION refuse('never', 'a settlement is frozen');

CREATE TRIGGER guard_kept BEFORE DELETE ON settlements
  FOR EACH ROW
  EXECUTE FUNCTION refuse('kept', 'a settlement is kept');

CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON settlements
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('truncate', 'TRUNCATE fires no row triggers, so it would bypass capture, counts and guards: use DELETE');
