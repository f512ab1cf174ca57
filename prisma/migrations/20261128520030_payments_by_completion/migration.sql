-- Payments by the day of their completion.
DROP INDEX CONCURRENTLY IF EXISTS settlement_entries_completed_idx;
CREATE INDEX CONCURRENTLY settlement_entries_completed_idx ON settlement_entries (location_id, created_at, payment_id) WHERE kind = 'payment';
