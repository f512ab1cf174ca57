-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

-- The tables of which the audit keeps rows, parents before their children, with their primary keys.
CREATE FUNCTION audited_tables() RETURNS TABLE (relation text, place int, key text[]) LANGUAGE sql IMMUTABLE AS $$
  VALUES
    ('locations', 1, '{id}'::text[]),
    ('api_keys', 2, '{location_id,id}'::text[]),
    ('payment_methods', 3, '{location_id,id}'::text[]),
    ('turns', 4, '{location_id,id}'::text[]),
    ('settlements', 5, '{location_id,id}'::text[]),
    ('categories', 6, '{location_id,id}'::text[]),
    ('menus', 7, '{location_id,id}'::text[]),
    ('menu_categories', 8, '{location_id,menu_id,category_id}'::text[]),
    ('products', 9, '{location_id,id}'::text[]),
    ('product_categories', 10, '{location_id,product_id,category_id}'::text[]),
    ('product_stock', 11, '{location_id,product_id}'::text[]),
    ('subselections', 12, '{location_id,id}'::text[]),
    ('subselection_items', 13, '{location_id,id}'::text[]),
    ('orders', 14, '{location_id,id}'::text[]),
    ('order_items', 15, '{location_id,order_id,position}'::text[]),
    ('payments', 16, '{location_id,id}'::text[]),
    ('webhook_endpoints', 17, '{location_id,id}'::text[])
$$;
