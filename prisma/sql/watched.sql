-- What is watched of every table, on one screen. A new column is one edit here.
--
--   touched      updated_at moves with every real change
--   told as, of  the resource that captured_changes names, and the column with its id
--   on           i, u, d: inserts, updates, deletes are told; l: a delete is told with the resource's last state;
--                p: place_order tells and counts itself what it does, by the same resource (orders.sql)
--                Made of the columns (columns.sql): j: <relation>_json, which shows the resource, and write_<relation>_row;
--                c, for what shows more: <relation>_columns, <relation>_in_catalog of those with *, and write_<relation>_row
--   columns      a change of these is told. * it also shows in GET /v2/catalog   ~ it shows there and is not told
--                ! its value before and after is recorded   ^ other entries show it, too: touched_by_<relation> touches them
--                (changes.sql)
--                < its last value is recorded when the row is deleted: what the row was a part of
--   counted      tallies by this expression of a row `r`, named after the resource
--
-- Told elsewhere: lines of an order are told as their order (orders.sql); tests of endpoints and publications of the
-- catalog are written by the API. The catalog also shows the location's zone (catalog.sql).
CREATE FUNCTION watched() RETURNS TABLE (
  relation text, touched boolean, told_as text, of text, told_on text, columns text, counted text, counted_at text
) LANGUAGE sql IMMUTABLE AS $$
  VALUES
  ('locations',          true,  null,                 null,         '',    '', null, null),
  ('categories',         true,  'category',           'id',         'iud', 'external_id* name*^ priority*^ visible* image_url', null, null),
  ('products',           true,  'product',            'id',         'iulc', 'external_id*^ sku*^ name*^ description price* visible* image_url',
     'CASE WHEN r.visible THEN ''visible'' ELSE ''hidden'' END', '''-infinity''::timestamptz'),
  ('product_categories', false, 'product_categories', 'product_id', 'iud', 'category_id*', null, null),
  ('product_stock',      true,  'stock',              'product_id', 'iudp', 'enabled* quantity* min_stock_alarm', null, null),
  ('subselections',      true,  'subselection',       'id',         'iud', 'product_id*< external_id* name* min_selection* max_selection* single* position*', null, null),
  ('subselection_items', true,  'subselection_item',  'id',         'iud', 'subselection_id*< external_id* name* price* min* max* visible* image_url* position* stock_enabled~ stock_quantity~', null, null),
  ('menus',              true,  null,                 null,         '',    '', null, null),
  ('orders',             true,  'order',              'id',         'iulp', 'number external_id! status! total channel is_take_away identifier payment_method_id cancel_reason',
     'r.status', 'order_stretch(1, r.created_at)'),
  ('payments',           true,  'payment',            'id',         'iulp', 'amount status! payment_method_id', null, null),
  ('payment_methods',    true,  null,                 null,         '',    '', null, null),
  ('turns',              false, 'turn',               'id',         'iul', 'batch_number status! started_at ended_at', null, null),
  ('settlements',        false, 'settlement',         'id',         'i',   '', null, null),
  ('sync_jobs',          false, 'sync_job',           'id',         'u',   'status!', null, null),
  ('webhook_endpoints',  true,  null,                 null,         '',    '', null, null)
$$;
