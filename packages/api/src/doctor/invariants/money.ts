import { statement } from '@comanda/db';
import type { Harm, Invariant, Repaired } from './invariant.ts';

const newestOrders = `with newest as (
  select o.id, o.number, o.status, o.total, 'order ' || o.number || ' (' || o.id || ')' as what
  from orders o where o.location_id = $1 order by o.created_at desc, o.id desc limit $2)`;

/** Orders, what is paid for them, and what turns were settled with. */
export const money: readonly Invariant[] = [
  {
    name: 'orders',
    means: 'Every order has its number, and lines that make its total.',
    advice:
      "Which side is right only a person knows. In one transaction: select deed('repair: <why>'), then update the line or the total.",
    of: 'location',
    newest: 2_000,
    asks: statement<Harm>(
      'doctor_orders',
      `${newestOrders}
       select $1::uuid as location, n.what, case when n.number < 1 then 'never got its number'
         when i.lines = 0 then 'has no lines' else 'has a total of ' || round(n.total, 2) || ', its lines make ' || round(i.total, 2) end as harm
       from newest n cross join lateral (
         select count(*) as lines, sum(i.total) as total from order_items i where i.location_id = $1 and i.order_id = n.id) i
       where n.number < 1 or i.lines = 0 or i.total <> n.total limit 101`,
    ),
  },
  {
    name: 'order gaps',
    means: 'The numbers of orders have no gaps except those of comanda restored and of imports.',
    advice:
      'An order was deleted under a deed, or past the guards: comanda audit --table orders names the author. Restore it from a backup if it is needed.',
    of: 'location',
    newest: 2_000,
    asks: statement<Harm>(
      'doctor_order_gaps',
      `select $1::uuid as location, 'order ' || n.number as what, 'comes after ' || n.previous as harm, true as mild from (
         select o.id, o.number, lag(o.number) over w as previous, lag(o.id) over w as previous_id
         from (select id, number from orders where location_id = $1 and number > 0 order by number desc limit $2) o
         window w as (order by o.number)) n
       where n.previous <> n.number - 1 and not exists (
         select from audit_entries a where a.location_id = $1 and (
           a.operation = 'locations.restored' and (a.changes #>> '{before,order}')::bigint >= n.previous
             and (a.changes #>> '{after,order}')::bigint < n.number
           or a.relation = 'orders' and a.operation = 'insert' and starts_with(a.deed, 'import:') and exists (
             select from unnest(array[n.id, n.previous_id]) i (id)
             where a.changes @> jsonb_build_object('rows', jsonb_build_array(jsonb_build_object('key', jsonb_build_object('id', i.id))))
               or a.changes @> jsonb_build_object('keys', jsonb_build_array(jsonb_build_object('id', i.id))))))
       limit 101`,
    ),
  },
  {
    name: 'payments',
    means:
      'Every order has its payment, without which it is not shown; that of a canceled one is not pending.',
    advice:
      'comanda doctor --repair makes a missing payment, pending: complete it if it was paid. It rejects what a canceled order left pending.',
    of: 'location',
    newest: 2_000,
    asks: statement<Harm>(
      'doctor_payments',
      `${newestOrders}
       select $1::uuid as location, n.what,
         case when p.status is null then 'has no payment' else 'is canceled, its payment is pending' end as harm
       from newest n left join payments p on p.location_id = $1 and p.order_id = n.id
       where p.status is null or n.status = 'canceled' and p.status = 'pending' limit 101`,
    ),
    repairs: statement<Repaired>(
      'repair_payments',
      `with made as (
         insert into payments (location_id, order_id, payment_method_id, amount, status)
         select o.location_id, o.id, o.payment_method_id, o.total,
           case o.status when 'canceled' then 'rejected' else 'pending' end::payment_status
         from orders o where o.location_id = $1 and not exists (
           select from payments p where p.location_id = o.location_id and p.order_id = o.id)
         on conflict (location_id, order_id) do nothing returning *
       ), rejected as (
         update payments p set status = 'rejected' from orders o
         where p.location_id = $1 and p.status = 'pending' and o.location_id = p.location_id and o.id = p.order_id
           and o.status = 'canceled' returning p.*
       )
       select 'the payment of order ' || order_id as what, null::jsonb as before,
         jsonb_build_object('status', status, 'amount', amount) as after from made
       union all select 'the payment of order ' || order_id, '{"status":"pending"}', '{"status":"rejected"}' from rejected`,
    ),
  },
  {
    name: 'amounts',
    means: 'A payment is as much as its order.',
    advice:
      "Which side is right only a person knows. In one transaction: select deed('repair: <why>'), then update payments.amount or orders.total.",
    of: 'location',
    newest: 2_000,
    asks: statement<Harm>(
      'doctor_amounts',
      `${newestOrders}
       select $1::uuid as location, n.what, 'has a total of ' || round(n.total, 2) || ', its payment is ' || round(p.amount, 2) as harm
       from newest n join payments p on p.location_id = $1 and p.order_id = n.id
       where p.amount <> n.total limit 101`,
    ),
  },
  {
    name: 'books',
    means:
      'Every cent is in one settlement once: the entries of a payment make its amount when it is completed, nothing when it is not, and no more was refunded.',
    advice:
      'Which side is right only a person knows; entries are never changed. A payment without any entry is "before books": GET /v2/payments?books=before_books lists it.',
    of: 'location',
    newest: 2_000,
    asks: statement<Harm>(
      'doctor_books',
      `${newestOrders}
       select $1::uuid as location, n.what, case
           when b.collected <> case p.status when 'completed' then p.amount else 0 end
             then 'has a payment of ' || round(p.amount, 2) || ' that is ' || p.status || ', its entries make ' || round(b.collected, 2)
           when b.refunded > b.collected then 'has refunds of ' || round(b.refunded, 2) || ', more than its payment'
           else 'has an entry that waits for the next turn, and one is open' end as harm
       from newest n join payments p on p.location_id = $1 and p.order_id = n.id
       cross join lateral collected_of($1, p.id) b
       where b.known and (b.collected <> case p.status when 'completed' then p.amount else 0 end or b.refunded > b.collected
         or exists (select from settlement_entries e join turns t on t.location_id = $1 and t.status = 'open'
           where e.location_id = $1 and e.payment_id = p.id and e.turn_id is null)) limit 101`,
    ),
  },
  {
    name: 'settlements',
    means:
      'A closed turn has the settlement that it was closed with, the orders that were settled, and sums that agree in themselves.',
    advice:
      'A settlement that is gone is not made again: what was paid since would be in it. Restore it from a backup (deed repair). A turn that was imported without one is well.',
    of: 'location',
    newest: 2_000,
    asks: statement<Harm>(
      'doctor_settlements',
      `select * from (
         select $1::uuid as location, 'turn ' || t.batch_number || ' (' || t.id || ')' as what, s.id is null as mild, case
           when t.status = 'open' then case when s.id is not null then 'is open and settled' end
           when s.id is null then 'is closed and has no settlement'
           when (s.batch_number, s.started_at, s.ended_at) is distinct from (t.batch_number, t.started_at, t.ended_at)
             then 'has another number or time than its settlement'
           when s.total_collected <> (select coalesce(sum((p->>'amount')::numeric), 0) from jsonb_array_elements(s.payments) p) + e.corrected
             then 'was settled with ' || round(s.total_collected, 2) || ', which its payments do not make'
           when e.there > 0 and s.total_collected <> e.collected
             then 'was settled with ' || round(s.total_collected, 2) || ', its entries make ' || round(e.collected, 2)
           when s.total_orders <> (select coalesce(sum(v::int), 0) from jsonb_each_text(s.orders) o (k, v))
             then 'was settled with ' || s.total_orders || ' orders, which its statuses do not make'
           when s.total_orders <> o.there then 'has ' || o.there || ' orders, and was settled with ' || s.total_orders end as harm
         from (select * from turns where location_id = $1 order by batch_number desc limit $2) t
         left join settlements s on s.location_id = $1 and s.turn_id = t.id
         cross join lateral (select count(*) as there, coalesce(sum(e.amount), 0) as collected,
             coalesce(sum(e.amount) filter (where e.kind = 'correction'), 0) as corrected
           from settlement_entries e where e.location_id = $1 and e.turn_id = t.id and e.kind <> 'refund') e
         cross join lateral (select count(*) as there from orders o where o.location_id = $1 and o.turn_id = t.id) o) found
       where harm is not null limit 101`,
    ),
  },
];
