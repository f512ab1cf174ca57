-- means: A payment is as much as its order.
-- advice: Which side is right only a person knows. In one transaction: select deed('repair: <why>'), then update
--   payments.amount or orders.total.
-- newest: 2000

with newest as (
  select o.id, o.number, o.status, o.total, 'order ' || o.number || ' (' || o.id || ')' as what
  from orders o where o.location_id = $1 order by o.created_at desc, o.id desc limit $2)
select $1::uuid as location, n.what,
  'has a total of ' || round(n.total, 2) || ', its payment is ' || round(p.amount, 2) as harm
from newest n join payments p on p.location_id = $1 and p.order_id = n.id and p.replaced = 0
where p.amount <> n.total limit 101;
