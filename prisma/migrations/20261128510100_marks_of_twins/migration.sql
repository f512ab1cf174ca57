-- Rows that are already in the location in another normalization form of the same identifier: see the next migration. A constant default:
-- no table is written anew.
ALTER TABLE categories ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;
ALTER TABLE products ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;
ALTER TABLE products ADD COLUMN sku_twin boolean NOT NULL DEFAULT false;
ALTER TABLE subselections ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;
ALTER TABLE subselection_items ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;
ALTER TABLE orders ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;
