-- What a transaction declares of itself: a deed, an undo, the moment that it announced (decision 0071).
CREATE TABLE internal.declarations (
  transaction_id bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  id bigserial,
  started_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  deed text COLLATE "C",
  undo_of uuid,
  announced_at timestamptz(3),
  CONSTRAINT declarations_pkey PRIMARY KEY (transaction_id, id)
);
COMMENT ON TABLE internal.declarations IS 'What a transaction declares of itself; a row counts for its own transaction only.';

-- The last transaction of a session that was taken by the setting comanda.deed. Sequences keep it over a rollback.
CREATE SEQUENCE internal.deed_settings;

-- Why a deed moved an order.
ALTER TABLE internal.order_moves ADD COLUMN deed text COLLATE "C";

-- Whether the session is the service's: whoever may write events. Who may empty their table, too, owns it, and is known by
-- the name of the session: those of the API, the worker and the commands begin with "comanda". Defaults of columns ask it.
CREATE FUNCTION service_session() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT has_table_privilege(session_user, 'public.events'::regclass, 'INSERT')
    AND (starts_with(current_setting('application_name'), 'comanda')
      OR NOT has_table_privilege(session_user, 'public.events'::regclass, 'TRUNCATE'))
$$;

-- What a session says of itself counts from the service alone.
CREATE OR REPLACE FUNCTION current_request_id() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN service_session() THEN nullif(split_part(current_setting('comanda.request_id', true), ' ', 1), '') END
$$;
CREATE OR REPLACE FUNCTION current_traceparent() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN service_session() THEN nullif(split_part(current_setting('comanda.request_id', true), ' ', 2), '') END
$$;
CREATE OR REPLACE FUNCTION current_api_key_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN service_session() THEN nullif(current_setting('comanda.api_key_id', true), '')::uuid END
$$;
