-- What an order is decided from hardly ever changes: an API process keeps what it has read (docs/decisions/0015), and
-- place_order accepts it as long as nothing of it has changed since. Each transaction that changes or removes something
-- a process may have kept counts here. Sums of a location only rise, and equal sums show equal offers.

-- AlterTable
ALTER TABLE "product_tallies" ADD COLUMN "offer_changes" BIGINT NOT NULL DEFAULT 0;

CREATE FUNCTION offer_version(p_location uuid) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(sum(t.offer_changes), 0)::bigint FROM product_tallies t WHERE t.location_id = p_location
$$;

-- As add_to_product_tally: in the backend's own row, so nobody waits. A location that is being deleted counts no more.
CREATE FUNCTION add_offer_change(p_location uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO product_tallies AS t (location_id, backend, visible, hidden, category_changes, offer_changes)
  SELECT l.id, pg_backend_pid(), 0, 0, 0, 1 FROM locations l WHERE l.id = p_location
  ON CONFLICT (location_id, backend) DO UPDATE SET offer_changes = t.offer_changes + 1;
  IF (SELECT count(*) FROM product_tallies t WHERE t.location_id = p_location) > 64 THEN
    PERFORM fold_product_tallies(p_location);
  END IF;
END $$;

-- As before, and the changes of offers too.
CREATE OR REPLACE FUNCTION fold_product_tallies(p_location uuid) RETURNS void LANGUAGE plpgsql AS $$
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
  INSERT INTO product_tallies AS t (location_id, backend, visible, hidden, category_changes, offer_changes)
  SELECT p_location, 0, sum(f.visible), sum(f.hidden), sum(f.category_changes), sum(f.offer_changes)
  FROM folded f HAVING count(*) > 0
  ON CONFLICT (location_id, backend) DO UPDATE SET visible = t.visible + excluded.visible,
    hidden = t.hidden + excluded.hidden, category_changes = t.category_changes + excluded.category_changes,
    offer_changes = t.offer_changes + excluded.offer_changes;
END $$;

CREATE FUNCTION count_offer_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_offer_change(c.location_id) FROM (SELECT DISTINCT r.location_id FROM changed_rows r) c;
  RETURN NULL;
END $$;

-- Watches a table: `offered_columns`, its key among them, are those that an order is decided from. Stock is not: an
-- order takes it under a lock. EXCEPT is hashed: a join could be planned as a loop within a loop, and kept for bulk.
CREATE PROCEDURE watch_offer(watched text, offered_columns text[], appearing boolean) LANGUAGE plpgsql AS $$
DECLARE
  offered text := (SELECT string_agg(format('%I', c), ', ') FROM unnest(offered_columns) c);
BEGIN
  EXECUTE format($f$
    CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      PERFORM add_offer_change(c.location_id) FROM (
        SELECT DISTINCT d.location_id FROM (SELECT %s FROM old_rows EXCEPT SELECT %2$s FROM new_rows) d
      ) c;
      RETURN NULL;
    END $body$ $f$, 'count_offer_update_' || watched, offered);
  EXECUTE format('CREATE TRIGGER count_offer_update AFTER UPDATE ON %I '
    || 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    watched, 'count_offer_update_' || watched);
  EXECUTE format('CREATE TRIGGER count_offer_delete AFTER DELETE ON %I REFERENCING OLD TABLE AS changed_rows '
    || 'FOR EACH STATEMENT EXECUTE FUNCTION count_offer_changes()', watched);
  -- What is new is in nobody's memory; but a new choice is one that a known product may demand.
  IF appearing THEN
    EXECUTE format('CREATE TRIGGER count_offer_insert AFTER INSERT ON %I REFERENCING NEW TABLE AS changed_rows '
      || 'FOR EACH STATEMENT EXECUTE FUNCTION count_offer_changes()', watched);
  END IF;
END $$;

CALL watch_offer('products', '{location_id,id,external_id,name,price}', false);
CALL watch_offer('subselections', '{location_id,id,product_id,name,min_selection,max_selection,single,position}', true);
CALL watch_offer('subselection_items', '{location_id,id,subselection_id,name,price,min,max}', false);
CALL watch_offer('payment_methods', '{location_id,id,enabled}', false);

CREATE FUNCTION count_offer_truncation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE product_tallies SET offer_changes = offer_changes + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER count_offer_truncate AFTER TRUNCATE ON products FOR EACH STATEMENT EXECUTE FUNCTION count_offer_truncation();
CREATE TRIGGER count_offer_truncate AFTER TRUNCATE ON subselections FOR EACH STATEMENT EXECUTE FUNCTION count_offer_truncation();
CREATE TRIGGER count_offer_truncate AFTER TRUNCATE ON subselection_items FOR EACH STATEMENT EXECUTE FUNCTION count_offer_truncation();
CREATE TRIGGER count_offer_truncate AFTER TRUNCATE ON payment_methods FOR EACH STATEMENT EXECUTE FUNCTION count_offer_truncation();
