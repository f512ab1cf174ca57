-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE FUNCTION capture_update_sync_jobs() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  WITH changed AS MATERIALIZED (
    SELECT coalesce(n.location_id, o.location_id) AS location_id, coalesce(n.id, o.id) AS id,
      CASE WHEN o.location_id IS NULL THEN 'insert' WHEN n.location_id IS NULL THEN 'delete' ELSE 'update' END AS operation,
      CASE WHEN o.status IS DISTINCT FROM n.status THEN 1 ELSE 0 END AS changed,
      jsonb_build_object('status', o.status) AS before, jsonb_build_object('status', n.status) AS after
    FROM old_rows o FULL JOIN new_rows n ON n.location_id = o.location_id AND n.id = o.id
    WHERE ROW(o.status)
        IS DISTINCT FROM ROW(n.status)
      OR o.location_id IS NULL OR n.location_id IS NULL
  )
  INSERT INTO internal.captured_changes (location_id, resource, operation, changed, in_catalog, resource_ids, before, after)
  SELECT c.location_id, 'sync_job', c.operation,
    array_remove(ARRAY[CASE WHEN c.changed & 1 <> 0 THEN 'status' END]::text[], NULL),
    false, array_agg(c.id), array_agg(c.before), array_agg(c.after)
  FROM (
    SELECT c.location_id, c.operation, c.changed, c.id, c.before, c.after, (row_number() OVER () - 1) / 500 AS share
    FROM changed c WHERE c.operation <> 'update' OR c.changed & 1 <> 0
  ) c
  GROUP BY c.location_id, c.operation, c.changed, c.share;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_update AFTER UPDATE ON sync_jobs
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_update_sync_jobs();

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON sync_jobs
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('sync jobs are the service''s: start one by POST /v2/sync/products');
