-- As before, but for when it folds: the more a statement notes the surer, so that no bulk of orders leaves thousands of
-- notes that every list would read. A hundred hours are always folded, and so are those of orders that are deleted.
CREATE OR REPLACE FUNCTION count_orders() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_noted bigint;
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
  END IF;
  GET DIAGNOSTICS v_noted = ROW_COUNT;
  IF random() >= 0.01 * v_noted THEN
    RETURN NULL;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM fold_order_counts(o.location_id) FROM (SELECT DISTINCT location_id FROM old_rows) o;
  ELSE
    PERFORM fold_order_counts(n.location_id) FROM (SELECT DISTINCT location_id FROM new_rows) n;
  END IF;
  RETURN NULL;
END $$;

-- Notes of other locations are never read: a plan that is kept may have been made when there were few.
ALTER FUNCTION order_place(uuid, order_status, timestamptz, timestamptz, boolean, bigint) SET enable_seqscan = off;
