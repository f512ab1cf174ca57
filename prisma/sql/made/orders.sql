-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER touch BEFORE UPDATE ON orders
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION touch_updated_at();

CREATE TRIGGER revise BEFORE UPDATE ON orders
  FOR EACH ROW WHEN (ROW(OLD.external_id, OLD.status, OLD.channel, OLD.is_take_away, OLD.identifier, OLD.cancel_reason, OLD.note, OLD.promised_at, OLD.guests, OLD.customer_name, OLD.customer_phone, OLD.customer_email, OLD.customer_tax_id, OLD.delivery_lines, OLD.delivery_city, OLD.delivery_postal_code, OLD.delivery_country, OLD.delivery_note, OLD.last_line)
    IS DISTINCT FROM ROW(NEW.external_id, NEW.status, NEW.channel, NEW.is_take_away, NEW.identifier, NEW.cancel_reason, NEW.note, NEW.promised_at, NEW.guests, NEW.customer_name, NEW.customer_phone, NEW.customer_email, NEW.customer_tax_id, NEW.delivery_lines, NEW.delivery_city, NEW.delivery_postal_code, NEW.delivery_country, NEW.delivery_note, NEW.last_line)) EXECUTE FUNCTION revise_row();

CREATE FUNCTION orders_revision(p_location uuid, p_id uuid) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT r.revision FROM orders r WHERE r.location_id = p_location AND r.id = p_id
$$;

CREATE FUNCTION capture_last_state_orders() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  INSERT INTO internal.captured_changes (location_id, resource, operation, resource_ids, in_catalog, before)
  VALUES (OLD.location_id, 'order', 'delete', ARRAY[OLD.id], false,
    ARRAY[(SELECT j.doc::jsonb FROM orders_json(OLD.location_id, ARRAY[OLD.id]) j)]);
  RETURN OLD;
END $$;

CREATE TRIGGER capture_last_state BEFORE DELETE ON orders
  FOR EACH ROW EXECUTE FUNCTION capture_last_state_orders();

CREATE FUNCTION capture_insert_orders() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
BEGIN
  IF by_service() THEN
    IF current_setting('comanda.told', true) = 'true' THEN
      RETURN NULL;
    END IF;
  ELSIF pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'insert', 'orders', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 100) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT n.location_id AS location_id, false AS by_cascade, jsonb_build_object('id', n.id) AS key, NULL::orders AS old, n AS new,
          row_number() OVER (PARTITION BY n.location_id ORDER BY n.location_id, n.id) AS place
        FROM new_rows n
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT n.location_id, n.id AS id,
      (n.status)::text AS gained, order_stretch(1, n.created_at) AS gained_at, NULL::text AS lost, NULL::timestamptz AS lost_at
    FROM new_rows n
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, in_catalog, resource_ids, before)
    SELECT c.location_id, 'order', 'insert', false, array_agg(c.id), NULL
    FROM (SELECT c.*, (row_number() OVER () - 1) / 500 AS share FROM changed c) c
    GROUP BY c.location_id, c.share
  )
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
  SELECT t.location_id, t.at, 'order ' || t.name, sum(t.n) FROM (
    SELECT c.location_id, c.gained_at AS at, c.gained AS name, 1 AS n FROM changed c
      WHERE c.gained IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
    UNION ALL
    SELECT c.location_id, c.lost_at, c.lost, -1 FROM changed c
      WHERE c.lost IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
  ) t GROUP BY 1, 2, 3 HAVING sum(t.n) <> 0;
  GET DIAGNOSTICS noted = ROW_COUNT;
  -- The more a statement notes the surer it folds, so that no bulk leaves thousands of notes that every reader adds up.
  IF random() < 0.01 * noted THEN
    PERFORM fold_tallies(r.location_id) FROM (SELECT DISTINCT location_id FROM new_rows) r;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_insert AFTER INSERT ON orders
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_insert_orders();

