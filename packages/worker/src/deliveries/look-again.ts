import { statement } from '@comanda/db';
import type { Fresh, LookAgain } from './attempt.ts';
import type { DeliveryOptions } from './endpoint-loop.ts';
import type { EndpointRef } from './endpoint-ref.ts';
import type { ReadyDelivery } from './ready-delivery.ts';
import { deliversAfter } from './statements.ts';
import { freshMs, isFar, noteWay } from './way.ts';

/** Of a database so far away that no look is fresh when its answer comes, a look counts from its answer, but not for so long. */
const oldestMs = 5_000;

interface Asked {
  ready: ReadyDelivery;
  resolve(fresh: Fresh | undefined): void;
  reject(error: unknown): void;
}

/** Looks again at claimed deliveries of one endpoint; all that ask in one turn of the event loop share a statement. */
export function createLookAgain(
  { clock, database, workerId }: DeliveryOptions,
  endpoint: EndpointRef,
): LookAgain {
  let asked: Asked[] = [];
  const look = async () => {
    const asking = asked;
    asked = [];
    const askedAt = clock.now();
    const { locationId, endpointId } = endpoint;
    const ids = asking.map(({ ready }) => ready.delivery.id);
    const urls = asking.map(({ ready }) => ready.delivery.url);
    const sealed = asking.map((one) => one.ready.sealed);
    try {
      const rows = await database.run(stillDeliverable, [
        locationId,
        endpointId,
        workerId,
        ids,
        urls,
        sealed,
      ]);
      const times = new Map(rows.map(({ id, at }) => [id, at]));
      const now = clock.now();
      noteWay(database, now - askedAt, clock);
      // A promise of 100 ms cannot be kept over a longer way; to send nothing would be worse.
      const sendBy = isFar(database, clock) ? Math.min(now + freshMs, askedAt + oldestMs) : askedAt + freshMs;
      for (const one of asking) {
        const at = times.get(one.ready.delivery.id);
        one.resolve(at === undefined ? undefined : { at, sendBy });
      }
    } catch (error) {
      for (const one of asking) one.reject(error);
    }
  };
  return (ready) =>
    new Promise((resolve, reject) => {
      if (asked.length === 0) setImmediate(look);
      asked.push({ ready, resolve, reject });
    });
}

/**
 * Those of the deliveries that the worker still holds, whose endpoint still has that address and those secrets and gets them, at
 * a location that is active.
 */
const stillDeliverable = statement<{ id: string; at: number }>(
  'still_deliverable',
  `select r.id, extract(epoch from clock_timestamp())::float8 as at
   from unnest($4::uuid[], $5::text[], $6::text[]) as r (id, url, sealed)
   cross join lateral (
     select from webhook_deliveries d
     where d.location_id = $1::uuid and d.id = r.id and d.leased_by = $3
       and d.number > ${deliversAfter('$1', '$2')}
     limit 1
   ) d
   where r.url = (select e.url from webhook_endpoints e where e.location_id = $1::uuid and e.id = $2::uuid)
     and r.sealed = (select coalesce(string_agg(encode(s.sealed, 'hex'), ',' order by s.created_at desc, s.id desc), '')
       from internal.webhook_secrets s where s.location_id = $1::uuid and s.endpoint_id = $2::uuid
         and (s.expires_at is null or s.expires_at > now()))
     and (select l.status from locations l where l.id = $1::uuid) = 'active'`,
);
