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

-- Two identifiers that differ in normalization alone are one, for every writer: unique indexes over their NFC. They leave out plain ones
-- (ASCII without K, a semicolon and a backtick, which are the NFC of other characters): no other text equals those after normalization, and
-- the indexes over the exact text hold them apart. So an ordinary order or product pays nothing here.
-- Twins that are there already stay: all but one of them are marked, and the indexes count a marked row as a form of its own. The one that is not
-- marked is in NFC where one is. No other writer sets a mark (prisma/sql/identifiers.sql), and comanda doctor lists the rows.
-- A run that failed begins again: what became a twin meanwhile is marked then.
UPDATE categories r SET external_id_twin = true FROM (
    SELECT location_id, id, row_number() OVER (PARTITION BY location_id, normalize(external_id, NFC) ORDER BY external_id_twin, external_id IS NFC NORMALIZED DESC, created_at, id) AS place
    FROM categories WHERE external_id !~ '^[ -:<-JL-_a-~]*$') t
  WHERE t.place > 1 AND r.location_id = t.location_id AND r.id = t.id AND NOT r.external_id_twin;
UPDATE products r SET external_id_twin = true FROM (
    SELECT location_id, id, row_number() OVER (PARTITION BY location_id, normalize(external_id, NFC) ORDER BY external_id_twin, external_id IS NFC NORMALIZED DESC, created_at, id) AS place
    FROM products WHERE external_id !~ '^[ -:<-JL-_a-~]*$') t
  WHERE t.place > 1 AND r.location_id = t.location_id AND r.id = t.id AND NOT r.external_id_twin;
UPDATE products r SET sku_twin = true FROM (
    SELECT location_id, id, row_number() OVER (PARTITION BY location_id, normalize(sku, NFC) ORDER BY sku_twin, sku IS NFC NORMALIZED DESC, created_at, id) AS place
    FROM products WHERE sku !~ '^[ -:<-JL-_a-~]*$') t
  WHERE t.place > 1 AND r.location_id = t.location_id AND r.id = t.id AND NOT r.sku_twin;
UPDATE subselections r SET external_id_twin = true FROM (
    SELECT location_id, id, row_number() OVER (PARTITION BY location_id, product_id, normalize(external_id, NFC) ORDER BY external_id_twin, external_id IS NFC NORMALIZED DESC, created_at, id) AS place
    FROM subselections WHERE external_id !~ '^[ -:<-JL-_a-~]*$') t
  WHERE t.place > 1 AND r.location_id = t.location_id AND r.id = t.id AND NOT r.external_id_twin;
UPDATE subselection_items r SET external_id_twin = true FROM (
    SELECT location_id, id, row_number() OVER (PARTITION BY location_id, subselection_id, normalize(external_id, NFC) ORDER BY external_id_twin, external_id IS NFC NORMALIZED DESC, created_at, id) AS place
    FROM subselection_items WHERE external_id !~ '^[ -:<-JL-_a-~]*$') t
  WHERE t.place > 1 AND r.location_id = t.location_id AND r.id = t.id AND NOT r.external_id_twin;
UPDATE orders r SET external_id_twin = true FROM (
    SELECT location_id, id, row_number() OVER (PARTITION BY location_id, normalize(external_id, NFC) ORDER BY external_id_twin, external_id IS NFC NORMALIZED DESC, created_at, id) AS place
    FROM orders WHERE external_id !~ '^[ -:<-JL-_a-~]*$') t
  WHERE t.place > 1 AND r.location_id = t.location_id AND r.id = t.id AND NOT r.external_id_twin;
DROP INDEX CONCURRENTLY IF EXISTS categories_external_id_form_idx;
CREATE UNIQUE INDEX CONCURRENTLY categories_external_id_form_idx ON categories
  (location_id, normalize(external_id, NFC), (CASE WHEN external_id_twin THEN id ELSE '00000000-0000-0000-0000-000000000000'::uuid END)) WHERE external_id !~ '^[ -:<-JL-_a-~]*$';
DROP INDEX CONCURRENTLY IF EXISTS products_external_id_form_idx;
CREATE UNIQUE INDEX CONCURRENTLY products_external_id_form_idx ON products
  (location_id, normalize(external_id, NFC), (CASE WHEN external_id_twin THEN id ELSE '00000000-0000-0000-0000-000000000000'::uuid END)) WHERE external_id !~ '^[ -:<-JL-_a-~]*$';
DROP INDEX CONCURRENTLY IF EXISTS products_sku_form_idx;
CREATE UNIQUE INDEX CONCURRENTLY products_sku_form_idx ON products
  (location_id, normalize(sku, NFC), (CASE WHEN sku_twin THEN id ELSE '00000000-0000-0000-0000-000000000000'::uuid END)) WHERE sku !~ '^[ -:<-JL-_a-~]*$';
DROP INDEX CONCURRENTLY IF EXISTS subselections_external_id_form_idx;
CREATE UNIQUE INDEX CONCURRENTLY subselections_external_id_form_idx ON subselections
  (location_id, product_id, normalize(external_id, NFC), (CASE WHEN external_id_twin THEN id ELSE '00000000-0000-0000-0000-000000000000'::uuid END)) WHERE external_id !~ '^[ -:<-JL-_a-~]*$';
DROP INDEX CONCURRENTLY IF EXISTS subselection_items_external_id_form_idx;
CREATE UNIQUE INDEX CONCURRENTLY subselection_items_external_id_form_idx ON subselection_items
  (location_id, subselection_id, normalize(external_id, NFC), (CASE WHEN external_id_twin THEN id ELSE '00000000-0000-0000-0000-000000000000'::uuid END)) WHERE external_id !~ '^[ -:<-JL-_a-~]*$';
DROP INDEX CONCURRENTLY IF EXISTS orders_external_id_form_idx;
CREATE UNIQUE INDEX CONCURRENTLY orders_external_id_form_idx ON orders
  (location_id, normalize(external_id, NFC), (CASE WHEN external_id_twin THEN id ELSE '00000000-0000-0000-0000-000000000000'::uuid END)) WHERE external_id !~ '^[ -:<-JL-_a-~]*$';
