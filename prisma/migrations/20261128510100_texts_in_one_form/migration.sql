-- Rows that are already in the location in another normalization form of the same identifier: see the next migration. A constant default:
-- no table is written anew.
ALTER TABLE categories ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;
ALTER TABLE products ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;
ALTER TABLE products ADD COLUMN sku_twin boolean NOT NULL DEFAULT false;
ALTER TABLE subselections ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;
ALTER TABLE subselection_items ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;
ALTER TABLE orders ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;

-- Names and descriptions are stored in NFC. Triggers publish these changes, so that readers of the catalog learn the new spelling.
UPDATE products SET name = normalize(name, NFC), description = normalize(description, NFC)
  WHERE name IS NOT NFC NORMALIZED OR description IS NOT NFC NORMALIZED;
UPDATE categories SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED;
UPDATE subselections SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED;
UPDATE subselection_items SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED;
UPDATE menus SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED;
UPDATE payment_methods SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED;
UPDATE api_keys SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED;
UPDATE locations SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED;
