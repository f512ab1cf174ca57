-- Change capture: statement-level triggers write what really changed, in the transaction that
-- changed it. The relay in the worker publishes it later. No NOTIFY here: inside a writing
-- transaction it serialises commits; the relay is woken from outside and polls.

-- Watches a table. `resource` and `resource_id` name what the change is told of; `watched_columns` are
-- those whose difference counts; `recorded_columns` keep their value before and after on an update.
-- The functions are generated per table so that their statements are planned once.
CREATE PROCEDURE watch_table(
  watched text, resource text, resource_id text, key_columns text[], watched_columns text[],
  recorded_columns text[] DEFAULT '{}', operations text[] DEFAULT '{insert,update,delete}'
) LANGUAGE plpgsql AS $$
DECLARE
  same_key text := (SELECT string_agg(format('o.%1$I = n.%1$I', c), ' AND ') FROM unnest(key_columns) c);
  differs text := (SELECT string_agg(format('o.%1$I IS DISTINCT FROM n.%1$I', c), ' OR ') FROM unnest(watched_columns) c);
  changed text := (SELECT string_agg(format('CASE WHEN o.%1$I IS DISTINCT FROM n.%1$I THEN %1$L END', c), ', ')
    FROM unnest(watched_columns) c);
  recorded text := (SELECT string_agg(format('%1$L, X.%1$I', c), ', ') FROM unnest(recorded_columns) c);
  docs text := CASE WHEN recorded IS NULL THEN 'NULL, NULL' ELSE
    format('jsonb_build_object(%s), jsonb_build_object(%s)', replace(recorded, 'X.', 'o.'), replace(recorded, 'X.', 'n.')) END;
  target text := 'INSERT INTO captured_changes (location_id, resource, resource_id, operation';
BEGIN
  IF 'insert' = ANY (operations) THEN
    EXECUTE format($f$
      CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
      BEGIN
        %s) SELECT n.location_id, %L, n.%I, 'insert' FROM new_rows n;
        RETURN NULL;
      END $body$ $f$, 'capture_insert_' || watched, target, resource, resource_id);
    EXECUTE format('CREATE TRIGGER capture_insert AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows '
      || 'FOR EACH STATEMENT EXECUTE FUNCTION %I()', watched, 'capture_insert_' || watched);
  END IF;
  IF 'update' = ANY (operations) THEN
    -- The first call fixes the plan for the session: few rows would fix a nested loop, with which a later bulk
    -- statement compares every old row with every new one.
    EXECUTE format($f$
      CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = off AS $body$
      BEGIN
        %s, changed, before, after)
        SELECT n.location_id, %L, n.%I, 'update', array_remove(ARRAY[%s], NULL), %s
        FROM old_rows o JOIN new_rows n ON %s WHERE %s;
        RETURN NULL;
      END $body$ $f$, 'capture_update_' || watched, target, resource, resource_id, changed, docs, same_key, differs);
    EXECUTE format('CREATE TRIGGER capture_update AFTER UPDATE ON %I '
      || 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()',
      watched, 'capture_update_' || watched);
  END IF;
  IF 'delete' = ANY (operations) THEN
    EXECUTE format($f$
      CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
      BEGIN
        %s) SELECT o.location_id, %L, o.%I, 'delete' FROM old_rows o;
        RETURN NULL;
      END $body$ $f$, 'capture_delete_' || watched, target, resource, resource_id);
    EXECUTE format('CREATE TRIGGER capture_delete AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows '
      || 'FOR EACH STATEMENT EXECUTE FUNCTION %I()', watched, 'capture_delete_' || watched);
  END IF;
END $$;

CALL watch_table('categories', 'category', 'id', '{location_id,id}',
  '{external_id,name,priority,visible,image_url}');
CALL watch_table('products', 'product', 'id', '{location_id,id}',
  '{external_id,sku,name,description,price,visible,image_url}', '{}', '{insert,update}');
CALL watch_table('product_categories', 'product_categories', 'product_id', '{location_id,product_id,category_id}',
  '{category_id}', '{}', '{insert,delete}');
CALL watch_table('product_stock', 'stock', 'product_id', '{location_id,product_id}',
  '{enabled,quantity,min_stock_alarm}');
CALL watch_table('subselections', 'subselection', 'id', '{location_id,id}',
  '{product_id,external_id,name,min_selection,max_selection,single,position}');
CALL watch_table('subselection_items', 'subselection_item', 'id', '{location_id,id}',
  '{subselection_id,external_id,name,price,min,max,visible,image_url,position}');
CALL watch_table('orders', 'order', 'id', '{location_id,id}',
  '{number,external_id,status,total,channel,is_take_away,identifier,payment_method_id,cancel_reason}',
  '{status,external_id}', '{insert,update}');
CALL watch_table('payments', 'payment', 'id', '{location_id,id}',
  '{amount,status,payment_method_id}', '{status}', '{insert,update}');
CALL watch_table('turns', 'turn', 'id', '{location_id,id}',
  '{batch_number,status,started_at,ended_at}', '{status}', '{insert,update}');
CALL watch_table('settlements', 'settlement', 'id', '{location_id,id}', '{id}', '{}', '{insert}');
CALL watch_table('sync_jobs', 'sync_job', 'id', '{location_id,id}', '{status}', '{status}', '{update}');

-- Lines edited by hand change their order. Lines written in the transaction that made the order are
-- part of its creation: the order's row is then of this transaction.
CREATE FUNCTION capture_order_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO captured_changes (location_id, resource, resource_id, operation, changed)
  SELECT DISTINCT r.location_id, 'order', r.order_id, 'update', ARRAY['items']
  FROM changed_rows r
  JOIN orders o ON o.location_id = r.location_id AND o.id = r.order_id
  WHERE o.xmin <> pg_current_xact_id()::xid OR TG_OP <> 'INSERT';
  RETURN NULL;
END $$;
CREATE TRIGGER capture_insert AFTER INSERT ON order_items REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_order_items();
CREATE TRIGGER capture_update AFTER UPDATE ON order_items REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_order_items();
CREATE TRIGGER capture_delete AFTER DELETE ON order_items REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_order_items();

-- A resource that is deleted before its events are published shows its last state: it is kept here,
-- read before the row and its children go. Deletions are rare, so a row-level trigger serves.
CREATE FUNCTION capture_last_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last_state jsonb;
BEGIN
  EXECUTE format('SELECT doc::jsonb FROM %I($1, ARRAY[$2])', TG_ARGV[1]) INTO last_state USING OLD.location_id, OLD.id;
  INSERT INTO captured_changes (location_id, resource, resource_id, operation, before)
  VALUES (OLD.location_id, TG_ARGV[0], OLD.id, 'delete', last_state);
  RETURN OLD;
END $$;
CREATE TRIGGER capture_delete BEFORE DELETE ON products
  FOR EACH ROW EXECUTE FUNCTION capture_last_state('product', 'products_json');
CREATE TRIGGER capture_delete BEFORE DELETE ON orders
  FOR EACH ROW EXECUTE FUNCTION capture_last_state('order', 'orders_json');
CREATE TRIGGER capture_delete BEFORE DELETE ON payments
  FOR EACH ROW EXECUTE FUNCTION capture_last_state('payment', 'payments_json');
CREATE TRIGGER capture_delete BEFORE DELETE ON turns
  FOR EACH ROW EXECUTE FUNCTION capture_last_state('turn', 'turns_json');

-- The relay drains in this order, whole transactions at a time.
COMMENT ON TABLE captured_changes IS 'Changes that wait to be published; rows go once their events are stored.';
