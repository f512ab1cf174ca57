-- means: The version of a catalog is not ahead of its changes, which would hide the next ones.
-- advice: comanda doctor --repair moves the changes ahead.

select v.location_id as location, 'the catalog' as what, 'shows change ' || v.token || ', there were ' || t as harm
from internal.catalog_versions v cross join lateral catalog_token(v.location_id) t
where v.epoch = database_epoch() and v.token > t limit 101;

-- repair:
with ahead as (
  select v.location_id, v.token, t as changes
  from internal.catalog_versions v cross join lateral catalog_token(v.location_id) t
  where v.location_id = $1 and v.epoch = database_epoch() and v.token > t
), noted as (
  insert into internal.tally_notes (location_id, starts_at, name, n)
  select location_id, '-infinity', 'catalog', token - changes + 1 from ahead
)
select 'changes of the catalog' as what, to_jsonb(changes) as before, to_jsonb(token + 1) as after from ahead;
