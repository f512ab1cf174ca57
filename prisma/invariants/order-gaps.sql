-- means: The numbers of orders have no gaps except those of comanda restored and of imports.
-- advice: An order was deleted under a deed, or past the guards: comanda audit --table orders names the author. Restore
--   it from a backup if it is needed.
-- newest: 2000

select $1::uuid as location, 'order ' || n.number as what, 'comes after ' || n.previous as harm, true as mild
from (
  select o.id, o.number, lag(o.number) over w as previous, lag(o.id) over w as previous_id
  from (select id, number from orders where location_id = $1 and number > 0 order by number desc limit $2) o
  window w as (order by o.number)) n
where n.previous <> n.number - 1 and not exists (
  select from audit_entries a where a.location_id = $1 and (
    a.operation = 'locations.restored' and (a.changes #>> '{before,order}')::bigint >= n.previous
      and (a.changes #>> '{after,order}')::bigint < n.number
    or a.relation = 'orders' and a.operation = 'insert' and starts_with(a.deed, 'import:') and exists (
      select from unnest(array[n.id, n.previous_id]) i (id)
      where a.changes @> jsonb_build_object('rows', jsonb_build_array(
          jsonb_build_object('key', jsonb_build_object('id', i.id))))
        or a.changes @> jsonb_build_object('keys', jsonb_build_array(jsonb_build_object('id', i.id))))))
limit 101;
