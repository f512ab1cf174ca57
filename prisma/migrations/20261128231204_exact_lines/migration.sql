-- As 20261128231201_exact_stock: the type first, then the rule of its domain, and the triggers again.
CREATE DOMAIN order_items_unit_price AS numeric;
CREATE DOMAIN order_items_quantity AS numeric;
CREATE DOMAIN order_items_total AS numeric;
CREATE DOMAIN order_items_tax_rate AS numeric;
-- prisma/sql makes it again.
DROP VIEW IF EXISTS orders_today;
DO $do$
DECLARE
  triggers record;
  statement text;
BEGIN
  SELECT array_agg(format('DROP TRIGGER %I ON order_items', t.tgname)) AS dropped, array_agg(pg_get_triggerdef(t.oid)) || ARRAY(
      SELECT format('ALTER FUNCTION %s COST %s', p.oid::regprocedure, p.procost) FROM pg_proc p WHERE 'order_items'::regtype = ANY (p.proargtypes::oid[])) AS made
  INTO triggers
  FROM pg_trigger t WHERE t.tgrelid = 'order_items'::regclass AND NOT t.tgisinternal;
  FOREACH statement IN ARRAY coalesce(triggers.dropped, '{}') LOOP
    EXECUTE statement;
  END LOOP;
  ALTER TABLE order_items
    DROP CONSTRAINT order_items_quantity_check,
    ALTER COLUMN unit_price TYPE order_items_unit_price,
    ALTER COLUMN quantity TYPE order_items_quantity,
    ALTER COLUMN total TYPE order_items_total,
    ALTER COLUMN tax_rate TYPE order_items_tax_rate;
  FOREACH statement IN ARRAY coalesce(triggers.made, '{}') LOOP
    EXECUTE statement;
  END LOOP;
END $do$;
ALTER DOMAIN order_items_unit_price ADD CONSTRAINT order_items_unit_price_check
  CHECK (VALUE BETWEEN 0 AND 9999999999.99 AND VALUE = round(VALUE, 2)) NOT VALID;
ALTER DOMAIN order_items_quantity ADD CONSTRAINT order_items_quantity_check
  CHECK (VALUE BETWEEN 0.001 AND 9999999999.999 AND VALUE = round(VALUE, 3)) NOT VALID;
ALTER DOMAIN order_items_total ADD CONSTRAINT order_items_total_check
  CHECK (VALUE BETWEEN 0 AND 9999999999.99 AND VALUE = round(VALUE, 2)) NOT VALID;
ALTER DOMAIN order_items_tax_rate ADD CONSTRAINT order_items_tax_rate_check
  CHECK (VALUE BETWEEN 0 AND 100 AND VALUE = round(VALUE, 4)) NOT VALID;
