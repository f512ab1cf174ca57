-- means: The next order gets the number after the highest, and there are numbers left.
-- advice: comanda doctor --repair sets the counter to the highest number.

select l.id as location, 'the counter of orders' as what, coalesce(c.value, 0) < h.number as mild,
  'is at ' || coalesce(c.value, 0) || ', the highest order is ' || h.number as harm
from locations l cross join lateral (
  select coalesce((select o.number from orders o where o.location_id = l.id order by o.number desc limit 1), 0)
    as number) h
left join internal.location_counters c on c.location_id = l.id and c.name = 'order'
where coalesce(c.value, 0) < h.number or c.value >= 2000000000 and c.value > h.number limit 101;

-- repair:
with was as (
  select c.value from internal.location_counters c where c.location_id = $1 and c.name = 'order'
), mended as (
  insert into internal.location_counters as c (location_id, name, value)
  select $1, 'order',
    coalesce((select r.number from orders r where r.location_id = $1 order by r.number desc limit 1), 0)
  -- The service does not give numbers beyond the highest one that an order can have, so no order takes one meanwhile.
  on conflict (location_id, name) do update set value =
    case when c.value >= 2000000000 then excluded.value else greatest(c.value, excluded.value) end
  returning c.value
)
select 'the counter of orders' as what, to_jsonb(w.value) as before, to_jsonb(m.value) as after
from mended m left join was w on true where w.value is distinct from m.value;
