-- As 20261128231201_exact_stock: the type first, then the rule of its domain, and the triggers of the column again.
CREATE DOMAIN payments_amount AS numeric;
DO $do$
DECLARE
  triggers record;
  statement text;
BEGIN
  SELECT array_agg(format('DROP TRIGGER %I ON payments', t.tgname)) AS dropped, array_agg(pg_get_triggerdef(t.oid)) AS made INTO triggers
  FROM pg_trigger t WHERE t.tgrelid = 'payments'::regclass AND NOT t.tgisinternal AND EXISTS (
    SELECT FROM pg_depend d JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
    WHERE d.classid = 'pg_trigger'::regclass AND d.objid = t.oid AND d.refobjid = t.tgrelid AND a.attname IN ('amount'));
  FOREACH statement IN ARRAY coalesce(triggers.dropped, '{}') LOOP
    EXECUTE statement;
  END LOOP;
  ALTER TABLE payments
    ALTER COLUMN amount TYPE payments_amount;
  FOREACH statement IN ARRAY coalesce(triggers.made, '{}') LOOP
    EXECUTE statement;
  END LOOP;
END $do$;
ALTER DOMAIN payments_amount ADD CONSTRAINT payments_amount_check
  CHECK (VALUE BETWEEN 0 AND 9999999999.99 AND VALUE = round(VALUE, 2)) NOT VALID;
DROP DOMAIN order_amount;
