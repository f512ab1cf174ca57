-- means: Endpoints subscribe to events that exist, and keys have permissions that exist.
-- advice: Update webhook_endpoints.events or api_keys.permissions: the refusal of a wrong name says which is meant.

select e.location_id as location, 'endpoint ' || e.id as what,
  'subscribes to ' || array_to_string(array(select n from unnest(e.events) n where n <> all (event_names())), ', ') as harm
from webhook_endpoints e where not e.events <@ event_names()
union all
select k.location_id, 'key ' || k.id,
  'may ' || array_to_string(array(select n from unnest(k.permissions) n where n <> all (m.known)), ', ')
from api_keys k cross join (select permission_names() || '*'::text
  || array(select distinct split_part(n, ':', 1) || ':*' from unnest(permission_names()) n) as known) m
where not k.permissions <@ m.known limit 101;
