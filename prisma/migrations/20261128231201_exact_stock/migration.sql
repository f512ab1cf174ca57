-- What people type of stock. A numeric with a scale rounds what has more decimals before any rule sees it. This one has none, and a domain that
-- refuses. A domain is checked where its column is written; the text of a CHECK would be read by every statement that writes.
-- No row is rewritten or read: the type is changed before the domain has its rule, and the rule is not validated, since the type
-- before held every row to it. Triggers of a column bar a change of its type, and a session keeps the types of a row with what it
-- has compiled of a trigger or of a function that takes a row, so triggers are made again, and such functions altered, as they are.
CREATE DOMAIN product_stock_quantity AS numeric;
CREATE DOMAIN product_stock_min_stock_alarm AS numeric;
-- prisma/sql makes it again.
DROP VIEW IF EXISTS low_stock;
DO $do$
DECLARE
  triggers record;
  statement text;
BEGIN
  SELECT array_agg(format('DROP TRIGGER %I ON product_stock', t.tgname)) AS dropped, array_agg(pg_get_triggerdef(t.oid)) || ARRAY(
      SELECT format('ALTER FUNCTION %s COST %s', p.oid::regprocedure, p.procost) FROM pg_proc p WHERE 'product_stock'::regtype = ANY (p.proargtypes::oid[])) AS made
  INTO triggers
  FROM pg_trigger t WHERE t.tgrelid = 'product_stock'::regclass AND NOT t.tgisinternal;
  FOREACH statement IN ARRAY coalesce(triggers.dropped, '{}') LOOP
    EXECUTE statement;
  END LOOP;
  ALTER TABLE product_stock
    ALTER COLUMN quantity TYPE product_stock_quantity,
    ALTER COLUMN min_stock_alarm TYPE product_stock_min_stock_alarm;
  FOREACH statement IN ARRAY coalesce(triggers.made, '{}') LOOP
    EXECUTE statement;
  END LOOP;
END $do$;
ALTER DOMAIN product_stock_quantity ADD CONSTRAINT product_stock_quantity_check
  CHECK (VALUE BETWEEN 0 AND 9999999999.999 AND VALUE = round(VALUE, 3)) NOT VALID;
ALTER DOMAIN product_stock_min_stock_alarm ADD CONSTRAINT product_stock_min_stock_alarm_check
  CHECK (VALUE BETWEEN 0 AND 9999999999.999 AND VALUE = round(VALUE, 3)) NOT VALID;
-- The domain before stays for the plans of sessions that are open: they look its type up.
ALTER DOMAIN stock_amount DROP CONSTRAINT stock_amount_check;
