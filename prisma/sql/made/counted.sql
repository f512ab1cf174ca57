-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

-- The counts of a location, by the same expressions that the triggers use.
CREATE FUNCTION counted_rows(p_location uuid) RETURNS TABLE (name text, at timestamptz, n bigint) LANGUAGE sql STABLE AS $$
  SELECT 'product ' || (CASE WHEN r.visible THEN 'visible' ELSE 'hidden' END) AS name, '-infinity'::timestamptz AS at, count(*) AS n
  FROM products r WHERE r.location_id = p_location GROUP BY 1, 2
  UNION ALL
  SELECT 'order ' || (r.status) AS name, order_stretch(1, r.created_at) AS at, count(*) AS n
  FROM orders r WHERE r.location_id = p_location GROUP BY 1, 2
$$;
