-- The orders of a turn, page by page; it stands in for the index without the id.
DROP INDEX CONCURRENTLY IF EXISTS orders_location_id_turn_id_id_idx;
CREATE INDEX CONCURRENTLY orders_location_id_turn_id_id_idx ON orders (location_id, turn_id, id);
DROP INDEX CONCURRENTLY IF EXISTS orders_location_id_turn_id_idx;
