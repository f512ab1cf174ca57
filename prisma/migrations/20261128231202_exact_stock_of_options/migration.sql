-- The rows are held to three decimals by the type before, so they are read by the next migration, which lets rows be written.
ALTER TABLE subselection_items DROP CONSTRAINT subselection_items_stock_check, ALTER COLUMN stock_quantity TYPE numeric,
  ADD CONSTRAINT subselection_items_stock_quantity_check
    CHECK (stock_quantity BETWEEN 0 AND 9999999999.999 AND stock_quantity = round(stock_quantity, 3)) NOT VALID;
