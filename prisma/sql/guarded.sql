-- What nobody may break, on one screen. A person who edits by psql or Studio meets the same sentence as the service.
--
--   never    these columns never change; where a condition is given, as long as that holds for the row as it was
--   fixed    the same, whatever the deed: all that a location has would follow by foreign keys, in no certain order
--   kept     such a row is not deleted on its own. It goes with its location or its parent, by cascade
--   service  such rows are written by the service alone, or by a trigger of what a person edits; i, u, d: which statements
--   lines    lines of an order, which a person writes with the order and never again (hand_orders.sql)
--
-- Of a table that is told by its id (watched.sql) and has no row here, id, location and creation never change.
--
-- A condition may call a function: it is asked only when a column of the rule is named and differs, or a row is deleted.
-- TRUNCATE passes by all that is told, counted and guarded, so it is refused on each of these tables, whatever the deed.
CREATE FUNCTION guarded() RETURNS TABLE (relation text, rule text, columns text, condition text, sentence text)
LANGUAGE sql IMMUTABLE AS $$
  WITH said (relation, rule, columns, condition, sentence) AS (VALUES
  ('time_zones',         'service', 'iud', null, 'npm start fills the time zones: those that PostgreSQL and Node both know'),
  ('locations',          'kept',    null, 'has_orders(OLD.id)', 'this location has orders, so it is kept: revoke its keys (comanda keys revoke). To remove it with all that it has: set local comanda.deed = ''purge: <why>'''),
  ('locations',          'fixed',   'id', null, 'the id of a location never changes: make another one (comanda locations create)'),
  ('locations',          'fixed',   'code', null, 'the code of a location never changes: its keys carry it'),
  ('locations',          'fixed',   'sandbox', null, 'whether a location is a sandbox never changes: make another one (comanda locations create --sandbox)'),
  ('locations',          'never',   'status', 'OLD.status = ''deleting'' OR NEW.status = ''deleting'' AND NOT by_service() OR held_by_move(OLD.id, NEW.status)', 'a location that is being deleted, or moves to another cell, keeps its status, and no edit begins either: see comanda locations delete, and comanda locations move'),
  ('locations',          'never',   'created_at', null, 'the creation of a location never changes'),
  ('product_stock',      'never',   'product_id location_id', null, 'a stock record stays with its product: delete it, and insert one for the other product'),
  ('product_categories', 'never',   'location_id', null, 'a link stays in its location: delete it, and insert another one'),
  ('subselection_items', 'never',   'id location_id created_at', null, 'the id, the location and the creation of an item never change: make another one'),
  ('menus',              'never',   'id location_id created_at', null, 'the id, the location and the creation of a menu never change: make another one'),
  ('menu_categories',    'never',   'location_id', null, 'a menu stays in its location'),

  ('payment_methods',    'never',   'id location_id created_at', null, 'the id, the location and the creation of a payment method never change: make another one'),
  ('payment_methods',    'never',   'type', 'payment_method_used(OLD.location_id, OLD.id)', 'this payment method has payments, so its type stays: disable it and make another one'),
  ('payment_methods',    'kept',    null, 'payment_method_used(OLD.location_id, OLD.id)', 'this payment method has payments, so it is kept: disable it'),
  ('turns',              'never',   'id location_id batch_number started_at', null, 'the id, the number and the start of a turn never change'),
  ('turns',              'never',   'ended_at', 'OLD.status = ''closed'' OR NOT by_service()', 'a turn ends when it is closed, and a closed turn never changes: set its status alone'),
  ('turns',              'kept',    null, 'turn_settled(OLD.location_id, OLD.id)', 'this turn is settled, so it is kept'),
  ('settlements',        'service', 'i', null, 'closing a turn settles it: update turns set status = ''closed'''),
  ('settlements',        'never',   'id location_id turn_id batch_number started_at ended_at total_orders total_collected average_ticket payments orders created_at', null, 'a settlement is frozen'),
  ('settlements',        'kept',    null, null, 'a settlement is kept'),
  ('orders',             'never',   'id location_id created_at created_by request_id', null, 'the id, the location, the creation and the maker of an order never change'),
  ('orders',             'never',   'number turn_id', 'OLD.number > 0 OR pg_trigger_depth() = 0', 'an order gets its number and its turn at its commit, and keeps them'),
  ('orders',             'never',   'total payment_method_id', 'OLD.number > 0', 'the total and the payment method of an order never change: cancel it and place another one (POST /v2/orders)'),
  ('order_moves',        'service', 'iud', null, 'moves are noted by themselves: update the status of the order'),
  ('payments',           'never',   'id location_id order_id payment_method_id amount created_at', null, 'the order, the method and the amount of a payment never change: reject it, or cancel its order and place another one'),
  ('payments',           'kept',    null, null, 'an order is never without its payment: reject the payment, or cancel the order'),

  ('api_keys',           'service', 'i', null, 'a key is made by comanda keys create, which shows its text once and stores only a hash of it'),
  ('api_keys',           'never',   'id location_id prefix key_hash created_at', null, 'the id, the location and the text of a key never change: make another one (comanda keys create) and revoke this'),
  ('api_keys',           'never',   'permissions', 'NOT by_service()', 'the permissions of a key are changed by a command, with a name: comanda keys update <id> --permissions <all of them> --as <your name>'),
  ('api_keys',           'never',   'revoked_at', 'OLD.revoked_at IS NOT NULL', 'a key is revoked for good: make another one (comanda keys create)'),
  ('webhook_endpoints',  'service', 'i', null, 'an endpoint is made by POST /v2/webhook-endpoints, which gives it a signing secret'),
  ('webhook_endpoints',  'never',   'id location_id created_at', null, 'the id, the location and the creation of a webhook endpoint never change: make another one'),
  ('webhook_endpoints',  'never',   'delivers_after', null, 'what waited is passed over by itself: disable the endpoint, and enable it'),
  ('webhook_secrets',    'service', 'iud', null, 'signing secrets are the service''s: rotate one by POST /v2/webhook-endpoints/{id}/rotate-secret'),
  ('webhook_secrets',    'kept',    null, 'last_valid_secret(OLD.location_id, OLD.endpoint_id, OLD.id)', 'an endpoint is never without a signing secret: rotate it first'),
  ('events',             'service', 'iud', null, 'events are what was told to others: nobody edits them'),
  ('events',             'never',   'location_id id number type resource_id body body_v1 request_id traceparent created_at', null, 'an event never changes'),
  ('events',             'kept',    null, null, 'events are kept for KEEP_EVENTS_DAYS'),
  ('audit_entries',      'service', 'iud', null, 'the audit is written by the service alone'),
  ('audit_entries',      'never',   'location_id id actor_kind api_key_id actor_name application_name request_id client_address operation relation resource_id row_count changes deed caused_by undo_of created_at', null, 'the audit never changes'),
  ('audit_entries',      'kept',    null, null, 'the audit is kept for KEEP_AUDIT_DAYS'),

  ('webhook_deliveries', 'service', 'iud', null, 'deliveries are the service''s: send events again by POST /v2/webhook-endpoints/{id}/replay, or disable the endpoint'),
  ('webhook_attempts',   'service', 'iud', null, 'attempts are noted by the service alone'),
  ('endpoint_health',    'service', 'iud', null, 'how an endpoint does is noted by the service alone'),
  ('endpoint_clearings', 'service', 'iud', null, 'deliveries are cleared away by themselves: disable the endpoint, or delete it'),
  ('sync_jobs',          'service', 'iud', null, 'sync jobs are the service''s: start one by POST /v2/sync/products'),
  ('certifications',     'service', 'iud', null, 'certifications are the service''s: start one by POST /v2/certifications'),
  ('certification_calls', 'service', 'iud', null, 'what a certification saw is noted by the service alone'),
  ('captured_changes',   'service', 'iud', null, 'what waits to be published is the service''s: see comanda doctor'),
  ('tallies',            'service', 'iud', null, 'counts follow the rows that they count: edit those'),
  ('tally_notes',        'service', 'iud', null, 'counts follow the rows that they count: edit those'),
  ('catalog_versions',   'service', 'iud', null, 'the catalog''s version follows the catalog: edit that'),
  ('location_counters',  'service', 'iud', null, 'numbers count up by themselves, without gaps'),
  ('idempotency_keys',   'service', 'iud', null, 'without its idempotency key a request that is sent again would be done again'),
  ('limit_counters',     'service', 'iud', null, 'what a key has used is counted by the service: change the limits of the key in api_keys'),
  ('process_heartbeats', 'service', 'iud', null, 'processes tell of themselves'),
  ('app_codes',          'service', 'iud', null, 'codes of the app are made by comanda app code'),
  ('work_totals',        'service', 'iud', null, 'totals of work are counted by the service'),
  ('sql_objects',        'service', 'iud', null, 'npm start keeps the book of prisma/sql'),
  ('sql_releases',       'service', 'iud', null, 'npm start keeps the book of prisma/sql'),
  ('order_items',        'lines',   null, null, 'the lines of an order never change: cancel it and place another one (POST /v2/orders)'))
  SELECT * FROM said
  UNION ALL
  SELECT w.relation, 'never', 'id location_id created_at', null,
    format('the id, the location and the creation of a %s never change: make another one', w.told_as)
  FROM watched() w WHERE w.of = 'id' AND w.relation NOT IN (SELECT s.relation FROM said s)
