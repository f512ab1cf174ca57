-- means: Every active endpoint has a signing secret: without one nothing is sent to it.
-- advice: Its owner makes one, and gives it to the consumer: POST /v2/webhook-endpoints/{id}/rotate-secret. A secret made
--   up by the service would be unknown to the consumer.

select e.location_id as location, 'endpoint ' || e.id as what, 'has no valid signing secret' as harm
from webhook_endpoints e where e.status = 'active' and not exists (
  select from internal.webhook_secrets s where s.location_id = e.location_id and s.endpoint_id = e.id
    and (s.expires_at is null or s.expires_at > now())) limit 101;
