-- means: Every order has its payment, without which it is not shown; that of a canceled one is not pending.
-- advice: comanda doctor --repair makes a missing payment, pending: complete it if it was paid. It rejects what a
--   canceled order left pending.
-- newest: 2000

with newest as (
  select o.id, o.number, o.status, o.total, 'order ' || o.number || ' (' || o.id || ')' as what
  from orders o where o.location_id = $1 order by o.created_at desc, o.id desc limit $2)
select $1::uuid as location, n.what,
  case when p.status is null then 'has no payment' else 'is canceled, its payment is pending' end as harm
from newest n left join payments p on p.location_id = $1 and p.order_id = n.id and p.replaced = 0
where p.status is null or n.status = 'canceled' and p.status = 'pending' limit 101;

-- repair:
with made as (
  insert into payments (location_id, order_id, payment_method_id, amount, status)
  select o.location_id, o.id, o.payment_method_id, o.total,
    case o.status when 'canceled' then 'rejected' else 'pending' end::payment_status
  from orders o where o.location_id = $1 and not exists (
    select from payments p where p.location_id = o.location_id and p.order_id = o.id and p.replaced = 0)
  on conflict (location_id, order_id, replaced) do nothing returning *
), rejected as (
  update payments p set status = 'rejected' from orders o
  where p.location_id = $1 and p.status = 'pending' and o.location_id = p.location_id and o.id = p.order_id
    and o.status = 'canceled' returning p.*
)
select 'the payment of order ' || order_id as what, null::jsonb as before,
  jsonb_build_object('status', status, 'amount', amount) as after from made
union all
select 'the payment of order ' || order_id, '{"status":"pending"}', '{"status":"rejected"}' from rejected;
