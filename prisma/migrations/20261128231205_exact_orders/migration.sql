-- As 20261128231201_exact_stock: the type first, then the rule of its domain, and the triggers again.
CREATE DOMAIN orders_total AS numeric;
-- prisma/sql makes it again.
DROP VIEW IF EXISTS orders_today;
DO $do$
DECLARE
  triggers record;
  statement text;
BEGIN
  SELECT array_agg(format('DROP TRIGGER %I ON orders', t.tgname)) AS dropped, array_agg(pg_get_triggerdef(t.oid)) || ARRAY(
      SELECT format('ALTER FUNCTION %s COST %s', p.oid::regprocedure, p.procost) FROM pg_proc p WHERE 'orders'::regtype = ANY (p.proargtypes::oid[])) AS made
  INTO triggers
  FROM pg_trigger t WHERE t.tgrelid = 'orders'::regclass AND NOT t.tgisinternal;
  FOREACH statement IN ARRAY coalesce(triggers.dropped, '{}') LOOP
    EXECUTE statement;
  END LOOP;
  ALTER TABLE orders
    ALTER COLUMN total TYPE orders_total;
  FOREACH statement IN ARRAY coalesce(triggers.made, '{}') LOOP
    EXECUTE statement;
  END LOOP;
END $do$;
ALTER DOMAIN orders_total ADD CONSTRAINT orders_total_check
  CHECK (VALUE BETWEEN 0 AND 9999999999.99 AND VALUE = round(VALUE, 2)) NOT VALID;
