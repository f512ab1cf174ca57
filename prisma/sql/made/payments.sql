-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER touch BEFORE UPDATE ON payments
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION touch_updated_at();

CREATE FUNCTION capture_last_state_payments() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  INSERT INTO internal.captured_changes (location_id, resource, operation, resource_ids, in_catalog, before)
  VALUES (OLD.location_id, 'payment', 'delete', ARRAY[OLD.id], false,
    ARRAY[(SELECT j.doc::jsonb FROM payments_json(OLD.location_id, ARRAY[OLD.id]) j)]);
  RETURN OLD;
END $$;

CREATE TRIGGER capture_last_state BEFORE DELETE ON payments
  FOR EACH ROW EXECUTE FUNCTION capture_last_state_payments();

CREATE FUNCTION capture_insert_payments() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF by_service() THEN
    IF current_setting('comanda.told', true) = 'true' THEN
      RETURN NULL;
    END IF;
  ELSIF pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'insert', 'payments', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 100) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT n.location_id AS location_id, false AS by_cascade, jsonb_build_object('id', n.id) AS key, NULL::payments AS old, n AS new,
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
  SELECT c.location_id, 'payment', 'insert', false, array_agg(c.id), NULL
  FROM (SELECT c.*, (row_number() OVER () - 1) / 500 AS share FROM changed c) c
  GROUP BY c.location_id, c.share;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_insert AFTER INSERT ON payments
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_insert_payments();

CREATE FUNCTION capture_update_payments() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF by_service() THEN
    IF current_setting('comanda.told', true) = 'true' THEN
      RETURN NULL;
    END IF;
  ELSIF pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'update', 'payments', e.n, e.kept, e.by_cascade, e.keys, e.digest)
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
          OR ROW(o.location_id, o.id, o.order_id, o.payment_method_id, o.amount, o.status, o.created_at, o.replaced)
            IS DISTINCT FROM ROW(n.location_id, n.id, n.order_id, n.payment_method_id, n.amount, n.status, n.created_at, n.replaced)
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT coalesce(n.location_id, o.location_id) AS location_id, coalesce(n.id, o.id) AS id,
      CASE WHEN o.location_id IS NULL THEN 'insert' WHEN n.location_id IS NULL THEN 'delete' ELSE 'update' END AS operation,
      CASE WHEN o.amount IS DISTINCT FROM n.amount THEN 1 ELSE 0 END
        + CASE WHEN o.status IS DISTINCT FROM n.status THEN 2 ELSE 0 END
        + CASE WHEN o.payment_method_id IS DISTINCT FROM n.payment_method_id THEN 4 ELSE 0 END AS changed,
      jsonb_build_object('status', o.status) AS before, jsonb_build_object('status', n.status) AS after
    FROM old_rows o FULL JOIN new_rows n ON n.location_id = o.location_id AND n.id = o.id
    WHERE ROW(o.amount, o.status, o.payment_method_id)
        IS DISTINCT FROM ROW(n.amount, n.status, n.payment_method_id)
      OR o.location_id IS NULL OR n.location_id IS NULL
  )
  INSERT INTO internal.captured_changes (location_id, resource, operation, changed, in_catalog, resource_ids, before, after)
  SELECT c.location_id, 'payment', c.operation,
    array_remove(ARRAY[CASE WHEN c.changed & 1 <> 0 THEN 'amount' END, CASE WHEN c.changed & 2 <> 0 THEN 'status' END, CASE WHEN c.changed & 4 <> 0 THEN 'payment_method_id' END]::text[], NULL),
    false, array_agg(c.id), array_agg(c.before), array_agg(c.after)
  FROM (
    SELECT c.location_id, c.operation, c.changed, c.id, c.before, c.after, (row_number() OVER () - 1) / 500 AS share
    FROM changed c WHERE c.operation <> 'update' OR c.changed & 7 <> 0
  ) c
  GROUP BY c.location_id, c.operation, c.changed, c.share;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_update AFTER UPDATE ON payments
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_update_payments();

CREATE FUNCTION audit_delete_payments() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'delete', 'payments', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.old)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT o.location_id AS location_id, g.gone AS by_cascade, jsonb_build_object('id', o.id) AS key, o AS old, NULL::payments AS new,
          row_number() OVER (PARTITION BY o.location_id, g.gone ORDER BY o.location_id, o.id) AS place
        FROM old_rows o CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM orders p WHERE p.location_id = o.location_id AND p.id = o.order_id) AS gone) g
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_delete AFTER DELETE ON payments
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_delete_payments();

CREATE TRIGGER guard_id BEFORE UPDATE OF id, location_id, order_id, payment_method_id, amount, created_at ON payments
  FOR EACH ROW
  WHEN (ROW(OLD.id, OLD.location_id, OLD.order_id, OLD.payment_method_id, OLD.amount, OLD.created_at) IS DISTINCT FROM ROW(NEW.id, NEW.location_id, NEW.order_id, NEW.payment_method_id, NEW.amount, NEW.created_at))
  EXECUTE FUNCTION refuse('never', 'the order, the method and the amount of a payment never change: reject it, and insert another one');

CREATE TRIGGER guard_replaced BEFORE UPDATE OF replaced ON payments
  FOR EACH ROW
  WHEN (ROW(OLD.replaced) IS DISTINCT FROM ROW(NEW.replaced)
    AND (pg_trigger_depth() = 0))
  EXECUTE FUNCTION refuse('never', 'replaced never changes by hand: insert another payment of the order, once this one is rejected');

CREATE TRIGGER guard_kept BEFORE DELETE ON payments
  FOR EACH ROW
  EXECUTE FUNCTION refuse('kept', 'an order is never without its payment: reject the payment, or cancel the order');

CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON payments
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('truncate', 'TRUNCATE fires no row triggers, so it would bypass capture, counts and guards: use DELETE');
