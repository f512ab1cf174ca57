-- means: No trigger is disabled: guards, counts, captured changes and foreign keys all work.
-- advice: alter table <table> enable trigger all (for foreign keys by a superuser); and see what was written meanwhile.

select null::uuid as location,
  case when t.tgisinternal then 'foreign key ' || k.conname else 'trigger ' || t.tgname end
    || ' on ' || c.relname as what, 'is disabled' as harm
from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
left join pg_constraint k on k.oid = t.tgconstraint
where t.tgenabled <> 'O' and n.nspname !~ '^pg_' and n.nspname <> 'graphile_worker'
union all
select null, 'session_replication_role', 'is replica for every session of this role or database: no trigger runs'
where current_setting('session_replication_role') = 'replica' order by 2 limit 101;
