-- Payments that were completed before there were entries get one where a settlement is known to contain them: those that were
-- completed until its turn was closed, if they make up its payments. So do those that an open turn has collected so far. All others
-- are "before books": no settlement collects them.
WITH asked AS (
  SELECT t.location_id, t.id AS turn_id, t.status, s.payments, s.created_at AS settled_at
  FROM turns t LEFT JOIN settlements s ON s.location_id = t.location_id AND s.turn_id = t.id
  WHERE t.status = 'open' OR s.id IS NOT NULL
), candidates AS MATERIALIZED (
  SELECT a.location_id, a.turn_id, a.status, a.payments, m.type, p.id, p.order_id, p.amount, p.updated_at
  FROM asked a
  JOIN orders o ON o.location_id = a.location_id AND o.turn_id = a.turn_id
  JOIN payments p ON p.location_id = o.location_id AND p.order_id = o.id AND p.status = 'completed'
    AND (a.status = 'open' OR p.updated_at <= a.settled_at)
  JOIN payment_methods m ON m.location_id = p.location_id AND m.id = p.payment_method_id
), known AS (
  SELECT location_id, turn_id FROM (
    SELECT location_id, turn_id, status, payments, type, count(*) AS n, sum(amount) AS amount
    FROM candidates GROUP BY 1, 2, 3, 4, 5) made
  GROUP BY location_id, turn_id, status, payments
  HAVING status = 'open' OR (
    SELECT jsonb_object_agg(e->>'method', jsonb_build_array((e->>'count')::bigint, trim_scale((e->>'amount')::numeric)))
    FROM jsonb_array_elements(payments) e) = jsonb_object_agg(type, jsonb_build_array(n, trim_scale(amount)))
)
INSERT INTO settlement_entries (location_id, turn_id, order_id, payment_id, kind, amount, created_at, created_by, request_id)
SELECT c.location_id, c.turn_id, c.order_id, c.id, 'payment', c.amount, c.updated_at, NULL, NULL
FROM candidates c JOIN known k USING (location_id, turn_id)
WHERE NOT EXISTS (SELECT FROM settlement_entries e WHERE e.location_id = c.location_id AND e.payment_id = c.id);
