-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE FUNCTION audit_insert_order_items() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'insert', 'order_items', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 100) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT n.location_id AS location_id, false AS by_cascade, jsonb_build_object('order_id', n.order_id, 'position', n.position) AS key, NULL::order_items AS old, n AS new,
          row_number() OVER (PARTITION BY n.location_id ORDER BY n.location_id, n.order_id, n.position) AS place
        FROM new_rows n
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_insert AFTER INSERT ON order_items
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_insert_order_items();

CREATE FUNCTION audit_update_order_items() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'update', 'order_items', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT coalesce(n.location_id, o.location_id) AS location_id, false AS by_cascade, jsonb_build_object('order_id', coalesce(n.order_id, o.order_id), 'position', coalesce(n.position, o.position)) AS key,
          CASE WHEN o.location_id IS NOT NULL THEN o END AS old, CASE WHEN n.location_id IS NOT NULL THEN n END AS new,
          row_number() OVER (PARTITION BY coalesce(n.location_id, o.location_id) ORDER BY coalesce(n.location_id, o.location_id), coalesce(n.order_id, o.order_id), coalesce(n.position, o.position)) AS place
        FROM old_rows o FULL JOIN new_rows n ON n.location_id = o.location_id AND n.order_id = o.order_id AND n.position = o.position
        WHERE o.location_id IS NULL OR n.location_id IS NULL
          OR ROW(o.location_id, o.order_id, o.position, o.product_id, o.name, o.unit_price, o.quantity, o.total, o.comment, o.selections, o.stock_taken, o.external_id, o.sku, o.tax_rate, o.category)
            IS DISTINCT FROM ROW(n.location_id, n.order_id, n.position, n.product_id, n.name, n.unit_price, n.quantity, n.total, n.comment, n.selections, n.stock_taken, n.external_id, n.sku, n.tax_rate, n.category)
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_update AFTER UPDATE ON order_items
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_update_order_items();

CREATE FUNCTION audit_delete_order_items() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF NOT by_service() AND pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'delete', 'order_items', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.old)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT o.location_id AS location_id, g.gone AS by_cascade, jsonb_build_object('order_id', o.order_id, 'position', o.position) AS key, o AS old, NULL::order_items AS new,
          row_number() OVER (PARTITION BY o.location_id, g.gone ORDER BY o.location_id, o.order_id, o.position) AS place
        FROM old_rows o CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM orders p WHERE p.location_id = o.location_id AND p.id = o.order_id) AS gone) g
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_delete AFTER DELETE ON order_items
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION audit_delete_order_items();

CREATE FUNCTION order_items_length_fault(r order_items) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN NOT is_external_id(r.external_id) THEN 'external_id must have 1 to 255 characters, and no control characters'
    WHEN char_length(r.sku) NOT BETWEEN 1 AND 255 THEN 'sku must have 1 to 255 characters'
    WHEN char_length(r.comment) > 1000 THEN 'comment must have at most 1000 characters' END
$$;

CREATE TRIGGER guard_lines BEFORE INSERT OR UPDATE OR DELETE ON order_items
  FOR EACH ROW
  EXECUTE FUNCTION guard_line('the lines of an order never change: cancel it and place another one (POST /v2/orders)');

CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON order_items
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('truncate', 'TRUNCATE fires no row triggers, so it would bypass capture, counts and guards: use DELETE');
