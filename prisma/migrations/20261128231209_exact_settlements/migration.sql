-- As 20261128231201_exact_stock: the type first, then the rule of its domain, and the triggers again.
CREATE DOMAIN settlements_total_collected AS numeric;
CREATE DOMAIN settlements_average_ticket AS numeric;
DO $do$
DECLARE
  triggers record;
  statement text;
BEGIN
  SELECT array_agg(format('DROP TRIGGER %I ON settlements', t.tgname)) AS dropped, array_agg(pg_get_triggerdef(t.oid)) || ARRAY(
      SELECT format('ALTER FUNCTION %s COST %s', p.oid::regprocedure, p.procost) FROM pg_proc p WHERE 'settlements'::regtype = ANY (p.proargtypes::oid[])) AS made
  INTO triggers
  FROM pg_trigger t WHERE t.tgrelid = 'settlements'::regclass AND NOT t.tgisinternal;
  FOREACH statement IN ARRAY coalesce(triggers.dropped, '{}') LOOP
    EXECUTE statement;
  END LOOP;
  ALTER TABLE settlements
    ALTER COLUMN total_collected TYPE settlements_total_collected,
    ALTER COLUMN average_ticket TYPE settlements_average_ticket;
  FOREACH statement IN ARRAY coalesce(triggers.made, '{}') LOOP
    EXECUTE statement;
  END LOOP;
END $do$;
ALTER DOMAIN settlements_total_collected ADD CONSTRAINT settlements_total_collected_check
  CHECK (VALUE BETWEEN -99999999999999999999.99 AND 99999999999999999999.99 AND VALUE = round(VALUE, 2)) NOT VALID;
ALTER DOMAIN settlements_average_ticket ADD CONSTRAINT settlements_average_ticket_check
  CHECK (VALUE BETWEEN -999999999999.99 AND 999999999999.99 AND VALUE = round(VALUE, 2)) NOT VALID;
