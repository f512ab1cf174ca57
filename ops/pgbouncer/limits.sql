-- The role has the settings that the pooler ignores for each connection; the worker connects past the pooler and sets its own.
-- psql -v role=comanda_service -f limits.sql, as the role that created it; comanda by default.
\if :{?role}
\else
  \set role comanda
\endif
alter role :"role" set statement_timeout = '15s';
alter role :"role" set lock_timeout = '5s';
alter role :"role" set idle_in_transaction_session_timeout = '15s';
alter role :"role" set plan_cache_mode = force_generic_plan;
alter role :"role" set random_page_cost = 1.1;
alter role :"role" set jit = off;
-- The settings on which the reading and writing of values depends (packages/db/src/connection/session-settings.ts). Those of a role
-- win over those of the server and the database. PgBouncer keeps some of them for a client by itself (DateStyle, TimeZone), the others not.
alter role :"role" set DateStyle = 'ISO, MDY';
alter role :"role" set IntervalStyle = 'postgres';
alter role :"role" set TimeZone = 'UTC';
alter role :"role" set bytea_output = 'hex';
alter role :"role" set extra_float_digits = '1';
alter role :"role" set search_path = 'public';
alter role :"role" set standard_conforming_strings = 'on';
alter role :"role" set array_nulls = 'on';
alter role :"role" set transform_null_equals = 'off';
alter role :"role" set default_transaction_isolation = 'read committed';
alter role :"role" set gin_fuzzy_search_limit = '0';
