-- As it was when the order was made.
ALTER TABLE order_items ADD COLUMN category jsonb;
