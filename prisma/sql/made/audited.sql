-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

-- The tables of which the audit keeps rows, parents before their children: in this order an undo inserts.
CREATE FUNCTION audited_tables() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT '{locations, api_keys, payment_methods, turns, settlements, categories, menus, menu_categories, products, product_categories, product_stock, subselections, subselection_items, orders, order_items, payments, webhook_endpoints}'::text[]
$$;

-- The primary key of one of them; null for any other table.
CREATE FUNCTION audited_key(p_relation text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_relation
    WHEN 'locations' THEN '{id}'
    WHEN 'api_keys' THEN '{location_id,id}'
    WHEN 'payment_methods' THEN '{location_id,id}'
    WHEN 'turns' THEN '{location_id,id}'
    WHEN 'settlements' THEN '{location_id,id}'
    WHEN 'categories' THEN '{location_id,id}'
    WHEN 'menus' THEN '{location_id,id}'
    WHEN 'menu_categories' THEN '{location_id,menu_id,category_id}'
    WHEN 'products' THEN '{location_id,id}'
    WHEN 'product_categories' THEN '{location_id,product_id,category_id}'
    WHEN 'product_stock' THEN '{location_id,product_id}'
    WHEN 'subselections' THEN '{location_id,id}'
    WHEN 'subselection_items' THEN '{location_id,id}'
    WHEN 'orders' THEN '{location_id,id}'
    WHEN 'order_items' THEN '{location_id,order_id,position}'
    WHEN 'payments' THEN '{location_id,id}'
    WHEN 'webhook_endpoints' THEN '{location_id,id}' END::text[]
$$;

-- Rows that are deleted with a row of one of them and are kept nowhere, so that its deletion cannot be
-- undone.
CREATE FUNCTION gone_with(p_relation text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(CASE p_relation
    WHEN 'locations' THEN '{app_codes,audit_entries,catalog_versions,certifications,deleted_records,events,location_counters,location_moves,price_changes,sync_jobs}'
    WHEN 'api_keys' THEN '{idempotency_keys}'
    WHEN 'orders' THEN '{order_moves,settlement_entries}'
    WHEN 'payments' THEN '{settlement_entries}'
    WHEN 'webhook_endpoints' THEN '{endpoint_health,webhook_secrets}' END, '{}')::text[]
$$;
