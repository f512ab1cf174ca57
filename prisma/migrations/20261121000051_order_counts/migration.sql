-- How many orders a location has by status and time, so that a list knows its exact total and finds any page without
-- passing over the orders before it (docs/decisions/0011). Time is counted in UTC: a day of any zone, and of a zone that
-- is changed later, is made of whole hours and of what is counted in the orders themselves at its two ends.

-- CreateTable
CREATE TABLE "order_counts" (
    "location_id" UUID NOT NULL,
    "hours" SMALLINT NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "pending" BIGINT NOT NULL,
    "ready" BIGINT NOT NULL,
    "closed" BIGINT NOT NULL,
    "canceled" BIGINT NOT NULL,

    CONSTRAINT "order_counts_pkey" PRIMARY KEY ("location_id","hours","starts_at")
);

-- CreateTable
CREATE TABLE "order_count_changes" (
    "location_id" UUID NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "pending" BIGINT NOT NULL,
    "ready" BIGINT NOT NULL,
    "closed" BIGINT NOT NULL,
    "canceled" BIGINT NOT NULL,

    CONSTRAINT "order_count_changes_pkey" PRIMARY KEY ("location_id","id")
);

-- Rows live for some hundred orders; what they leave behind must not pile up before the next vacuum.
ALTER TABLE order_count_changes SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000);
ALTER TABLE order_counts SET (fillfactor = 80);

-- Lists by amount.
-- CreateIndex
CREATE INDEX "orders_location_id_total_id_idx" ON "orders"("location_id", "total", "id");

