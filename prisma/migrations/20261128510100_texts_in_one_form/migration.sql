-- Rows that are already in the location in another normalization form of the same identifier: see the next migration. A constant default:
-- no table is written anew.
ALTER TABLE categories ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;
ALTER TABLE products ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;
ALTER TABLE products ADD COLUMN sku_twin boolean NOT NULL DEFAULT false;
ALTER TABLE subselections ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;
ALTER TABLE subselection_items ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;
ALTER TABLE orders ADD COLUMN external_id_twin boolean NOT NULL DEFAULT false;

-- Names and descriptions are stored in NFC. Triggers publish these changes, so that readers of the catalog learn the new spelling. A few
-- letters are longer in NFC: a text that would exceed its bound stays as it is.
UPDATE products SET name = normalize(name, NFC)
  WHERE name IS NOT NFC NORMALIZED AND char_length(normalize(name, NFC)) <= 255;
UPDATE products SET description = normalize(description, NFC)
  WHERE description IS NOT NFC NORMALIZED AND char_length(normalize(description, NFC)) <= 10000;
UPDATE categories SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED AND char_length(normalize(name, NFC)) <= 255;
UPDATE subselections SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED AND char_length(normalize(name, NFC)) <= 255;
UPDATE subselection_items SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED AND char_length(normalize(name, NFC)) <= 255;
UPDATE menus SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED AND char_length(normalize(name, NFC)) <= 255;
UPDATE payment_methods SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED AND char_length(normalize(name, NFC)) <= 255;
UPDATE api_keys SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED AND char_length(normalize(name, NFC)) <= 255;
UPDATE locations SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED AND char_length(normalize(name, NFC)) <= 255;
