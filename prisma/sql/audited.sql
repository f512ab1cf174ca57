-- Of which tables a hand edit is kept with its rows, before and after (auditing.sql). An edit of any other table that the
-- service alone writes (guarded.sql) needs a deed; that it was done is written down, and no row of it: there stand bodies,
-- answers and sealed secrets.
--
--   left_out   columns whose values are never kept: that they changed is told
--
-- A table that is told by its id (watched.sql) and that people write is kept, too, without a row here. Parents stand before
-- their children: so an undo inserts them again (audit_undo.sql).
CREATE FUNCTION audited() RETURNS TABLE (relation text, left_out text[]) LANGUAGE sql IMMUTABLE AS $$
  WITH said (relation, left_out) AS (VALUES
  ('locations',          '{}'::text[]),
  ('categories',         '{}'),
  ('products',           '{}'),
  ('product_categories', '{}'),
  ('product_stock',      '{}'),
  ('subselections',      '{}'),
  ('subselection_items', '{}'),
  ('menus',              '{}'),
  ('menu_categories',    '{}'),
  ('payment_methods',    '{}'),
  ('turns',              '{}'),
  ('settlements',        '{}'),
  ('orders',             '{}'),
  ('order_items',        '{}'),
  ('payments',           '{}'),
  ('api_keys',           '{key_hash}'),
  ('webhook_endpoints',  '{}'))
  SELECT * FROM said
  UNION ALL
  SELECT w.relation, '{}' FROM watched() w WHERE w.of = 'id' AND w.relation NOT IN (SELECT s.relation FROM said s)
    AND w.relation NOT IN (SELECT g.relation FROM guarded() g WHERE g.rule = 'service' AND g.columns = 'iud')
$$;
