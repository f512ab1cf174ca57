-- means: Every constraint was checked for the rows that are there, and every index is whole.
-- advice: alter table <table> validate constraint <name>; reindex index concurrently <name>.

select null::uuid as location, 'constraint ' || k.conname || ' on ' || c.relname as what, 'was never validated' as harm
from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
where not k.convalidated and n.nspname !~ '^(pg_|information_schema|graphile_worker)'
union all
select null, 'index ' || i.indexrelid::regclass, 'is invalid'
from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
where not i.indisvalid and n.nspname !~ '^(pg_|graphile_worker)' limit 101;
