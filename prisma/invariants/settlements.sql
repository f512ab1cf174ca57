-- means: A closed turn has the settlement that it was closed with, the orders that were settled, and sums that agree in
--   themselves.
-- advice: A settlement that is gone is not made again: what was paid since would be in it. Restore it from a backup
--   (deed repair). A turn that was imported without one is well.
-- newest: 2000

select * from (
  select $1::uuid as location, 'turn ' || t.batch_number || ' (' || t.id || ')' as what, s.id is null as mild, case
    when t.status = 'open' then case when s.id is not null then 'is open and settled' end
    when s.id is null then 'is closed and has no settlement'
    when (s.batch_number, s.started_at, s.ended_at) is distinct from (t.batch_number, t.started_at, t.ended_at)
      then 'has another number or time than its settlement'
    when s.total_collected
        <> (select coalesce(sum((p->>'amount')::numeric), 0) from jsonb_array_elements(s.payments) p) + e.corrected
      then 'was settled with ' || round(s.total_collected, 2) || ', which its payments do not make'
    when e.there > 0 and s.total_collected <> e.collected
      then 'was settled with ' || round(s.total_collected, 2) || ', its entries make ' || round(e.collected, 2)
    when s.total_orders <> (select coalesce(sum(v::int), 0) from jsonb_each_text(s.orders) o (k, v))
      then 'was settled with ' || s.total_orders || ' orders, which its statuses do not make'
    when s.total_orders <> o.there
      then 'has ' || o.there || ' orders, and was settled with ' || s.total_orders end as harm
  from (select * from turns where location_id = $1 order by batch_number desc limit $2) t
  left join settlements s on s.location_id = $1 and s.turn_id = t.id
  cross join lateral (
    select count(*) as there, coalesce(sum(e.amount), 0) as collected,
      coalesce(sum(e.amount) filter (where e.kind = 'correction'), 0) as corrected
    from settlement_entries e where e.location_id = $1 and e.turn_id = t.id and e.kind <> 'refund') e
  cross join lateral (select count(*) as there from orders o where o.location_id = $1 and o.turn_id = t.id) o) found
where harm is not null limit 101;