CREATE FUNCTION capture_update_orders() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
BEGIN
  IF by_service() THEN
    IF current_setting('comanda.told', true) = 'true' THEN
      RETURN NULL;
    END IF;
  ELSIF pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'update', 'orders', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.new)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT coalesce(n.location_id, o.location_id) AS location_id, false AS by_cascade, jsonb_build_object('id', coalesce(n.id, o.id)) AS key,
          CASE WHEN o.location_id IS NOT NULL THEN o END AS old, CASE WHEN n.location_id IS NOT NULL THEN n END AS new,
          row_number() OVER (PARTITION BY coalesce(n.location_id, o.location_id) ORDER BY coalesce(n.location_id, o.location_id), coalesce(n.id, o.id)) AS place
        FROM old_rows o FULL JOIN new_rows n ON n.location_id = o.location_id AND n.id = o.id
        WHERE o.location_id IS NULL OR n.location_id IS NULL
          OR ROW(o.location_id, o.id, o.number, o.external_id, o.status, o.total, o.channel, o.is_take_away, o.identifier, o.payment_method_id, o.turn_id, o.cancel_reason, o.created_at, o.created_by, o.request_id, o.external_id_twin, o.adjustments, o.customer_email, o.customer_name, o.customer_phone, o.customer_tax_id, o.delivery_city, o.delivery_country, o.delivery_lines, o.delivery_note, o.delivery_postal_code, o.guests, o.note, o.promised_at, o.last_line)
            IS DISTINCT FROM ROW(n.location_id, n.id, n.number, n.external_id, n.status, n.total, n.channel, n.is_take_away, n.identifier, n.payment_method_id, n.turn_id, n.cancel_reason, n.created_at, n.created_by, n.request_id, n.external_id_twin, n.adjustments, n.customer_email, n.customer_name, n.customer_phone, n.customer_tax_id, n.delivery_city, n.delivery_country, n.delivery_lines, n.delivery_note, n.delivery_postal_code, n.guests, n.note, n.promised_at, n.last_line)
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT coalesce(n.location_id, o.location_id) AS location_id, coalesce(n.id, o.id) AS id,
      CASE WHEN o.location_id IS NULL THEN 'insert' WHEN n.location_id IS NULL THEN 'delete' ELSE 'update' END AS operation,
      CASE WHEN o.number IS DISTINCT FROM n.number THEN 1 ELSE 0 END
        + CASE WHEN o.external_id IS DISTINCT FROM n.external_id THEN 2 ELSE 0 END
        + CASE WHEN o.status IS DISTINCT FROM n.status THEN 4 ELSE 0 END
        + CASE WHEN o.total IS DISTINCT FROM n.total THEN 8 ELSE 0 END
        + CASE WHEN o.channel IS DISTINCT FROM n.channel THEN 16 ELSE 0 END
        + CASE WHEN o.is_take_away IS DISTINCT FROM n.is_take_away THEN 32 ELSE 0 END
        + CASE WHEN o.identifier IS DISTINCT FROM n.identifier THEN 64 ELSE 0 END
        + CASE WHEN o.payment_method_id IS DISTINCT FROM n.payment_method_id THEN 128 ELSE 0 END
        + CASE WHEN o.cancel_reason IS DISTINCT FROM n.cancel_reason THEN 256 ELSE 0 END
        + CASE WHEN o.note IS DISTINCT FROM n.note THEN 512 ELSE 0 END
        + CASE WHEN o.promised_at IS DISTINCT FROM n.promised_at THEN 1024 ELSE 0 END
        + CASE WHEN o.guests IS DISTINCT FROM n.guests THEN 2048 ELSE 0 END
        + CASE WHEN o.customer_name IS DISTINCT FROM n.customer_name THEN 4096 ELSE 0 END
        + CASE WHEN o.customer_phone IS DISTINCT FROM n.customer_phone THEN 8192 ELSE 0 END
        + CASE WHEN o.customer_email IS DISTINCT FROM n.customer_email THEN 16384 ELSE 0 END
        + CASE WHEN o.customer_tax_id IS DISTINCT FROM n.customer_tax_id THEN 32768 ELSE 0 END
        + CASE WHEN o.delivery_lines IS DISTINCT FROM n.delivery_lines THEN 65536 ELSE 0 END
        + CASE WHEN o.delivery_city IS DISTINCT FROM n.delivery_city THEN 131072 ELSE 0 END
        + CASE WHEN o.delivery_postal_code IS DISTINCT FROM n.delivery_postal_code THEN 262144 ELSE 0 END
        + CASE WHEN o.delivery_country IS DISTINCT FROM n.delivery_country THEN 524288 ELSE 0 END
        + CASE WHEN o.delivery_note IS DISTINCT FROM n.delivery_note THEN 1048576 ELSE 0 END
        + CASE WHEN o.adjustments IS DISTINCT FROM n.adjustments THEN 2097152 ELSE 0 END
        + CASE WHEN o.last_line IS DISTINCT FROM n.last_line THEN 4194304 ELSE 0 END AS changed,
      jsonb_build_object('external_id', o.external_id, 'status', o.status) AS before, jsonb_build_object('external_id', n.external_id, 'status', n.status) AS after,
      CASE WHEN o.location_id IS NOT NULL THEN (o.status)::text END AS lost, order_stretch(1, o.created_at) AS lost_at,
      CASE WHEN n.location_id IS NOT NULL THEN (n.status)::text END AS gained, order_stretch(1, n.created_at) AS gained_at
    FROM old_rows o FULL JOIN new_rows n ON n.location_id = o.location_id AND n.id = o.id
    WHERE ROW(o.number, o.external_id, o.status, o.total, o.channel, o.is_take_away, o.identifier, o.payment_method_id, o.cancel_reason, o.note, o.promised_at, o.guests, o.customer_name, o.customer_phone, o.customer_email, o.customer_tax_id, o.delivery_lines, o.delivery_city, o.delivery_postal_code, o.delivery_country, o.delivery_note, o.adjustments, o.last_line)
        IS DISTINCT FROM ROW(n.number, n.external_id, n.status, n.total, n.channel, n.is_take_away, n.identifier, n.payment_method_id, n.cancel_reason, n.note, n.promised_at, n.guests, n.customer_name, n.customer_phone, n.customer_email, n.customer_tax_id, n.delivery_lines, n.delivery_city, n.delivery_postal_code, n.delivery_country, n.delivery_note, n.adjustments, n.last_line)
      OR ROW(o.status, order_stretch(1, o.created_at)) IS DISTINCT FROM ROW(n.status, order_stretch(1, n.created_at))
      OR o.location_id IS NULL OR n.location_id IS NULL
  ), captured AS (
    INSERT INTO internal.captured_changes (location_id, resource, operation, changed, in_catalog, resource_ids, before, after)
    SELECT c.location_id, 'order', c.operation,
      array_remove(ARRAY[CASE WHEN c.changed & 1 <> 0 THEN 'number' END, CASE WHEN c.changed & 2 <> 0 THEN 'external_id' END, CASE WHEN c.changed & 4 <> 0 THEN 'status' END, CASE WHEN c.changed & 8 <> 0 THEN 'total' END, CASE WHEN c.changed & 16 <> 0 THEN 'channel' END, CASE WHEN c.changed & 32 <> 0 THEN 'is_take_away' END, CASE WHEN c.changed & 64 <> 0 THEN 'identifier' END, CASE WHEN c.changed & 128 <> 0 THEN 'payment_method_id' END, CASE WHEN c.changed & 256 <> 0 THEN 'cancel_reason' END, CASE WHEN c.changed & 512 <> 0 THEN 'note' END, CASE WHEN c.changed & 1024 <> 0 THEN 'promised_at' END, CASE WHEN c.changed & 2048 <> 0 THEN 'guests' END, CASE WHEN c.changed & 4096 <> 0 THEN 'customer_name' END, CASE WHEN c.changed & 8192 <> 0 THEN 'customer_phone' END, CASE WHEN c.changed & 16384 <> 0 THEN 'customer_email' END, CASE WHEN c.changed & 32768 <> 0 THEN 'customer_tax_id' END, CASE WHEN c.changed & 65536 <> 0 THEN 'delivery_lines' END, CASE WHEN c.changed & 131072 <> 0 THEN 'delivery_city' END, CASE WHEN c.changed & 262144 <> 0 THEN 'delivery_postal_code' END, CASE WHEN c.changed & 524288 <> 0 THEN 'delivery_country' END, CASE WHEN c.changed & 1048576 <> 0 THEN 'delivery_note' END, CASE WHEN c.changed & 2097152 <> 0 THEN 'adjustments' END, CASE WHEN c.changed & 4194304 <> 0 THEN 'last_line' END]::text[], NULL),
      false, array_agg(c.id), array_agg(c.before), array_agg(c.after)
    FROM (
      SELECT c.location_id, c.operation, c.changed, c.id, c.before, c.after, (row_number() OVER () - 1) / 500 AS share
      FROM changed c WHERE c.operation <> 'update' OR c.changed & 8388607 <> 0
    ) c
    GROUP BY c.location_id, c.operation, c.changed, c.share
  )
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
  SELECT t.location_id, t.at, 'order ' || t.name, sum(t.n) FROM (
    SELECT c.location_id, c.gained_at AS at, c.gained AS name, 1 AS n FROM changed c
      WHERE c.gained IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
    UNION ALL
    SELECT c.location_id, c.lost_at, c.lost, -1 FROM changed c
      WHERE c.lost IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
  ) t GROUP BY 1, 2, 3 HAVING sum(t.n) <> 0 AND (SELECT l.id FROM locations l WHERE l.id = t.location_id) IS NOT NULL;
  GET DIAGNOSTICS noted = ROW_COUNT;
  -- The more a statement notes the surer it folds, so that no bulk leaves thousands of notes that every reader adds up.
  IF random() < 0.01 * noted THEN
    PERFORM fold_tallies(r.location_id) FROM (SELECT DISTINCT location_id FROM new_rows) r;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_update AFTER UPDATE ON orders
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_update_orders();

