-- GET /v2/payments reads by the moment of the last change.
DROP INDEX CONCURRENTLY IF EXISTS payments_location_id_updated_at_id_idx;
CREATE INDEX CONCURRENTLY payments_location_id_updated_at_id_idx ON payments (location_id, updated_at, id);
