-- Products: how they are shown, and what guards their stock record. What a change of them is told as: watched.sql.

-- Products as GET /v2/products/{id}, lists and events show them, as JSON text: put together without json_build_object,
-- which costs twice as much. One plain SELECT, so that the planner inlines it.
CREATE FUNCTION products_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT p.id, '{"id":"' || p.id || '"' || coalesce(',"external_id":' || to_json(p.external_id)::text, '')
    || ',"sku":' || to_json(p.sku)::text || ',"name":' || to_json(p.name)::text
    || ',"description":' || to_json(p.description)::text || ',"price":' || trim_scale(p.price)::text
    || ',"visible":' || p.visible::text || ',"image_url":' || to_json(p.image_url)::text
    || ',"stock":{"enabled":' || coalesce(s.enabled, false)::text
    || ',"quantity":' || coalesce(trim_scale(s.quantity)::text, '0')
    || ',"min_stock_alarm":' || coalesce(trim_scale(s.min_stock_alarm)::text, '0') || '},"categories":['
    || coalesce((SELECT string_agg('{"id":"' || c.id || '","name":' || to_json(c.name)::text || '}', ',' ORDER BY c.priority, c.name, c.id)
      FROM product_categories l CROSS JOIN LATERAL (
        SELECT k.id, k.name, k.priority FROM categories k WHERE k.location_id = l.location_id AND k.id = l.category_id LIMIT 1) c
      WHERE l.location_id = p.location_id AND l.product_id = p.id), '') || ']}'
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
