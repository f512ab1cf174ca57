-- What the pooler ignores of each connection stands on the role instead; the worker, which goes past it, says its own.
-- psql -v role=comanda_service -f limits.sql, as who made the role; comanda unless said.
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
