-- Planned prices: how a price change is applied.

-- Whether any writer changed the price of a product since a moment, also where the price was changed back. Programs and people have entries
-- in the audit.
CREATE FUNCTION price_changed_since(p_location uuid, p_product uuid, p_since timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM audit_entries a CROSS JOIN LATERAL (SELECT array_position(a.resource_ids, p_product) - 1) i (at)
    WHERE a.resource_ids @> ARRAY[p_product] AND a.location_id = p_location AND a.relation = 'products' AND a.operation = 'update'
      AND a.created_at >= p_since AND a.changes->'before'->'price'->i.at IS DISTINCT FROM a.changes->'after'->'price'->i.at
  ) OR EXISTS (
    SELECT FROM audit_entries a CROSS JOIN LATERAL jsonb_array_elements(a.changes->'rows') r (kept)
    WHERE a.resource_ids IS NULL AND a.location_id = p_location AND a.relation = 'products' AND a.operation = 'update'
      AND a.created_at >= p_since AND r.kept->'key'->>'id' = p_product::text AND r.kept->'after' ? 'price'
  )
$$;

-- Applies a planned price change that is due, and returns its status and counts; no row if it is not planned, not due, or the location is not
-- active. Prices, outcomes and status are one transaction, and the row is locked first: each price is set once, whoever else applies it.
-- The products of a category are those of now.
CREATE FUNCTION apply_price_change(p_location uuid, p_id uuid, p_most numeric)
RETURNS TABLE (status text, applied int, skipped int) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  plan price_changes%ROWTYPE;
BEGIN
  SELECT c.* INTO plan FROM price_changes c
  WHERE c.location_id = p_location AND c.id = p_id AND c.status = 'planned' AND c.effective_at <= clock_timestamp()
    AND (SELECT l.status FROM locations l WHERE l.id = p_location) = 'active'
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  -- The audit and the events name the request and the key that planned it.
  PERFORM set_config('comanda.request_id', concat_ws(' ', coalesce(plan.request_id, ''), coalesce(plan.traceparent, ''), plan.api_key_id), true),
    hold_bulk_writes(p_location);
  PERFORM FROM categories k WHERE k.location_id = p_location AND k.id = plan.category_id FOR KEY SHARE;
  PERFORM FROM (
    SELECT v.id FROM (
      SELECT (e->>'product_id')::uuid FROM jsonb_array_elements(plan.prices) e
      UNION SELECT l.product_id FROM product_categories l WHERE l.location_id = p_location AND l.category_id = plan.category_id
    ) v (id) ORDER BY v.id OFFSET 0) v
  CROSS JOIN LATERAL (SELECT FROM products p WHERE p.location_id = p_location AND p.id = v.id FOR NO KEY UPDATE) p;

  RETURN QUERY
  WITH named AS MATERIALIZED (
    SELECT coalesce(e.product_id, l.product_id) AS id, e.at, e.before, e.price, l.product_id IS NOT NULL AS listed
    FROM (
      SELECT (v->>'product_id')::uuid AS product_id, (v->>'before')::numeric AS before, (v->>'price')::numeric AS price, at
      FROM jsonb_array_elements(plan.prices) WITH ORDINALITY j (v, at)
    ) e FULL JOIN (
      SELECT c.product_id FROM product_categories c WHERE c.location_id = p_location AND c.category_id = plan.category_id
    ) l ON l.product_id = e.product_id
  ), decided AS MATERIALIZED (
    SELECT n.id, n.at, coalesce(n.before, p.price) AS before, t.price, p.price <> t.price AS differs,
      CASE WHEN p.id IS NULL THEN 'product_deleted'
        WHEN plan.category_id IS NOT NULL AND NOT n.listed THEN 'not_in_category'
        WHEN p.price <> n.before OR p.created_at > plan.created_at
          OR p.updated_at >= plan.created_at AND price_changed_since(p_location, p.id, plan.created_at) THEN 'price_changed'
        WHEN t.price > p_most THEN 'price_too_large' END AS reason
    FROM named n
    LEFT JOIN LATERAL (SELECT k.* FROM products k WHERE k.location_id = p_location AND k.id = n.id LIMIT 1) p ON true
    -- By a product, as a division would round; round() rounds half away from zero.
    CROSS JOIN LATERAL (SELECT coalesce(n.price, round(p.price * (100 + plan.percent) * 0.01, 2))) t (price)
  ), written AS (
    UPDATE products p SET price = d.price FROM decided d
    WHERE p.location_id = p_location AND p.id = d.id AND d.reason IS NULL AND d.differs
  ), outcome AS (
    SELECT count(*) FILTER (WHERE d.reason IS NULL)::int AS applied, count(d.reason)::int AS skipped,
      coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('product_id', d.id, 'before', trim_scale(d.before),
        'price', CASE WHEN plan.percent IS NULL OR d.reason IS NULL THEN trim_scale(d.price) END,
        'status', CASE WHEN d.reason IS NULL THEN 'applied' ELSE 'skipped' END, 'reason', d.reason)) ORDER BY d.at, d.id), '[]') AS prices
    FROM decided d
  )
  UPDATE price_changes c SET status = CASE WHEN o.applied > 0 THEN 'applied' ELSE 'skipped' END, prices = o.prices,
    total_prices = o.applied + o.skipped, applied_prices = o.applied, skipped_prices = o.skipped, ended_at = clock_timestamp()
  FROM outcome o WHERE c.location_id = p_location AND c.id = p_id
  RETURNING c.status, c.applied_prices, c.skipped_prices;
END $$;