CREATE FUNCTION capture_delete_orders() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
DECLARE
  noted bigint;
BEGIN
  IF by_service() THEN
    IF current_setting('comanda.told', true) = 'true' THEN
      RETURN NULL;
    END IF;
  ELSIF pg_trigger_depth() = 1 THEN
    PERFORM record_hand_edit(e.location_id, 'delete', 'orders', e.n, e.kept, e.by_cascade, e.keys, e.digest)
    FROM (
      SELECT c.location_id, c.by_cascade, count(*)::int AS n,
        jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), (SELECT left_out_of_audit(TG_RELID, '{}'))) ORDER BY c.place)
          FILTER (WHERE c.place <= 10000) AS kept,
        CASE WHEN count(*) > 100 THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
        CASE WHEN count(*) > 100 THEN audit_digest(string_agg(audit_text(to_jsonb(c.old)), E'\n' ORDER BY c.place)) END AS digest
      FROM (
        SELECT o.location_id AS location_id, g.gone AS by_cascade, jsonb_build_object('id', o.id) AS key, o AS old, NULL::orders AS new,
          row_number() OVER (PARTITION BY o.location_id, g.gone ORDER BY o.location_id, o.id) AS place
        FROM old_rows o CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM locations p WHERE p.id = o.location_id) AS gone) g
      ) c GROUP BY 1, 2 ORDER BY 1, 2
    ) e;
  END IF;
  WITH changed AS MATERIALIZED (
    SELECT o.location_id, o.id AS id,
      (o.status)::text AS lost, order_stretch(1, o.created_at) AS lost_at, NULL::text AS gained, NULL::timestamptz AS gained_at
    FROM old_rows o
  )
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
  SELECT t.location_id, t.at, 'order ' || t.name, sum(t.n) FROM (
    SELECT c.location_id, c.gained_at AS at, c.gained AS name, 1 AS n FROM changed c
      WHERE c.gained IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
    UNION ALL
    SELECT c.location_id, c.lost_at, c.lost, -1 FROM changed c
      WHERE c.lost IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
  ) t GROUP BY 1, 2, 3 HAVING sum(t.n) <> 0 AND (SELECT l.id FROM locations l WHERE l.id = t.location_id) IS NOT NULL;
  GET DIAGNOSTICS noted = ROW_COUNT;
  -- The more a statement notes the surer it folds, so that no bulk leaves thousands of notes that every reader adds up.
  IF random() < 0.01 * noted THEN
    PERFORM fold_tallies(r.location_id) FROM (SELECT DISTINCT location_id FROM old_rows) r;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER capture_delete AFTER DELETE ON orders
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION capture_delete_orders();

