import { statement } from '@comanda/db';
import { queueExists } from '../../metrics/statements.ts';
import { findForsaken, queueJobs } from '../../resources/sync-jobs/queue.store.ts';
import { hiddenQueue } from '../statements.ts';
import type { Harm, Invariant, Repaired } from './invariant.ts';

/** Events, and work that waits for its receiver. */
export const published: readonly Invariant[] = [
  {
    name: 'event feed',
    means:
      'The numbers of events have no holes except those of comanda restored: no published event was removed before its time.',
    advice:
      'The missing events were removed by hand. Readers of the feed go on; the events can be restored from a backup.',
    of: 'location',
    newest: 10_000,
    asks: statement<Harm>(
      'doctor_event_holes',
      `select $1::uuid as location, 'event ' || e.number as what, 'comes after ' || e.previous as harm, true as mild from (
         select n.number, lag(n.number) over w as previous, lag(n.created_at) over w as since
         from (select number, created_at from events where location_id = $1 order by number desc limit $2) n
         window w as (order by n.number)) e
       where e.previous <> e.number - 1 and e.since > now() - interval '29 days' and not exists (
         select from audit_entries a where a.location_id = $1 and a.resource_ids is null and a.operation = 'locations.restored'
           and (a.changes #>> '{before,event}')::bigint >= e.previous and (a.changes #>> '{after,event}')::bigint < e.number)
       limit 101`,
    ),
  },
  {
    name: 'endpoint secrets',
    means: 'Every active endpoint has a signing secret: without one nothing is sent to it.',
    advice:
      'Its owner makes one, and gives it to the consumer: POST /v2/webhook-endpoints/{id}/rotate-secret. A secret made up by the service would be unknown to the consumer.',
    of: 'database',
    asks: statement<Harm>(
      'doctor_endpoint_secrets',
      `select e.location_id as location, 'endpoint ' || e.id as what, 'has no valid signing secret' as harm
       from webhook_endpoints e where e.status = 'active' and not exists (
         select from internal.webhook_secrets s where s.location_id = e.location_id and s.endpoint_id = e.id
           and (s.expires_at is null or s.expires_at > now())) limit 101`,
    ),
  },
  {
    name: 'names',
    means: 'Endpoints subscribe to events that exist, and keys have permissions that exist.',
    advice:
      'Update webhook_endpoints.events or api_keys.permissions: the refusal of a wrong name says which is meant.',
    of: 'database',
    asks: statement<Harm>(
      'doctor_names',
      `select e.location_id as location, 'endpoint ' || e.id as what,
         'subscribes to ' || array_to_string(array(select n from unnest(e.events) n where n <> all (event_names())), ', ') as harm
       from webhook_endpoints e where not e.events <@ event_names()
       union all
       select k.location_id, 'key ' || k.id,
         'may ' || array_to_string(array(select n from unnest(k.permissions) n where n <> all (m.known)), ', ')
       from api_keys k cross join (select permission_names() || '*'::text
         || array(select distinct split_part(n, ':', 1) || ':*' from unnest(permission_names()) n) as known) m
       where not k.permissions <@ m.known limit 101`,
    ),
  },
  {
    name: 'deliveries',
    means: 'Every delivery that waits for an endpoint has a time at which it is due.',
    advice: 'comanda doctor --repair makes it due now, or drops it where the endpoint is disabled.',
    of: 'location',
    newest: 10_000,
    asks: statement<Harm>(
      'doctor_deliveries',
      `select $1::uuid as location, 'delivery ' || d.id as what, 'is ' || d.status || ' and never due' as harm
       from (select * from webhook_deliveries where location_id = $1 order by id desc limit $2) d
       where d.status in ('pending', 'failed') and d.next_attempt_at is null limit 101`,
    ),
    repairs: statement<Repaired>(
      'repair_deliveries',
      `with mended as (
         update webhook_deliveries d set leased_until = null, leased_by = null,
           status = case e.status when 'active' then d.status else 'dropped' end::delivery_status,
           next_attempt_at = case e.status when 'active' then now() end
         from webhook_endpoints e
         where d.location_id = $1 and d.status in ('pending', 'failed') and d.next_attempt_at is null
           and e.location_id = d.location_id and e.id = d.endpoint_id
         returning d.id, d.status, d.next_attempt_at
       )
       select 'delivery ' || id as what, null::jsonb as before,
         jsonb_build_object('status', status, 'next_attempt_at', next_attempt_at) as after from mended`,
    ),
  },
  {
    name: 'sync jobs',
    means: 'Every location with a sync job that is not done has a job of the queue that does it.',
    advice: 'comanda doctor --repair queues it again; items applied already are skipped.',
    of: 'database',
    async asks({ database }) {
      const [queue] = await database.run(queueExists, []);
      if (queue?.exists !== true) return [];
      // To whom the queue shows nothing every job would look missing.
      if ((await database.run(hiddenQueue, [])).length > 0)
        throw new Error('row security hides the queue from this role');
      const found = await findForsaken(database, null, snapshotSeconds);
      return found.flatMap(({ locationId: location, jobs }) =>
        jobs.map((id) => ({ location, what: `sync job ${id}`, harm: 'waits, and no job is queued for it' })),
      );
    },
    async repairs({ tx, location }) {
      const found = await findForsaken(tx, location, snapshotSeconds);
      for (const { locationId } of found) await queueJobs(tx, locationId);
      return found.flatMap(({ jobs }) =>
        jobs.map((id) => ({ what: `sync job ${id}`, before: null, after: 'queued' })),
      );
    },
  },
];

// Between its commit and ours a job may have been done: a minute is longer than any snapshot here.
const snapshotSeconds = 60;
