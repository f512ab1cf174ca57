-- The first call of a capture function fixes its plan for the session. A call with few rows would fix a nested
-- loop between the old and the new rows, and a later bulk statement would compare each row with each: seconds
-- instead of milliseconds for some thousands of products.
DO $$
DECLARE
  capture regprocedure;
BEGIN
  FOR capture IN
    SELECT oid FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND starts_with(proname, 'capture_update_')
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET enable_nestloop = off', capture);
  END LOOP;
END $$;