CREATE FUNCTION orders_length_fault(r orders) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN NOT is_external_id(r.external_id) THEN 'external_id must have 1 to 255 characters, and no control characters'
    WHEN char_length(r.channel) NOT BETWEEN 1 AND 255 THEN 'channel must have 1 to 255 characters'
    WHEN char_length(r.identifier) > 255 THEN 'identifier must have at most 255 characters'
    WHEN char_length(r.cancel_reason) > 500 THEN 'cancel_reason must have at most 500 characters'
    WHEN char_length(r.note) > 1000 THEN 'note must have at most 1000 characters'
    WHEN char_length(r.customer_name) NOT BETWEEN 1 AND 255 THEN 'customer_name must have 1 to 255 characters'
    WHEN char_length(r.customer_phone) > 255 THEN 'customer_phone must have at most 255 characters'
    WHEN char_length(r.customer_email) > 255 THEN 'customer_email must have at most 255 characters'
    WHEN char_length(r.customer_tax_id) > 255 THEN 'customer_tax_id must have at most 255 characters'
    WHEN char_length(r.delivery_lines) > 1000 THEN 'delivery_lines must have at most 1000 characters'
    WHEN char_length(r.delivery_city) > 255 THEN 'delivery_city must have at most 255 characters'
    WHEN char_length(r.delivery_postal_code) > 255 THEN 'delivery_postal_code must have at most 255 characters'
    WHEN char_length(r.delivery_country) > 2 THEN 'delivery_country must have at most 2 characters'
    WHEN char_length(r.delivery_note) > 1000 THEN 'delivery_note must have at most 1000 characters' END
