-- Products are read far more often than they are changed: what they are answered with is written with them
-- (docs/decisions/0012). Their stock is not part of it, for every order changes that: it is put in between when read.

-- CreateTable
CREATE TABLE "product_documents" (
    "location_id" UUID NOT NULL,
    "product_id" UUID NOT NULL,
    "head" TEXT COLLATE "C" NOT NULL,
    "categories" TEXT COLLATE "C" NOT NULL,
    "category_changes" BIGINT NOT NULL,

    CONSTRAINT "product_documents_pkey" PRIMARY KEY ("location_id","product_id")
);

-- CreateTable
CREATE TABLE "product_tallies" (
    "location_id" UUID NOT NULL,
    "backend" INTEGER NOT NULL,
    "visible" BIGINT NOT NULL,
    "hidden" BIGINT NOT NULL,
    "category_changes" BIGINT NOT NULL,

    CONSTRAINT "product_tallies_pkey" PRIMARY KEY ("location_id","backend")
);

-- Room on the page keeps the new version beside the old.
ALTER TABLE product_documents SET (fillfactor = 70);

-- AddForeignKey
ALTER TABLE "product_documents" ADD CONSTRAINT "product_documents_location_id_product_id_fkey" FOREIGN KEY ("location_id", "product_id") REFERENCES "products"("location_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- How many products a location shows and hides, and how often categories were changed in what a product shows of them.
-- Sums over the rows of all connections: each writes a row of its own, so nobody waits and none can be in a deadlock.
CREATE FUNCTION product_tally(p_location uuid) RETURNS TABLE (visible bigint, hidden bigint, category_changes bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(sum(t.visible), 0)::bigint, coalesce(sum(t.hidden), 0)::bigint, coalesce(sum(t.category_changes), 0)::bigint
  FROM product_tallies t WHERE t.location_id = p_location
$$;

-- A location that is being deleted is counted no more.
CREATE FUNCTION add_to_product_tally(p_location uuid, p_visible bigint, p_hidden bigint, p_category_changes bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO product_tallies AS t (location_id, backend, visible, hidden, category_changes)
  SELECT l.id, pg_backend_pid(), p_visible, p_hidden, p_category_changes FROM locations l WHERE l.id = p_location
  ON CONFLICT (location_id, backend) DO UPDATE SET visible = t.visible + excluded.visible,
    hidden = t.hidden + excluded.hidden, category_changes = t.category_changes + excluded.category_changes;
  IF (SELECT count(*) FROM product_tallies t WHERE t.location_id = p_location) > 64 THEN
    PERFORM fold_product_tallies(p_location);
  END IF;
END $$;

-- Rows of connections that have ended become one: the sums stay. One folds at a time; see fold_order_counts.
CREATE FUNCTION fold_product_tallies(p_location uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed'
    OR NOT pg_try_advisory_xact_lock(hashtextextended('product_tallies' || p_location, 0)) THEN
    RETURN;
  END IF;
  WITH ended AS (
    SELECT t.backend FROM product_tallies t
    WHERE t.location_id = p_location AND t.backend <> 0 AND t.backend NOT IN (SELECT pid FROM pg_stat_activity)
    FOR UPDATE SKIP LOCKED
  ), folded AS (
    DELETE FROM product_tallies t USING ended e WHERE t.location_id = p_location AND t.backend = e.backend RETURNING t.*
  )
  INSERT INTO product_tallies AS t (location_id, backend, visible, hidden, category_changes)
  SELECT p_location, 0, sum(f.visible), sum(f.hidden), sum(f.category_changes) FROM folded f HAVING count(*) > 0
  ON CONFLICT (location_id, backend) DO UPDATE SET visible = t.visible + excluded.visible,
    hidden = t.hidden + excluded.hidden, category_changes = t.category_changes + excluded.category_changes;
END $$;

-- The members of a product before its stock.
CREATE FUNCTION product_head(p products) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT '{"id":"' || p.id || '"' || coalesce(',"external_id":' || to_json(p.external_id)::text, '')
    || ',"sku":' || to_json(p.sku)::text || ',"name":' || to_json(p.name)::text
    || ',"description":' || to_json(p.description)::text || ',"price":' || trim_scale(p.price)::text
    || ',"visible":' || p.visible::text || ',"image_url":' || to_json(p.image_url)::text
$$;

-- The list of a product's categories.
CREATE FUNCTION product_category_list(p_location uuid, p_product uuid) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce('[' || string_agg('{"id":"' || c.id || '","name":' || to_json(c.name)::text || '}',
    ',' ORDER BY c.priority, c.name, c.id) || ']', '[]')
  FROM product_categories l JOIN categories c ON c.location_id = l.location_id AND c.id = l.category_id
  WHERE l.location_id = p_location AND l.product_id = p_product
$$;

-- A product as JSON text, from its document and its stock. A list of categories from before a category changed is made
-- anew each time, until refresh_product_documents has written it.
CREATE FUNCTION product_text(d product_documents, enabled boolean, quantity numeric, alarm numeric, p_category_changes bigint)
RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT d.head || ',"stock":{"enabled":' || coalesce(enabled, false)::text
    || ',"quantity":' || coalesce(trim_scale(quantity)::text, '0')
    || ',"min_stock_alarm":' || coalesce(trim_scale(alarm)::text, '0') || '},"categories":'
    || CASE WHEN d.category_changes = p_category_changes THEN d.categories
         ELSE product_category_list(d.location_id, d.product_id) END || '}'
$$;

-- Writes the category lists of these products. Locks their documents first, in the order of their ids, and reads only
-- then: of two that change the links of one product the second sees what the first did.
CREATE FUNCTION write_category_lists(p_location uuid, p_products uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM product_documents d WHERE d.location_id = p_location AND d.product_id = ANY (p_products)
  ORDER BY d.product_id FOR UPDATE;
  UPDATE product_documents d SET categories = coalesce(k.list, '[]'), category_changes = t.category_changes
  FROM product_tally(p_location) t, unnest(p_products) v (id) LEFT JOIN (
    SELECT l.product_id, '[' || string_agg('{"id":"' || c.id || '","name":' || to_json(c.name)::text || '}',
      ',' ORDER BY c.priority, c.name, c.id) || ']' AS list
    FROM product_categories l JOIN categories c ON c.location_id = l.location_id AND c.id = l.category_id
    WHERE l.location_id = p_location AND l.product_id = ANY (p_products) GROUP BY 1
  ) k ON k.product_id = v.id
  WHERE d.location_id = p_location AND d.product_id = v.id;
END $$;

-- Brings the category lists of these products up to date, for readers to come. Waits for nobody: what is being written
-- is passed by, and written by whoever holds it or by a later reader.
CREATE FUNCTION refresh_product_documents(p_location uuid, p_products uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_free uuid[];
BEGIN
  SELECT array_agg(f.product_id) INTO v_free FROM (
    SELECT d.product_id FROM product_documents d, product_tally(p_location) t
    WHERE d.location_id = p_location AND d.product_id = ANY (p_products) AND d.category_changes <> t.category_changes
    ORDER BY d.product_id FOR UPDATE OF d SKIP LOCKED
  ) f;
  IF v_free IS NOT NULL THEN
    PERFORM write_category_lists(p_location, v_free);
  END IF;
END $$;

-- A new product has no categories yet.
CREATE FUNCTION document_products() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO product_documents (location_id, product_id, head, categories, category_changes)
  SELECT p.location_id, p.id, product_head(p), '[]', t.category_changes
  FROM new_rows n JOIN products p USING (location_id, id)
  JOIN (SELECT l.location_id, y.category_changes
    FROM (SELECT DISTINCT location_id FROM new_rows) l, LATERAL product_tally(l.location_id) y) t USING (location_id);
  PERFORM add_to_product_tally(c.location_id, c.visible, c.hidden, 0) FROM (
    SELECT n.location_id, count(*) FILTER (WHERE n.visible) AS visible, count(*) FILTER (WHERE NOT n.visible) AS hidden
    FROM new_rows n GROUP BY 1
  ) c;
  RETURN NULL;
END $$;

-- The product's row is held, so what is written here is its last state. Where an id was changed, the product's or the
-- location's, the document has followed, and its category list is outdated.
CREATE FUNCTION document_changed_products() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- EXCEPT and IN are hashed: a join of the two could be planned as a loop within a loop, and kept for large changes.
  UPDATE product_documents d SET head = product_head(p),
    category_changes = CASE WHEN (p.location_id, p.id) IN (SELECT o.location_id, o.id FROM old_rows o)
      THEN d.category_changes ELSE -1 END
  FROM (
    SELECT n.location_id, n.id, n.external_id, n.sku, n.name, n.description, n.price, n.visible, n.image_url FROM new_rows n
    EXCEPT
    SELECT o.location_id, o.id, o.external_id, o.sku, o.name, o.description, o.price, o.visible, o.image_url FROM old_rows o
  ) changed JOIN products p USING (location_id, id)
  WHERE d.location_id = changed.location_id AND d.product_id = changed.id;
  PERFORM add_to_product_tally(c.location_id, c.visible, c.hidden, 0) FROM (
    SELECT x.location_id, coalesce(sum(x.n) FILTER (WHERE x.visible), 0)::bigint AS visible,
      coalesce(sum(x.n) FILTER (WHERE NOT x.visible), 0)::bigint AS hidden
    FROM (
      SELECT o.location_id, o.visible, -1 AS n FROM old_rows o UNION ALL SELECT n.location_id, n.visible, 1 FROM new_rows n
    ) x GROUP BY 1
  ) c WHERE c.visible <> 0 OR c.hidden <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION uncount_products() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_to_product_tally(c.location_id, -c.visible, -c.hidden, 0) FROM (
    SELECT o.location_id, count(*) FILTER (WHERE o.visible) AS visible, count(*) FILTER (WHERE NOT o.visible) AS hidden
    FROM old_rows o GROUP BY 1
  ) c;
  RETURN NULL;
END $$;

CREATE TRIGGER document_insert AFTER INSERT ON products REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION document_products();
CREATE TRIGGER document_update AFTER UPDATE ON products REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION document_changed_products();
CREATE TRIGGER document_delete AFTER DELETE ON products REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION uncount_products();

-- Links change the lists of their products. When a category is deleted its links go with it: that is counted below, for
-- waiting here for all of its products could end in a deadlock with who writes one of them.
CREATE FUNCTION document_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM write_category_lists(c.location_id, c.ids) FROM (
      SELECT r.location_id, array_agg(DISTINCT r.product_id) AS ids FROM new_rows r GROUP BY 1
    ) c;
  ELSIF TG_OP = 'UPDATE' THEN
    PERFORM write_category_lists(c.location_id, c.ids) FROM (
      SELECT r.location_id, array_agg(DISTINCT r.product_id) AS ids
      FROM (SELECT location_id, product_id FROM old_rows UNION ALL SELECT location_id, product_id FROM new_rows) r GROUP BY 1
    ) c;
  ELSE
    PERFORM write_category_lists(c.location_id, c.ids) FROM (
      SELECT r.location_id, array_agg(DISTINCT r.product_id) AS ids FROM old_rows r
      WHERE EXISTS (SELECT FROM categories k WHERE k.location_id = r.location_id AND k.id = r.category_id) GROUP BY 1
    ) c;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER document_insert AFTER INSERT ON product_categories REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION document_links();
CREATE TRIGGER document_update AFTER UPDATE ON product_categories
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION document_links();
CREATE TRIGGER document_delete AFTER DELETE ON product_categories REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION document_links();

-- A category shows its name, in the order of its priority. Its products are not touched: that could wait for who writes
-- them. The count makes their lists outdated, also those of products that are being linked at this moment.
CREATE FUNCTION count_category_changes() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM add_to_product_tally(c.location_id, 0, 0, 1) FROM (SELECT DISTINCT location_id FROM old_rows) c;
  ELSE
    PERFORM add_to_product_tally(c.location_id, 0, 0, 1) FROM (
      SELECT DISTINCT coalesce(n.location_id, o.location_id) AS location_id
      FROM old_rows o FULL JOIN new_rows n ON o.location_id = n.location_id AND o.id = n.id
      WHERE (o.id, o.name, o.priority) IS DISTINCT FROM (n.id, n.name, n.priority)
    ) c;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_changes AFTER UPDATE ON categories
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_category_changes();
CREATE TRIGGER count_deletions AFTER DELETE ON categories REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_category_changes();

CREATE FUNCTION forget_product_tallies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM product_tallies t WHERE t.location_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_tallies AFTER DELETE ON locations FOR EACH ROW EXECUTE FUNCTION forget_product_tallies();

-- What is there already. The triggers hold a lock against writing to these tables until this commits; reading goes on.
INSERT INTO product_tallies (location_id, backend, visible, hidden, category_changes)
SELECT p.location_id, 0, count(*) FILTER (WHERE p.visible), count(*) FILTER (WHERE NOT p.visible), 0
FROM products p GROUP BY 1;
INSERT INTO product_documents (location_id, product_id, head, categories, category_changes)
SELECT p.location_id, p.id, product_head(p), product_category_list(p.location_id, p.id), 0 FROM products p;

-- One definition still: what events and the typed client show is the same text.
CREATE OR REPLACE FUNCTION products_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc json)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT d.product_id, product_text(d, s.enabled, s.quantity, s.min_stock_alarm, t.category_changes)::json
  FROM product_tally(location) t, product_documents d
  LEFT JOIN product_stock s ON s.location_id = d.location_id AND s.product_id = d.product_id
  WHERE d.location_id = location AND d.product_id = ANY (ids)
$$;
