-- By itself: it reads the table under a lock that lets rows be written.
ALTER TABLE subselection_items VALIDATE CONSTRAINT subselection_items_stock_quantity_check;
