-- means: Every cent is in one settlement once: the entries of a payment make its amount when it is completed, nothing
--   when it is not, and no more was refunded.
-- advice: Which side is right only a person knows; entries are never changed. A payment without any entry is "before
--   books": GET /v2/payments?books=before_books lists it.
-- newest: 2000

with newest as (
  select o.id, o.number, o.status, o.total, 'order ' || o.number || ' (' || o.id || ')' as what
  from orders o where o.location_id = $1 order by o.created_at desc, o.id desc limit $2)
select $1::uuid as location, n.what, case
    when b.collected <> case p.status when 'completed' then p.amount else 0 end
      then 'has a payment of ' || round(p.amount, 2) || ' that is ' || p.status
        || ', its entries make ' || round(b.collected, 2)
    when b.refunded > b.collected then 'has refunds of ' || round(b.refunded, 2) || ', more than its payment'
    else 'has an entry that waits for the next turn, and one is open' end as harm
from newest n join payments p on p.location_id = $1 and p.order_id = n.id
cross join lateral collected_of($1, p.id) b
where b.known and (b.collected <> case p.status when 'completed' then p.amount else 0 end or b.refunded > b.collected
  or exists (select from settlement_entries e join turns t on t.location_id = $1 and t.status = 'open'
    where e.location_id = $1 and e.payment_id = p.id and e.turn_id is null)) limit 101;
