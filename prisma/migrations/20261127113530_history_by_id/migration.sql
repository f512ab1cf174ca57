-- The history of a product or category.
DROP INDEX CONCURRENTLY IF EXISTS audit_entries_resource_ids_idx;
CREATE INDEX CONCURRENTLY audit_entries_resource_ids_idx ON audit_entries USING gin (resource_ids) WHERE resource_ids IS NOT NULL;
