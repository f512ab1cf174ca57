-- Edits of an order that is pending (PATCH /v2/orders/{id}). The caller holds the order's row and has decided the edit from what it read
-- after that: its lines, its total, and what it takes from stock or gives back (packages/api/src/resources/orders/edit.rules.ts). Locks come in
-- the order of a cancellation: the order, its payment, then stock by id.

-- Makes an edit, or returns in `short` what is left of what it wants more of, by the ids of products and items, and changes nothing. Runs as the
-- owner, under a deed that passes the guards of what otherwise never changes; triggers capture what it does.
CREATE FUNCTION edit_order(p_location uuid, p_order uuid, p_api_key uuid, p_edit jsonb, OUT short jsonb, OUT response text, OUT revision bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  edit record;
  v_before bigint;
  v_places tid[];
  v_wanted numeric[];
  v_counted uuid[];
  v_choice_places tid[];
  v_choices_wanted numeric[];
  v_short_choices jsonb;
BEGIN
  SELECT * INTO edit FROM jsonb_to_record(p_edit) AS e (
    -- columns of the order
    fields jsonb,
    -- by line: those that are changed, and the new ones; null where no line is edited
    lines jsonb, removed int[],
    -- what is taken from stock, or given back below zero: by lines that had taken of it, and by what is new, which takes of what is counted
    products uuid[], products_kept numeric[], products_new numeric[], choices uuid[], choices_kept numeric[], choices_new numeric[],
    difference jsonb);
  SELECT o.revision INTO v_before FROM orders o WHERE o.location_id = p_location AND o.id = p_order;
  PERFORM FROM payments p WHERE p.location_id = p_location AND p.order_id = p_order AND p.status = 'pending' FOR NO KEY UPDATE;
  SELECT array_agg(l.place), array_agg(l.wanted), array_agg(l.product_id) FILTER (WHERE l.enabled),
    jsonb_object_agg(l.product_id, l.quantity::text) FILTER (WHERE l.quantity < l.wanted)
  INTO v_places, v_wanted, v_counted, short
  FROM (SELECT * FROM unnest(edit.products, edit.products_kept, edit.products_new) AS v (id, kept, new) ORDER BY v.id) w
  CROSS JOIN LATERAL (
    SELECT s.product_id, s.quantity, s.enabled, s.ctid AS place, w.kept + CASE WHEN s.enabled THEN w.new ELSE 0 END AS wanted
    FROM product_stock s WHERE s.location_id = p_location AND s.product_id = w.id FOR UPDATE) l;
  SELECT array_agg(l.place), array_agg(l.wanted), v_counted || array_agg(l.id) FILTER (WHERE l.stock_enabled),
    jsonb_object_agg(l.id, l.stock_quantity::text) FILTER (WHERE l.stock_quantity < l.wanted)
  INTO v_choice_places, v_choices_wanted, v_counted, v_short_choices
  FROM (SELECT * FROM unnest(edit.choices, edit.choices_kept, edit.choices_new) AS v (id, kept, new) ORDER BY v.id) w
  CROSS JOIN LATERAL (
    SELECT s.id, s.stock_quantity, s.stock_enabled, s.ctid AS place, w.kept + CASE WHEN s.stock_enabled THEN w.new ELSE 0 END AS wanted
    FROM subselection_items s WHERE s.location_id = p_location AND s.id = w.id FOR UPDATE) l;
  short := coalesce(short, '{}') || coalesce(v_short_choices, '{}');
  IF short <> '{}' THEN
    RETURN;
  END IF;
  short := NULL;
  UPDATE product_stock s SET quantity = least(s.quantity - w.quantity, 9999999999.99)
  FROM unnest(v_places, v_wanted) AS w (place, quantity) WHERE s.ctid = w.place AND w.quantity <> 0;
  UPDATE subselection_items s SET stock_quantity = least(s.stock_quantity - w.quantity, 9999999999.99)
  FROM unnest(v_choice_places, v_choices_wanted) AS w (place, quantity) WHERE s.ctid = w.place AND w.quantity <> 0;

  PERFORM deed('repair: an edit by the API');
  DELETE FROM order_items i WHERE i.location_id = p_location AND i.order_id = p_order AND i.position = ANY (edit.removed);
  UPDATE order_items i SET quantity = v.quantity, unit_price = v.unit_price, total = v.total, comment = v.comment, selections = v.selections
  FROM edited_lines(p_location, edit.lines, v_counted) v
  WHERE NOT v.is_new AND i.location_id = p_location AND i.order_id = p_order AND i.position = v.line;
  INSERT INTO order_items (location_id, order_id, position, product_id, name, external_id, sku, tax_rate, category, unit_price, quantity, total,
    comment, selections, stock_taken)
  SELECT p_location, p_order, v.line, v.product_id, v.name, p.external_id, p.sku, p.tax_rate, first_category(p_location, v.product_id),
    v.unit_price, v.quantity, v.total, v.comment, v.selections, coalesce(v.product_id = ANY (v_counted), false)
  FROM edited_lines(p_location, edit.lines, v_counted) v
  CROSS JOIN LATERAL (SELECT * FROM products p WHERE p.location_id = p_location AND p.id = v.product_id LIMIT 1) p
  WHERE v.is_new;
  UPDATE orders o SET (total, adjustments, last_line, note, promised_at, guests, customer_name, customer_phone, customer_email, customer_tax_id,
    delivery_lines, delivery_city, delivery_postal_code, delivery_country, delivery_note) = (
    SELECT r.total, r.adjustments, r.last_line, r.note, r.promised_at, r.guests, r.customer_name, r.customer_phone, r.customer_email,
      r.customer_tax_id, r.delivery_lines, r.delivery_city, r.delivery_postal_code, r.delivery_country, r.delivery_note
    FROM jsonb_populate_record(o, edit.fields) r)
  WHERE o.location_id = p_location AND o.id = p_order;
  UPDATE payments p SET amount = o.total FROM orders o
  WHERE o.location_id = p_location AND o.id = p_order AND p.location_id = p_location AND p.order_id = p_order
    AND p.status = 'pending' AND p.amount <> o.total;
  PERFORM end_deed();

  revision := orders_revision(p_location, p_order);
  IF revision <> v_before THEN
    INSERT INTO internal.order_moves (location_id, order_id, from_status, to_status, moved_by, difference)
    VALUES (p_location, p_order, 'pending', 'pending', p_api_key, edit.difference);
  END IF;
  SELECT j.doc INTO response FROM orders_json(p_location, ARRAY[p_order]) j;
END $$;

-- The lines of an edit as they are stored: what is newly chosen has the identifier of its item, and whether stock was taken of it.
CREATE FUNCTION edited_lines(p_location uuid, lines jsonb, counted uuid[])
RETURNS TABLE (line int, is_new boolean, product_id uuid, name text, unit_price numeric, quantity numeric, total numeric, comment text, selections jsonb)
LANGUAGE sql STABLE AS $$
  SELECT v.line, v.is_new, v.product_id, v.name, v.unit_price, v.quantity, v.total, v.comment, coalesce((
      SELECT jsonb_agg(CASE WHEN s ? 'stock_taken' THEN s
        ELSE s || jsonb_build_object('stock_taken', coalesce(i.id = ANY (counted), false))
          || CASE WHEN i.external_id IS NULL THEN '{}' ELSE jsonb_build_object('external_id', i.external_id) END END ORDER BY n)
      FROM jsonb_array_elements(v.selections) WITH ORDINALITY e (s, n)
      LEFT JOIN LATERAL (SELECT * FROM subselection_items i WHERE i.location_id = p_location AND i.id = (s->>'item_id')::uuid LIMIT 1) i ON true), '[]')
  FROM jsonb_to_recordset(coalesce(lines, '[]')) AS v (line int, is_new boolean, product_id uuid, name text, unit_price numeric, quantity numeric,
    total numeric, comment text, selections jsonb)
$$;
