-- One payment of an order is not replaced. It stands in for the index without that column.
DROP INDEX CONCURRENTLY IF EXISTS payments_location_id_order_id_replaced_key;
CREATE UNIQUE INDEX CONCURRENTLY payments_location_id_order_id_replaced_key ON payments (location_id, order_id, replaced);
-- Counts them: every order has one more payment than it has replaced ones.
DROP INDEX CONCURRENTLY IF EXISTS payments_replaced_idx;
CREATE INDEX CONCURRENTLY payments_replaced_idx ON payments (location_id) WHERE replaced > 0;
