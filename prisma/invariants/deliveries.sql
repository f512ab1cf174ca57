-- means: Every delivery that waits for an endpoint has a time at which it is due.
-- advice: comanda doctor --repair makes it due now, or drops it where the endpoint is disabled.
-- newest: 10000

select $1::uuid as location, 'delivery ' || d.id as what, 'is ' || d.status || ' and never due' as harm
from (select * from webhook_deliveries where location_id = $1 order by id desc limit $2) d
where d.status in ('pending', 'failed') and d.next_attempt_at is null limit 101;

-- repair:
with mended as (
  update webhook_deliveries d set leased_until = null, leased_by = null,
    status = case e.status when 'active' then d.status else 'dropped' end::delivery_status,
    next_attempt_at = case e.status when 'active' then now() end
  from webhook_endpoints e
  where d.location_id = $1 and d.status in ('pending', 'failed') and d.next_attempt_at is null
    and e.location_id = d.location_id and e.id = d.endpoint_id
  returning d.id, d.status, d.next_attempt_at
)
select 'delivery ' || id as what, null::jsonb as before,
  jsonb_build_object('status', status, 'next_attempt_at', next_attempt_at) as after from mended;
