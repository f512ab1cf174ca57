-- The audit without what programs did: most lists leave that out, however much there is of it.
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_of_people_idx;
CREATE INDEX CONCURRENTLY audit_entries_of_people_idx ON audit_entries (location_id, created_at DESC, id DESC) WHERE resource_ids IS NULL;
