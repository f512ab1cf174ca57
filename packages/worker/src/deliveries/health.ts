import { again, type Clock, type Database, type Loop, startLoop, statement, systemClock } from '@comanda/db';
import type { Logger } from 'pino';
import type { EndpointRef } from './endpoint-ref.ts';

/** The health of endpoints, which callers see. */
export interface Health {
  /** Notes how an attempt ended; costs no statement. */
  note(endpoint: EndpointRef, ok: boolean): void;
  /** Writes what was noted since the last time: a row for each endpoint, however much was delivered. */
  write(): Promise<void>;
}

/** How often it is written, and so how late callers see it. */
const writeEveryMs = 10_000;

/** Writes it again and again, and once more at the end. */
export function startHealth(health: Health, clock: Clock): Loop {
  const loop = startLoop({
    clock,
    firstRestMs: writeEveryMs,
    async round() {
      await health.write();
      return again(writeEveryMs);
    },
  });
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await health.write();
    },
  };
}

/**
 * Gathers how attempts end: when the last one was delivered, and since when none is. An endpoint of which one has
 * arrived since the last writing does well. Where that changes, one line is logged, by whichever process writes it
 * first; results gathered by a process that is killed are lost, and the next attempts report the state.
 */
export function createHealth(database: Database, log: Logger, clock = systemClock): Health {
  let noted = new Map<string, Noted>();
  return {
    note(endpoint, ok) {
      const known = noted.get(endpoint.endpointId) ?? { endpoint };
      noted.set(endpoint.endpointId, known);
      if (ok) known.deliveredAt = clock.now();
      else known.failedAt ??= clock.now();
    },
    async write() {
      const all = [...noted.values()];
      if (all.length === 0) return;
      noted = new Map();
      const now = clock.now();
      const ago = (at: number | undefined) => (at === undefined ? null : now - at);
      try {
        const changes = await database.run(writeHealth, [
          all.map(({ endpoint }) => endpoint.locationId),
          all.map(({ endpoint }) => endpoint.endpointId),
          all.map(({ deliveredAt }) => ago(deliveredAt)),
          all.map(({ failedAt }) => ago(failedAt)),
        ]);
        for (const { failingSince, ...endpoint } of changes)
          if (failingSince === null) log.info(endpoint, 'a webhook endpoint is well again');
          else log.warn({ ...endpoint, failingSince }, 'a webhook endpoint began to fail');
      } catch (error) {
        log.warn(
          { err: error },
          'the health of webhook endpoints could not be written; the next attempts report it',
        );
      }
    },
  };
}

/** On the worker's clock: when the last attempt arrived, and when the first one failed. */
interface Noted {
  endpoint: EndpointRef;
  deliveredAt?: number;
  failedAt?: number;
}

/**
 * Values, an array each: location, endpoint, and how many milliseconds ago the last attempt arrived and the first one failed;
 * null where none did. Gives those that begin to fail, and those that are well again. One that is gone is left out.
 */
const writeHealth = statement<EndpointRef & { failingSince: Date | null }>(
  'write_endpoint_health',
  `with reported as materialized (
     select t.*, h.last_delivered_at, h.failing_since
     from (select v.location_id, v.endpoint_id, now() - make_interval(secs => v.delivered_ago / 1000) as delivered_at,
         now() - make_interval(secs => v.failed_ago / 1000) as failed_at
       from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::float8[]) as v (location_id, endpoint_id, delivered_ago, failed_ago)
       order by v.endpoint_id) t
     cross join lateral (select from webhook_endpoints e where e.location_id = t.location_id and e.id = t.endpoint_id limit 1) e
     left join lateral (select h.* from internal.endpoint_health h
       where h.location_id = t.location_id and h.endpoint_id = t.endpoint_id limit 1 for update) h on true
   ), judged as (
     select t.*, case when t.delivered_at is null and coalesce(t.failed_at > t.last_delivered_at, true)
       then coalesce(t.failing_since, t.failed_at) end as failing from reported t
   ), written as (
     insert into internal.endpoint_health as h (location_id, endpoint_id, last_delivered_at, failing_since)
     select j.location_id, j.endpoint_id, greatest(j.delivered_at, j.last_delivered_at), j.failing from judged j
     on conflict (location_id, endpoint_id) do update
       set last_delivered_at = excluded.last_delivered_at, failing_since = excluded.failing_since
     returning h.endpoint_id
   )
   select j.location_id as "locationId", j.endpoint_id as "endpointId", j.failing as "failingSince"
   from judged j where (j.failing is null) <> (j.failing_since is null)`,
);
