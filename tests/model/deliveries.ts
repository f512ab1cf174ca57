import type { Consumer, Receipt } from '../faults/support/consumer.ts';
import { groupBy } from '../faults/support/grouping.ts';
import type { Restaurant } from './restaurant.ts';
import { inSnapshot } from './snapshot.ts';

/** What became of events. */
export interface Published {
  events: number;
  /** Deliveries that arrived, that are dead, and that are still on their way. */
  delivered: number;
  dead: number;
  waiting: number;
  /** Arrivals beyond the first of an event. */
  repeats: number;
}

/** A delivery as the database has it. */
interface Delivery {
  eventId: string;
  endpointId: string;
  status: string;
  attempts: number;
  logged: { attempt: number; status: string; code: number | null }[];
}

/** The deliveries of a location, with the log of each. */
export async function readDeliveries(databaseUrl: string, locationId: string): Promise<Delivery[]> {
  return inSnapshot(databaseUrl, async (client) => {
    const { rows } = await client.query<Delivery>(
      `with logged as (
         select delivery_id, json_agg(json_build_object('attempt', attempt, 'status', status,
           'code', response_code) order by attempt, id) as list
         from webhook_attempts where location_id = $1 group by delivery_id
       )
       select d.event_id as "eventId", d.endpoint_id as "endpointId", d.status, d.attempts,
         coalesce(l.list, '[]') as logged
       from webhook_deliveries d left join logged l on l.delivery_id = d.id
       where d.location_id = $1`,
      [locationId],
    );
    return rows;
  });
}

/**
 * Compares the deliveries of a restaurant with what the consumer got; `digests` are those of the stored bodies, by the id of the
 * event. @throws {Error} that lists what differs.
 */
export async function compareDeliveries(
  { endpoint, locationId }: Restaurant,
  databaseUrl: string,
  { receipts, faults }: Pick<Consumer, 'receipts' | 'faults'>,
  digests: ReadonlyMap<string, string>,
): Promise<Published> {
  const published = { events: digests.size, delivered: 0, dead: 0, waiting: 0, repeats: 0 };
  const complaints = [...faults];
  const all = await readDeliveries(databaseUrl, locationId);
  const own = groupBy(
    all.filter(({ endpointId }) => endpointId === endpoint.id),
    ({ eventId }) => eventId,
  );
  for (const [eventId, [delivery, second]] of own) {
    if (delivery === undefined) continue;
    const receipt = receipts.get(`${locationId} ${eventId}`);
    if (second !== undefined) complaints.push(`event ${eventId} has two deliveries`);
    if (delivery.status === 'delivered') published.delivered += 1;
    else if (delivery.status === 'dead') published.dead += 1;
    else published.waiting += 1;
    published.repeats += Math.max(0, (receipt?.arrivals.length ?? 0) - delivery.attempts);
    const wrong = deliveryFaults(delivery, receipt, digests.get(eventId));
    complaints.push(...wrong.map((fault) => `event ${eventId}: ${fault}`));
  }
  for (const [name, { eventId, type }] of receipts)
    if (name.startsWith(`${locationId} `) && !own.has(eventId))
      complaints.push(`${type} ${eventId} arrived and is not known`);
  for (const id of digests.keys()) if (!own.has(id)) complaints.push(`event ${id} has no delivery`);
  if (published.waiting > 0) complaints.push(`${published.waiting} deliveries have not ended`);
  if (complaints.length > 0) throw new Error(`deliveries:\n${complaints.slice(0, 20).join('\n')}`);
  return published;
}

/** A delivery that has ended has a log that the consumer can confirm, attempt by attempt. */
function deliveryFaults(
  delivery: Delivery,
  receipt: Receipt | undefined,
  digest: string | undefined,
): string[] {
  const { status, attempts, logged } = delivery;
  const arrivals = receipt?.arrivals ?? [];
  // An attempt that failed without an answer may never have arrived, or been answered too late.
  const confirmed = ({ attempt, code }: Delivery['logged'][number]) =>
    code === null || arrivals.some((one) => one.attempt === attempt && one.status === code);
  const faults = {
    'its log has not one entry for each attempt': logged.some(({ attempt }, index) => attempt !== index + 1),
    [`it counts ${attempts} attempts and its log ${logged.length}`]: logged.length !== attempts,
    'an answer is logged that was never given': !logged.every(confirmed),
    'an attempt came before the one ahead of it was logged': arrivals.some(
      (arrival) => arrival.attempt > attempts + 1,
    ),
    [`it is ${status}, and the log ends otherwise`]:
      (status === 'delivered' || status === 'dead') && logged.at(-1)?.status !== status,
    'it went on after it was delivered': logged.slice(0, -1).some((entry) => entry.status === 'delivered'),
    'its body is not the one that is stored': receipt !== undefined && receipt.digest !== digest,
  };
  return Object.entries(faults).flatMap(([fault, is]) => (is ? fault : []));
}
