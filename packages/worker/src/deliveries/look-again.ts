import { statement } from '@comanda/db';
import type { Fresh, LookAgain } from './attempt.ts';
import { freshMs } from './claim.ts';
import type { DeliveryOptions } from './endpoint-loop.ts';
import type { EndpointRef } from './endpoint-ref.ts';
import { deliversAfter, type HeldDelivery } from './statements.ts';

/** However slow the database is, a look counts for some time from its answer; but not when it was asked for so long ago. */
const oldestMs = 5_000;
/** How long the last look counts: for as long as a connection may take. */
const lastFreshMs = 10_000;

interface Asked {
  delivery: HeldDelivery;
  last: boolean;
  resolve(fresh: Fresh | undefined): void;
  reject(error: unknown): void;
}

/** Looks again at claimed deliveries of one endpoint; all that ask in one turn of the event loop share a statement. */
export function createLookAgain({ database, workerId }: DeliveryOptions, endpoint: EndpointRef): LookAgain {
  let asked: Asked[] = [];
  const look = async () => {
    const asking = asked;
    asked = [];
    const askedAt = performance.now();
    const { locationId, endpointId } = endpoint;
    const ids = asking.map(({ delivery }) => delivery.id);
    const urls = asking.map(({ delivery }) => delivery.url);
    try {
      const rows = await database.run(stillDeliverable, [locationId, endpointId, workerId, ids, urls]);
      const times = new Map(rows.map(({ id, at }) => [id, at]));
      const sendBy = Math.min(performance.now() + freshMs, askedAt + oldestMs);
      for (const one of asking) {
        const at = times.get(one.delivery.id);
        one.resolve(at === undefined ? undefined : { at, sendBy: one.last ? askedAt + lastFreshMs : sendBy });
      }
    } catch (error) {
      for (const one of asking) one.reject(error);
    }
  };
  return (delivery, last) =>
    new Promise((resolve, reject) => {
      if (asked.length === 0) setImmediate(look);
      asked.push({ delivery, last, resolve, reject });
    });
}

/** Those of the deliveries that the worker still holds, whose endpoint still has that address and gets them, at a location that is active. */
const stillDeliverable = statement<{ id: string; at: number }>(
  'still_deliverable',
  `select r.id, extract(epoch from clock_timestamp())::float8 as at
   from unnest($4::uuid[], $5::text[]) as r (id, url)
   cross join lateral (
     select from webhook_deliveries d
     where d.location_id = $1::uuid and d.id = r.id and d.leased_by = $3
       and d.number > ${deliversAfter('$1', '$2')}
     limit 1
   ) d
   where r.url = (select e.url from webhook_endpoints e where e.location_id = $1::uuid and e.id = $2::uuid)
     and (select l.status from locations l where l.id = $1::uuid) = 'active'`,
);
