-- Lists of orders know their exact total and find any page without reading the orders before it
-- (docs/design/database.md, "Counts and lists"). Orders are tallied by status and time. Time is counted in UTC: a day of any zone, and of a
-- zone that is changed later, is made of whole hours and of what is counted in the orders themselves at its two ends.

-- The start of the stretch of so many hours that a moment falls into, from 1970 in UTC.
CREATE FUNCTION order_stretch(hours int, moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT date_bin(make_interval(hours => hours), moment, timestamptz '1970-01-01 00:00:00+00')
$$;

-- The first moment from this one on at which such a stretch starts.
CREATE FUNCTION next_order_stretch(hours int, moment timestamptz) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT order_stretch(hours, moment + make_interval(hours => hours) - interval '1 microsecond')
$$;

-- The tally of these statuses; NULL: all of them.
CREATE FUNCTION order_tally_names(p_statuses order_status[]) RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT array_agg('order ' || s) FROM unnest(coalesce(p_statuses, enum_range(NULL::order_status))) s
$$;

-- The orders of these tallies in each stretch that starts from p_from on and before p_to; both borders are
-- starts of such stretches, or infinite.
CREATE FUNCTION order_tally(p_location uuid, p_names text[], p_hours int, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (starts_at timestamptz, orders bigint) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT c.starts_at, sum(c.n)::bigint
  FROM (
    SELECT t.starts_at, t.n FROM internal.tallies t
    WHERE p_from < p_to AND t.location_id = p_location AND t.hours = p_hours AND t.starts_at >= p_from AND t.starts_at < p_to
      AND t.name = ANY (p_names)
    UNION ALL
    SELECT order_stretch(p_hours, u.starts_at), u.n FROM internal.tally_notes u
    WHERE p_from < p_to AND u.location_id = p_location AND u.starts_at >= p_from AND u.starts_at < p_to
      AND u.name = ANY (p_names)
  ) c GROUP BY 1
$$;

-- The exact number of orders of these statuses (NULL: of any) made from p_from on and before p_to (NULL: without end),
-- and the beginning of the page that skips p_offset of them: among the orders from `lower` on and before `upper` it
-- skips `rest`, which are fewer than one hour has. Read in the snapshot of the calling statement, as the page must be.
CREATE FUNCTION order_page_start(p_location uuid, p_statuses order_status[], p_from timestamptz, p_to timestamptz,
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
  v_names text[] := order_tally_names(p_statuses);
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

  -- First finds the stretch that holds the first order of the page. 0 hours: an end, counted in the orders.
  WITH stretches AS (
    SELECT 768 AS hours, t.* FROM order_tally(p_location, v_names, 768, long_from, long_to) t
    UNION ALL SELECT 24, t.* FROM order_tally(p_location, v_names, 24, day_from, long_from) t
    UNION ALL SELECT 24, t.* FROM order_tally(p_location, v_names, 24, long_to, day_to) t
    UNION ALL SELECT 1, t.* FROM order_tally(p_location, v_names, 1, hour_from, day_from) t
    UNION ALL SELECT 1, t.* FROM order_tally(p_location, v_names, 1, day_to, hour_to) t
    UNION ALL SELECT 0, order_page_start.lower, count_orders_between(p_location, p_statuses, order_page_start.lower, hour_from)
    UNION ALL SELECT 0, hour_to, count_orders_between(p_location, p_statuses, hour_to, order_page_start.upper)
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
      FROM order_tally(p_location, v_names, CASE v_hours WHEN 768 THEN 24 ELSE 1 END, v_start,
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
CREATE FUNCTION count_orders_between(p_location uuid, p_statuses order_status[], p_from timestamptz, p_to timestamptz)
RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF p_from >= p_to THEN
    RETURN 0;
  ELSIF p_statuses IS NULL THEN
    RETURN (SELECT count(*) FROM orders o WHERE o.location_id = p_location AND o.created_at >= p_from AND o.created_at < p_to);
  END IF;
  RETURN (SELECT coalesce(sum(c.n), 0) FROM unnest(p_statuses) s (status) CROSS JOIN LATERAL (
    SELECT count(*) AS n FROM orders o WHERE o.location_id = p_location AND o.status = s.status
      AND o.created_at >= p_from AND o.created_at < p_to) c);
END $$;

-- An order as a list shows it, exactly the six documented fields, as JSON text: put together without json_build_object,
-- which costs twice as much.
CREATE FUNCTION order_entry(id uuid, number int, status order_status, total numeric, created_at timestamptz, zone text,
  payment_id uuid, payment_status payment_status) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT '{"id":"' || id || '","number":' || number || ',"status":"' || status || '","total":' || trim_scale(total)
    || ',"created_at":"' || wire_time(created_at, zone) || '","payment":{"id":"' || payment_id || '","status":"'
    || payment_status || '"}}'
$$;
