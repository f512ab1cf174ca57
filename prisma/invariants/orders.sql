-- means: Every order has its number, and lines and adjustments that make its total.
-- advice: Which side is right only a person knows. In one transaction: select deed('repair: <why>'), then update the
--   line or the total.
-- newest: 2000

with newest as (
  select o.id, o.number, o.status, o.total, o.adjustments, 'order ' || o.number || ' (' || o.id || ')' as what
  from orders o where o.location_id = $1 order by o.created_at desc, o.id desc limit $2)
select $1::uuid as location, n.what, case when n.number < 1 then 'never got its number'
    when i.lines = 0 then 'has no lines'
    else 'has a total of ' || round(n.total, 2) || ', its lines and adjustments make ' || round(i.total, 2) end as harm
from newest n cross join lateral (
  select count(*) as lines, sum(i.total)
    + (select coalesce(sum((a->>'total')::numeric), 0) from jsonb_array_elements(n.adjustments) a) as total from order_items i
  where i.location_id = $1 and i.order_id = n.id) i
where n.number < 1 or i.lines = 0 or i.total <> n.total limit 101;
