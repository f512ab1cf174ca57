-- The documented JSON of the resources that are read most, built by Postgres: one definition that
-- REST, tRPC, the idempotent answer and the event bodies share. Each function is one plain SELECT,
-- so that the planner inlines it; json_strip_nulls also leaves out the spaces. Optional fields without a value are left out.

-- ISO 8601 with milliseconds and the numeric offset of the zone: 2026-01-31T21:05:09.120-03:00
CREATE FUNCTION wire_time(moment timestamptz, zone text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT to_char(moment AT TIME ZONE zone, 'YYYY-MM-DD"T"HH24:MI:SS.MS')
    || CASE WHEN moment AT TIME ZONE zone < moment AT TIME ZONE 'UTC' THEN '-' ELSE '+' END
    || to_char(make_interval(secs => abs(extract(epoch FROM
         (moment AT TIME ZONE zone) - (moment AT TIME ZONE 'UTC')))::int), 'HH24:MI')
$$;

CREATE FUNCTION products_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc json)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT p.id, json_strip_nulls(json_build_object(
    'id', p.id, 'external_id', p.external_id, 'sku', p.sku, 'name', p.name, 'description', p.description,
    'price', trim_scale(p.price), 'visible', p.visible, 'image_url', p.image_url,
    'stock', json_build_object('enabled', coalesce(s.enabled, false), 'quantity', trim_scale(coalesce(s.quantity, 0)),
      'min_stock_alarm', trim_scale(coalesce(s.min_stock_alarm, 0))),
    'categories', coalesce((SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.priority, c.name, c.id)
      FROM product_categories pc JOIN categories c ON c.location_id = pc.location_id AND c.id = pc.category_id
      WHERE pc.location_id = p.location_id AND pc.product_id = p.id), '[]'::json)))
  FROM products p
  LEFT JOIN product_stock s ON s.location_id = p.location_id AND s.product_id = p.id
  WHERE p.location_id = location AND p.id = ANY (ids)
$$;

CREATE FUNCTION stock_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc json)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT p.id, json_strip_nulls(json_build_object(
    'product_id', p.id, 'external_id', p.external_id, 'sku', p.sku, 'name', p.name,
    'stock', json_build_object('enabled', s.enabled, 'quantity', trim_scale(s.quantity),
      'min_stock_alarm', trim_scale(s.min_stock_alarm)),
    'updated_at', wire_time(s.updated_at, l.timezone)))
  FROM product_stock s
  JOIN products p ON p.location_id = s.location_id AND p.id = s.product_id
  JOIN locations l ON l.id = s.location_id
  WHERE s.location_id = location AND s.product_id = ANY (ids)
$$;

CREATE FUNCTION orders_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc json)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT o.id, json_strip_nulls(json_build_object(
    'id', o.id, 'number', o.number, 'status', o.status, 'total', trim_scale(o.total),
    'created_at', wire_time(o.created_at, l.timezone),
    'payment', json_build_object('id', p.id, 'status', p.status),
    'external_id', o.external_id, 'channel', o.channel, 'is_take_away', o.is_take_away,
    'identifier', o.identifier, 'payment_method_id', o.payment_method_id, 'cancel_reason', o.cancel_reason,
    'items', coalesce((SELECT json_agg(json_build_object(
        'product_id', i.product_id, 'name', i.name, 'quantity', trim_scale(i.quantity),
        'unit_price', trim_scale(i.unit_price), 'total', trim_scale(i.total), 'comment', i.comment,
        'subselections', CASE WHEN i.selections = '[]' THEN NULL ELSE (
          SELECT json_agg(json_build_object('item_id', x->'item_id', 'quantity', x->'quantity') ORDER BY n)
          FROM jsonb_array_elements(i.selections) WITH ORDINALITY AS e (x, n)) END) ORDER BY i.position)
      FROM order_items i WHERE i.location_id = o.location_id AND i.order_id = o.id), '[]'::json)))
  FROM orders o
  JOIN locations l ON l.id = o.location_id
  JOIN payments p ON p.location_id = o.location_id AND p.order_id = o.id
  WHERE o.location_id = location AND o.id = ANY (ids)
$$;

-- An order as a list shows it: exactly the six documented fields.
CREATE FUNCTION order_entries_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc json)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT o.id, json_strip_nulls(json_build_object(
    'id', o.id, 'number', o.number, 'status', o.status, 'total', trim_scale(o.total),
    'created_at', wire_time(o.created_at, l.timezone),
    'payment', json_build_object('id', p.id, 'status', p.status)))
  FROM orders o
  JOIN locations l ON l.id = o.location_id
  JOIN payments p ON p.location_id = o.location_id AND p.order_id = o.id
  WHERE o.location_id = location AND o.id = ANY (ids)
$$;

CREATE FUNCTION payments_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc json)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT p.id, json_strip_nulls(json_build_object(
    'id', p.id, 'order_id', p.order_id, 'payment_method_id', p.payment_method_id, 'method', m.type,
    'amount', trim_scale(p.amount), 'status', p.status,
    'created_at', wire_time(p.created_at, l.timezone), 'updated_at', wire_time(p.updated_at, l.timezone)))
  FROM payments p
  JOIN payment_methods m ON m.location_id = p.location_id AND m.id = p.payment_method_id
  JOIN locations l ON l.id = p.location_id
  WHERE p.location_id = location AND p.id = ANY (ids)
$$;

CREATE FUNCTION turns_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc json)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT t.id, json_strip_nulls(json_build_object(
    'id', t.id, 'batch_number', t.batch_number::text, 'status', t.status,
    'started_at', wire_time(t.started_at, l.timezone), 'ended_at', wire_time(t.ended_at, l.timezone),
    'total_orders', (SELECT count(*) FROM orders o WHERE o.location_id = t.location_id AND o.turn_id = t.id),
    'total_collected', trim_scale(coalesce((SELECT sum(p.amount) FROM orders o
      JOIN payments p ON p.location_id = o.location_id AND p.order_id = o.id AND p.status = 'completed'
      WHERE o.location_id = t.location_id AND o.turn_id = t.id), 0))))
  FROM turns t
  JOIN locations l ON l.id = t.location_id
  WHERE t.location_id = location AND t.id = ANY (ids)
$$;