$$;

CREATE FUNCTION guard_texts_orders() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF ROW(OLD.external_id, OLD.channel, OLD.identifier, OLD.cancel_reason, OLD.note, OLD.customer_name, OLD.customer_phone, OLD.customer_email, OLD.customer_tax_id, OLD.delivery_lines, OLD.delivery_city, OLD.delivery_postal_code, OLD.delivery_country, OLD.delivery_note, OLD.created_at, OLD.promised_at, OLD.guests)
    IS DISTINCT FROM ROW(NEW.external_id, NEW.channel, NEW.identifier, NEW.cancel_reason, NEW.note, NEW.customer_name, NEW.customer_phone, NEW.customer_email, NEW.customer_tax_id, NEW.delivery_lines, NEW.delivery_city, NEW.delivery_postal_code, NEW.delivery_country, NEW.delivery_note, NEW.created_at, NEW.promised_at, NEW.guests) THEN
    PERFORM refuse_order_texts(NEW);
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER guard_texts BEFORE UPDATE OF external_id, channel, identifier, cancel_reason, note, customer_name, customer_phone, customer_email, customer_tax_id, delivery_lines, delivery_city, delivery_postal_code, delivery_country, delivery_note, created_at, promised_at, guests ON orders
  FOR EACH ROW EXECUTE FUNCTION guard_texts_orders();

CREATE TRIGGER guard_id BEFORE UPDATE OF id, location_id, created_at, created_by, request_id ON orders
  FOR EACH ROW
  WHEN (ROW(OLD.id, OLD.location_id, OLD.created_at, OLD.created_by, OLD.request_id) IS DISTINCT FROM ROW(NEW.id, NEW.location_id, NEW.created_at, NEW.created_by, NEW.request_id))
  EXECUTE FUNCTION refuse('never', 'the id, the location, the creation and the maker of an order never change');

CREATE TRIGGER guard_number BEFORE UPDATE OF number, turn_id ON orders
  FOR EACH ROW
  WHEN (ROW(OLD.number, OLD.turn_id) IS DISTINCT FROM ROW(NEW.number, NEW.turn_id)
    AND (OLD.number > 0 OR pg_trigger_depth() = 0))
  EXECUTE FUNCTION refuse('never', 'an order gets its number and its turn at its commit, and keeps them');

CREATE TRIGGER guard_total BEFORE UPDATE OF total, adjustments, last_line ON orders
  FOR EACH ROW
  WHEN (ROW(OLD.total, OLD.adjustments, OLD.last_line) IS DISTINCT FROM ROW(NEW.total, NEW.adjustments, NEW.last_line)
    AND (OLD.number > 0))
  EXECUTE FUNCTION refuse('never', 'the total of an order never changes: cancel it and place another one (POST /v2/orders)');

CREATE TRIGGER guard_payment_method_id BEFORE UPDATE OF payment_method_id ON orders
  FOR EACH ROW
  WHEN (ROW(OLD.payment_method_id) IS DISTINCT FROM ROW(NEW.payment_method_id)
    AND (OLD.number > 0 AND pg_trigger_depth() = 0))
  EXECUTE FUNCTION refuse('never', 'the payment method of an order never changes by hand: reject its payment, and insert another one (POST /v2/orders/{id}/payments)');

CREATE TRIGGER guard_kept BEFORE DELETE ON orders
  FOR EACH ROW
  WHEN (OLD.number > 0)
  EXECUTE FUNCTION refuse('kept', 'an order that has its number is kept, because numbers have no gaps: cancel it (POST /v2/orders/{id}/cancel)');

CREATE TRIGGER guard_revision BEFORE UPDATE OF revision ON orders
  FOR EACH ROW
  WHEN (ROW(OLD.revision) IS DISTINCT FROM ROW(NEW.revision)
    AND (pg_trigger_depth() = 0))
  EXECUTE FUNCTION refuse('fixed', 'the revision of a row follows from its changes, and never changes by hand');

CREATE TRIGGER guard_blank BEFORE INSERT OR UPDATE OF external_id, channel, customer_name ON orders
  FOR EACH ROW
  WHEN (NEW.external_id !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]' OR NEW.channel !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]' OR NEW.customer_name !~ '[^\s\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]')
  EXECUTE FUNCTION refuse_blank('external_id', 'channel', 'customer_name');

CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON orders
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse('truncate', 'TRUNCATE fires no row triggers, so it would bypass capture, counts and guards: use DELETE');
