-- Percent, included in the price. The rows that are there have none, so they are not looked at under the lock of this migration.
ALTER TABLE products ADD COLUMN tax_rate numeric,
  ADD CONSTRAINT products_tax_rate_check CHECK (tax_rate BETWEEN 0 AND 100 AND tax_rate = round(tax_rate, 4)) NOT VALID;
-- As it was when the order was made.
ALTER TABLE order_items ADD COLUMN tax_rate numeric(7, 4);
