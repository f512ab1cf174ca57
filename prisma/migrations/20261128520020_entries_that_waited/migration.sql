-- The entries that waited for a turn, by the moment at which it took them.
DROP INDEX CONCURRENTLY IF EXISTS settlement_entries_placed_idx;
CREATE INDEX CONCURRENTLY settlement_entries_placed_idx ON settlement_entries (location_id, placed_at, id) WHERE placed_at IS NOT NULL;
