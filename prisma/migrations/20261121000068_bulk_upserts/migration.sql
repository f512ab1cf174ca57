-- Documents of many products at once (docs/decisions/0018). What a document shows is taken from the rows that were
-- written, which are still held, and no longer looked up. A plan is made at the first call of a connection and kept:
-- made while there were few products, it read all of them each time when they had become many. So these functions go
-- to a document by its key, whatever the planner believes.
CREATE FUNCTION product_head(id uuid, external_id text, sku text, name text, description text, price numeric, visible boolean,
  image_url text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT '{"id":"' || id || '"' || coalesce(',"external_id":' || to_json(external_id)::text, '')
    || ',"sku":' || to_json(sku)::text || ',"name":' || to_json(name)::text
    || ',"description":' || to_json(description)::text || ',"price":' || trim_scale(price)::text
    || ',"visible":' || visible::text || ',"image_url":' || to_json(image_url)::text
$$;

-- A new product has no categories yet.
CREATE OR REPLACE FUNCTION document_products() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH t AS MATERIALIZED (
    SELECT l.location_id, y.category_changes
    FROM (SELECT DISTINCT location_id FROM new_rows) l, LATERAL product_tally(l.location_id) y
  )
  INSERT INTO product_documents (location_id, product_id, head, categories, category_changes)
  SELECT n.location_id, n.id,
    product_head(n.id, n.external_id, n.sku, n.name, n.description, n.price, n.visible, n.image_url), '[]', t.category_changes
  FROM new_rows n JOIN t USING (location_id);
  PERFORM add_to_product_tally(c.location_id, c.visible, c.hidden, 0) FROM (
    SELECT n.location_id, count(*) FILTER (WHERE n.visible) AS visible, count(*) FILTER (WHERE NOT n.visible) AS hidden
    FROM new_rows n GROUP BY 1
  ) c;
  RETURN NULL;
END $$;

-- Where an id was changed, the product's or the location's, the document has followed, and its category list is outdated.
CREATE OR REPLACE FUNCTION document_changed_products() RETURNS trigger LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
BEGIN
  -- EXCEPT and IN are hashed whatever is set above: two sets of rows are never compared each with each.
  UPDATE product_documents d
  SET head = product_head(c.id, c.external_id, c.sku, c.name, c.description, c.price, c.visible, c.image_url),
    category_changes = CASE WHEN (c.location_id, c.id) IN (SELECT o.location_id, o.id FROM old_rows o)
      THEN d.category_changes ELSE -1 END
  FROM (
    SELECT n.location_id, n.id, n.external_id, n.sku, n.name, n.description, n.price, n.visible, n.image_url FROM new_rows n
    EXCEPT
    SELECT o.location_id, o.id, o.external_id, o.sku, o.name, o.description, o.price, o.visible, o.image_url FROM old_rows o
  ) c
  WHERE d.location_id = c.location_id AND d.product_id = c.id;
  PERFORM add_to_product_tally(c.location_id, c.visible, c.hidden, 0) FROM (
    SELECT x.location_id, coalesce(sum(x.n) FILTER (WHERE x.visible), 0)::bigint AS visible,
      coalesce(sum(x.n) FILTER (WHERE NOT x.visible), 0)::bigint AS hidden
    FROM (
      SELECT o.location_id, o.visible, -1 AS n FROM old_rows o UNION ALL SELECT n.location_id, n.visible, 1 FROM new_rows n
    ) x GROUP BY 1
  ) c WHERE c.visible <> 0 OR c.hidden <> 0;
  RETURN NULL;
END $$;

DROP FUNCTION product_head(products);
