-- means: The next event gets the number after the highest: else it could not be published.
-- advice: comanda doctor --repair sets the counter to the highest number; then: comanda relay retry

select l.id as location, 'the counter of events' as what,
  'is at ' || coalesce(c.value, 0) || ', the highest event is ' || h.number as harm
from locations l cross join lateral (
  select e.number from events e where e.location_id = l.id order by e.number desc limit 1) h
left join internal.location_counters c on c.location_id = l.id and c.name = 'event'
where coalesce(c.value, 0) < h.number limit 101;

-- repair:
with was as (
  select c.value from internal.location_counters c where c.location_id = $1 and c.name = 'event'
), mended as (
  insert into internal.location_counters as c (location_id, name, value)
  select $1, 'event',
    coalesce((select r.number from events r where r.location_id = $1 order by r.number desc limit 1), 0)
  on conflict (location_id, name) do update set value = greatest(c.value, excluded.value)
  returning c.value
)
select 'the counter of events' as what, to_jsonb(w.value) as before, to_jsonb(m.value) as after
from mended m left join was w on true where w.value is distinct from m.value;