$$;

-- The ways past, and what each passes; `order` is what an order written by hand must leave to itself (hand_orders.sql),
-- `lines` are new ones, `moments` are when rows changed, which come with a location from another database (changes.sql),
-- `standing lines` those that are changed or deleted.
-- Constraints and capture hold with every one of them. Said by a member of the role that owns the table, in its
-- transaction: set local comanda.deed = 'import: orders of 2019'.
CREATE FUNCTION deeds() RETURNS TABLE (name text, passes text[]) LANGUAGE sql IMMUTABLE AS $$
  VALUES
  ('migration', '{never,kept,service,lines,standing lines,order}'::text[]),
  ('import',    '{service,lines,order}'),
  ('transfer',  '{service,lines,order,moments}'),
  ('repair',    '{never,kept,service,lines,standing lines,order}'),
  ('erase',     '{never,kept,service,standing lines}'),
  ('retention', '{kept,service}'),
  ('purge',     '{kept,service}')
$$;

CREATE FUNCTION has_orders(location uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM orders o WHERE o.location_id = location)
$$;

-- Whether the location is on its way to another cell, or went there: it is not enabled here again, and not deleted before the end.
CREATE FUNCTION held_by_move(location uuid, status location_status) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
  SELECT EXISTS (SELECT FROM internal.location_moves m WHERE m.id = location AND m.step <> 'abort'
    AND (status = 'active' OR status = 'deleting' AND m.step <> 'done'))
$$;

CREATE FUNCTION payment_method_used(location uuid, method uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM payments p WHERE p.location_id = location AND p.payment_method_id = method)
$$;

CREATE FUNCTION turn_settled(location uuid, turn uuid) RETURNS boolean LANGUAGE sql STABLE
SET search_path = public, internal, pg_temp AS $$
  SELECT EXISTS (SELECT FROM settlements s WHERE s.location_id = location AND s.turn_id = turn)
$$;

CREATE FUNCTION last_valid_secret(location uuid, endpoint uuid, secret uuid) RETURNS boolean LANGUAGE sql STABLE
SET search_path = public, internal, pg_temp AS $$
  SELECT NOT EXISTS (SELECT FROM internal.webhook_secrets s WHERE s.location_id = location AND s.endpoint_id = endpoint
    AND s.id <> secret AND (s.expires_at IS NULL OR s.expires_at > now()))
$$;
