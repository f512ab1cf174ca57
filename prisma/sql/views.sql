-- Views for people who look by Studio or psql: a restaurant by its name, times as its clock shows them. Statements of
-- the service use none. Each row has a key of its own (location_id and the last column), with which Studio
-- distinguishes rows. A migration that changes the type of a column shown here drops the view first; this folder makes
-- it again.

-- Orders since midnight, each restaurant's own.
CREATE VIEW orders_today AS
SELECT l.name AS restaurant, o.number, o.status, round(o.total, 2) AS total, to_char(o.created_at AT TIME ZONE l.timezone, 'HH24:MI') AS local_time,
  lines.items, m.name AS payment_method, p.status AS payment, o.identifier, o.channel, o.external_id, o.cancel_reason, o.location_id, o.id
FROM locations l
JOIN orders o ON o.location_id = l.id
  AND o.created_at >= date_trunc('day', now() AT TIME ZONE l.timezone) AT TIME ZONE l.timezone
LEFT JOIN payments p ON p.location_id = o.location_id AND p.order_id = o.id AND p.replaced = 0
LEFT JOIN payment_methods m ON m.location_id = o.location_id AND m.id = o.payment_method_id
CROSS JOIN LATERAL (SELECT string_agg(trim_scale(i.quantity) || ' × ' || i.name, ', ' ORDER BY i.position) AS items
  FROM order_items i WHERE i.location_id = o.location_id AND i.order_id = o.id) lines;

-- The published events of an order and of its payments.
CREATE VIEW order_events AS
SELECT l.name AS restaurant, told.order_number, e.type, to_char(e.created_at AT TIME ZONE l.timezone, 'YYYY-MM-DD HH24:MI:SS') AS local_time,
  e.number AS event_number, told.order_id, e.location_id, e.id
FROM (
  SELECT o.location_id, o.id AS order_id, o.number AS order_number, o.id AS resource_id FROM orders o
  UNION ALL
  SELECT p.location_id, p.order_id, o.number, p.id FROM payments p JOIN orders o ON o.location_id = p.location_id AND o.id = p.order_id
) told
JOIN events e ON e.location_id = told.location_id AND e.resource_id = told.resource_id
JOIN locations l ON l.id = e.location_id;

-- Deliveries that failed and are tried again, or were given up, with the last answer.
CREATE VIEW failing_deliveries AS
SELECT l.name AS restaurant, d.status, w.url, e.type AS event_type, last.response_code, last.error, d.attempts,
  to_char(last.attempted_at AT TIME ZONE l.timezone, 'YYYY-MM-DD HH24:MI') AS last_attempt_local,
  to_char(d.next_attempt_at AT TIME ZONE l.timezone, 'YYYY-MM-DD HH24:MI') AS next_attempt_local, last.response_body,
  CASE split_part(e.type, '.', 1) WHEN 'order' THEN e.resource_id
    WHEN 'payment' THEN (SELECT p.order_id FROM payments p WHERE p.location_id = e.location_id AND p.id = e.resource_id) END AS order_id,
  d.endpoint_id, d.event_id, d.location_id, d.id
FROM webhook_deliveries d
JOIN locations l ON l.id = d.location_id
JOIN events e ON e.location_id = d.location_id AND e.id = d.event_id
LEFT JOIN webhook_endpoints w ON w.location_id = d.location_id AND w.id = d.endpoint_id
LEFT JOIN webhook_attempts last ON last.location_id = d.location_id AND last.delivery_id = d.id AND last.attempt = d.attempts
WHERE d.status IN ('failed', 'dead');

-- Products whose stock is counted and has reached its alarm.
CREATE VIEW low_stock AS
SELECT l.name AS restaurant, p.name AS product, p.sku, s.quantity, s.min_stock_alarm, p.visible,
  to_char(s.updated_at AT TIME ZONE l.timezone, 'YYYY-MM-DD HH24:MI') AS local_time, s.location_id, s.product_id
FROM product_stock s
JOIN locations l ON l.id = s.location_id
JOIN products p ON p.location_id = s.location_id AND p.id = s.product_id
WHERE s.enabled AND s.quantity <= s.min_stock_alarm;
