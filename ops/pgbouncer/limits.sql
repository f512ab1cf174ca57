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
