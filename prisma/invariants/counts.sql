-- means: Lists know how many products and orders there are: the counts agree with the rows.
-- advice: comanda doctor --repair counts them again.

select $1::uuid as location,
  e.name || case e.hours when 0 then '' else ', ' || e.hours || ' h from ' || e.starts_at end as what,
  'counted ' || e.counted || ', there are ' || e.there as harm
from tally_errors($1) e order by e.hours desc, e.starts_at limit 101;

-- repair:
select e.name || case e.hours when 0 then '' else ', ' || e.hours || ' h from ' || e.starts_at end as what,
  to_jsonb(e.counted) as before, to_jsonb(e.there) as after from recount_tallies($1) e;