-- The start of the stretch of so many hours that a moment falls into, from 1970 in UTC.
CREATE FUNCTION order_stretch(hours int, moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT date_bin(make_interval(hours => hours), moment, timestamptz '1970-01-01 00:00:00+00')
$$;

-- The first moment from this one on at which such a stretch starts.
CREATE FUNCTION next_order_stretch(hours int, moment timestamptz) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT order_stretch(hours, moment + make_interval(hours => hours) - interval '1 microsecond')
$$;

-- Every statement that makes, moves, shifts or deletes orders adds rows here and waits for nobody: no lock is shared, so
-- none can be part of a deadlock, and a transaction that is left open holds up no order. Now and then one of them folds.
-- A location that is being deleted is counted no more.
CREATE FUNCTION count_orders() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_location uuid;
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO order_count_changes (location_id, starts_at, pending, ready, closed, canceled)
    SELECT n.location_id, order_stretch(1, n.created_at), count(*) FILTER (WHERE n.status = 'pending'),
      count(*) FILTER (WHERE n.status = 'ready'), count(*) FILTER (WHERE n.status = 'closed'),
      count(*) FILTER (WHERE n.status = 'canceled')
    FROM new_rows n GROUP BY 1, 2;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO order_count_changes (location_id, starts_at, pending, ready, closed, canceled)
    SELECT * FROM (
      SELECT c.location_id, c.starts_at, coalesce(sum(c.n) FILTER (WHERE c.status = 'pending'), 0) AS pending,
        coalesce(sum(c.n) FILTER (WHERE c.status = 'ready'), 0) AS ready,
        coalesce(sum(c.n) FILTER (WHERE c.status = 'closed'), 0) AS closed,
        coalesce(sum(c.n) FILTER (WHERE c.status = 'canceled'), 0) AS canceled
      FROM (
        SELECT o.location_id, order_stretch(1, o.created_at) AS starts_at, o.status, -1 AS n FROM old_rows o
        UNION ALL
        SELECT n.location_id, order_stretch(1, n.created_at), n.status, 1 FROM new_rows n
      ) c GROUP BY 1, 2
    ) d WHERE (d.pending, d.ready, d.closed, d.canceled) <> (0, 0, 0, 0);
  ELSE
    INSERT INTO order_count_changes (location_id, starts_at, pending, ready, closed, canceled)
    SELECT o.location_id, order_stretch(1, o.created_at), -count(*) FILTER (WHERE o.status = 'pending'),
      -count(*) FILTER (WHERE o.status = 'ready'), -count(*) FILTER (WHERE o.status = 'closed'),
      -count(*) FILTER (WHERE o.status = 'canceled')
    FROM old_rows o WHERE EXISTS (SELECT FROM locations l WHERE l.id = o.location_id) GROUP BY 1, 2;
    RETURN NULL;
  END IF;
  IF random() < 0.01 THEN
    SELECT n.location_id INTO v_location FROM new_rows n LIMIT 1;
    PERFORM fold_order_counts(v_location);
  END IF;
  RETURN NULL;
END $$;

-- Adds what was noted of a location to its stretches of 1 hour, 1 day and 32 days. One folds at a time and the others
-- pass by. Not at REPEATABLE READ or above: what somebody else folded since the snapshot would fail the transaction.
CREATE FUNCTION fold_order_counts(p_location uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed'
    OR NOT pg_try_advisory_xact_lock(hashtextextended('order_counts' || p_location, 0)) THEN
    RETURN;
  END IF;
  WITH folded AS (
    DELETE FROM order_count_changes c WHERE c.location_id = p_location RETURNING c.*
  )
  INSERT INTO order_counts AS c (location_id, hours, starts_at, pending, ready, closed, canceled)
  SELECT p_location, s.hours, order_stretch(s.hours, f.starts_at), sum(f.pending), sum(f.ready), sum(f.closed), sum(f.canceled)
  FROM folded f CROSS JOIN (VALUES (1), (24), (768)) s (hours) GROUP BY 2, 3
  ON CONFLICT (location_id, hours, starts_at) DO UPDATE SET pending = c.pending + excluded.pending,
    ready = c.ready + excluded.ready, closed = c.closed + excluded.closed, canceled = c.canceled + excluded.canceled;
END $$;

CREATE TRIGGER count_insert AFTER INSERT ON orders REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_orders();
CREATE TRIGGER count_update AFTER UPDATE ON orders REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_orders();
CREATE TRIGGER count_delete AFTER DELETE ON orders REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_orders();

CREATE FUNCTION forget_order_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE order_counts, order_count_changes;
  RETURN NULL;
END $$;
CREATE TRIGGER count_truncate AFTER TRUNCATE ON orders FOR EACH STATEMENT EXECUTE FUNCTION forget_order_counts();

-- No foreign key: its check would cost every order, and a location whose id is changed keeps its orders and counts anew.
CREATE FUNCTION forget_location_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM order_counts c WHERE c.location_id = OLD.id;
  DELETE FROM order_count_changes c WHERE c.location_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_counts AFTER DELETE ON locations FOR EACH ROW EXECUTE FUNCTION forget_location_counts();

-- What is there already. The triggers above hold a lock against writing to orders until this commits, so none is missed
-- or counted twice; reading goes on. About a second for a million orders.
INSERT INTO order_counts (location_id, hours, starts_at, pending, ready, closed, canceled)
SELECT o.location_id, s.hours, order_stretch(s.hours, o.starts_at), sum(o.pending), sum(o.ready), sum(o.closed), sum(o.canceled)
FROM (
  SELECT location_id, order_stretch(1, created_at) AS starts_at, count(*) FILTER (WHERE status = 'pending') AS pending,
    count(*) FILTER (WHERE status = 'ready') AS ready, count(*) FILTER (WHERE status = 'closed') AS closed,
    count(*) FILTER (WHERE status = 'canceled') AS canceled
  FROM orders GROUP BY 1, 2
) o CROSS JOIN (VALUES (1), (24), (768)) s (hours) GROUP BY 1, 2, 3;

-- The orders of a status (NULL: of any) in each stretch that starts from p_from on and before p_to; both borders are
-- starts of such stretches, or infinite.
CREATE FUNCTION order_tally(p_location uuid, p_status order_status, p_hours int, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (starts_at timestamptz, orders bigint) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT c.starts_at, sum(CASE p_status WHEN 'pending' THEN c.pending WHEN 'ready' THEN c.ready WHEN 'closed' THEN c.closed
      WHEN 'canceled' THEN c.canceled ELSE c.pending + c.ready + c.closed + c.canceled END)::bigint
  FROM (
    SELECT f.starts_at, f.pending, f.ready, f.closed, f.canceled FROM order_counts f
    WHERE p_from < p_to AND f.location_id = p_location AND f.hours = p_hours AND f.starts_at >= p_from AND f.starts_at < p_to
    UNION ALL
    SELECT order_stretch(p_hours, u.starts_at), u.pending, u.ready, u.closed, u.canceled FROM order_count_changes u
    WHERE p_from < p_to AND u.location_id = p_location AND u.starts_at >= p_from AND u.starts_at < p_to
  ) c GROUP BY 1
$$;

-- The exact number of orders of a status (NULL: of any) made from p_from on and before p_to (NULL: without end), and
-- where the page begins that passes over p_offset of them: among the orders from `lower` on and before `upper` it passes
-- over `rest`, which are fewer than one hour has. Read in the snapshot of the calling statement, as the page must be.
CREATE FUNCTION order_place(p_location uuid, p_status order_status, p_from timestamptz, p_to timestamptz,
  p_newest_first boolean, p_offset bigint,
  OUT total bigint, OUT lower timestamptz, OUT upper timestamptz, OUT rest bigint)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  -- Borders from the outside in: whole hours, whole days, whole stretches of 32 days.
  hour_from timestamptz;
  hour_to timestamptz;
  day_from timestamptz;
  day_to timestamptz;
  long_from timestamptz;
  long_to timestamptz;
  v_hours int;
  v_start timestamptz;
  v_before bigint;
BEGIN
  lower := coalesce(p_from, '-infinity');
  upper := greatest(coalesce(p_to, 'infinity'), lower);
  rest := p_offset;
  hour_from := least(next_order_stretch(1, lower), upper);
  hour_to := greatest(order_stretch(1, upper), hour_from);
  day_from := least(next_order_stretch(24, hour_from), hour_to);
  day_to := greatest(order_stretch(24, hour_to), day_from);
  long_from := least(next_order_stretch(768, day_from), day_to);
  long_to := greatest(order_stretch(768, day_to), long_from);

  -- What is found first: the stretch that holds the first order of the page. 0 hours: an end, counted in the orders.
  WITH stretches AS (
    SELECT 768 AS hours, t.* FROM order_tally(p_location, p_status, 768, long_from, long_to) t
    UNION ALL SELECT 24, t.* FROM order_tally(p_location, p_status, 24, day_from, long_from) t
    UNION ALL SELECT 24, t.* FROM order_tally(p_location, p_status, 24, long_to, day_to) t
    UNION ALL SELECT 1, t.* FROM order_tally(p_location, p_status, 1, hour_from, day_from) t
    UNION ALL SELECT 1, t.* FROM order_tally(p_location, p_status, 1, day_to, hour_to) t
    UNION ALL SELECT 0, order_place.lower, count_orders_between(p_location, p_status, order_place.lower, hour_from)
    UNION ALL SELECT 0, hour_to, count_orders_between(p_location, p_status, hour_to, order_place.upper)
  ), passed AS (
    SELECT s.*, sum(s.orders) OVER w AS passed
    FROM stretches s WHERE s.orders > 0
    WINDOW w AS (ORDER BY CASE WHEN p_newest_first THEN s.starts_at END DESC, s.starts_at)
  )
  SELECT (SELECT coalesce(sum(s.orders), 0) FROM stretches s), found.hours, found.starts_at, found.passed - found.orders
  INTO total, v_hours, v_start, v_before
  FROM (SELECT) one LEFT JOIN (SELECT * FROM passed p WHERE p.passed > p_offset ORDER BY p.passed LIMIT 1) found ON true;
  IF v_hours IS NULL THEN
    upper := lower;
    RETURN;
  END IF;
  IF p_offset = 0 THEN
    RETURN;
  END IF;
  rest := rest - v_before;
  WHILE v_hours > 1 LOOP
    SELECT f.starts_at, f.passed - f.orders INTO v_start, v_before
    FROM (
      SELECT t.*, sum(t.orders) OVER (ORDER BY CASE WHEN p_newest_first THEN t.starts_at END DESC, t.starts_at) AS passed
      FROM order_tally(p_location, p_status, CASE v_hours WHEN 768 THEN 24 ELSE 1 END, v_start,
        v_start + make_interval(hours => v_hours)) t
    ) f WHERE f.passed > rest ORDER BY f.passed LIMIT 1;
    rest := rest - v_before;
    v_hours := CASE v_hours WHEN 768 THEN 24 ELSE 1 END;
  END LOOP;
  IF p_newest_first THEN
    upper := least(upper, CASE WHEN v_hours = 1 THEN v_start + interval '1 hour' WHEN v_start = hour_to THEN upper ELSE hour_from END);
  ELSE
    lower := greatest(lower, v_start);
  END IF;
END $$;

-- The same counted in the orders themselves, for the less than whole hours at the ends of a day.
CREATE FUNCTION count_orders_between(p_location uuid, p_status order_status, p_from timestamptz, p_to timestamptz)
RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF p_from >= p_to THEN
    RETURN 0;
  ELSIF p_status IS NULL THEN
    RETURN (SELECT count(*) FROM orders o WHERE o.location_id = p_location AND o.created_at >= p_from AND o.created_at < p_to);
  END IF;
  RETURN (SELECT count(*) FROM orders o WHERE o.location_id = p_location AND o.status = p_status
    AND o.created_at >= p_from AND o.created_at < p_to);
END $$;

-- An order as a list shows it, exactly the six documented fields, as JSON text: put together without json_build_object,
-- which costs twice as much. order_entries_json stays for processes of the version before, which may still run.
CREATE FUNCTION order_entry(id uuid, number int, status order_status, total numeric, created_at timestamptz, zone text,
  payment_id uuid, payment_status payment_status) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT '{"id":"' || id || '","number":' || number || ',"status":"' || status || '","total":' || trim_scale(total)
    || ',"created_at":"' || wire_time(created_at, zone) || '","payment":{"id":"' || payment_id || '","status":"'
    || payment_status || '"}}'
$$;

-- A statement in a function is planned anew at each call as long as that looks cheaper. Those of an order never gain by
-- it: what they read is named by keys. Of the CPU of an order this was a seventh.
ALTER FUNCTION create_order(uuid, uuid, text, text, bytea, int, text, uuid, text, text, boolean, text, uuid, numeric, jsonb,
  uuid[], numeric[], numeric[], uuid[], numeric[], numeric[]) SET plan_cache_mode = force_generic_plan;
