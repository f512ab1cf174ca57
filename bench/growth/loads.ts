import { setTimeout as sleep } from 'node:timers/promises';
import type { Other } from '../company.ts';
import { idOf, inLanes, orderOf, sendTo, settled, unused } from '../operations/stage.ts';
import { between, cpuOf, eachOf, type Spent } from './cpu.ts';
import type { Service } from './service.ts';

/** A call that is made over and over at locations drawn at random. */
interface Load {
  name: string;
  calls: number;
  /** Of a call by the Node process and PostgreSQL: all that follows is waited for, and counted for the worker. */
  once(service: Service, who: Other, seen: Map<string, string[]>): Promise<unknown>;
}

/** Ids of orders that were placed and not moved, by location. */
type Seen = Map<string, string[]>;

export const loads: readonly Load[] = [
  {
    name: 'an order of three lines',
    calls: 200,
    async once({ api }, who, seen) {
      const id = idOf(await sendTo(api.url, orderOf(who, unused(`growth-${process.pid}`)), who.key));
      seen.set(who.locationId, [...(seen.get(who.locationId) ?? []), id]);
    },
  },
  {
    name: 'a move of an order',
    calls: 200,
    async once({ api }, who, seen) {
      const id = seen.get(who.locationId)?.shift();
      if (id === undefined) return;
      const sent = { method: 'PATCH', path: `/v2/orders/${id}/status`, body: { status: 'ready' } } as const;
      await sendTo(api.url, sent, who.key);
    },
  },
  {
    name: 'a list of 50 orders',
    calls: 300,
    once: ({ api }, who) => read(api.url, '/v2/orders?limit=50', who.key),
  },
  {
    name: 'a poll for what changed in the last hour',
    calls: 300,
    once: ({ api }, who) => {
      const since = new Date(Date.now() - 3_600_000).toISOString();
      return read(api.url, `/v2/orders?limit=50&updated_since=${since}`, who.key);
    },
  },
  {
    name: 'a page of 50 of the feed of events',
    calls: 300,
    once: ({ api }, who) => read(api.url, '/v2/events?limit=50', who.key),
  },
];

/** A connection that rested for long may be closed from the other end more than once. */
async function read(url: string, path: string, key: string): Promise<unknown> {
  const ask = () => sendTo(url, { method: 'GET', path }, key);
  return ask().catch((error: unknown) => {
    if (error instanceof TypeError) return ask();
    throw error;
  });
}

/** The cost of calls at each of the services, in µs a call, and how many events each call published. */
export interface LoadCost {
  name: string;
  us: Record<Service['name'], Spent>;
  events: Record<Service['name'], number>;
}

/** Asks the services in turns; the first turn warms up. */
export async function measureLoads(
  services: readonly Service[],
  idle: Readonly<Record<Service['name'], Spent>>,
  { turns, small, log }: { turns: number; small: boolean; log: (line: string) => void },
): Promise<LoadCost[]> {
  const seen: Record<Service['name'], Seen> = { few: new Map(), many: new Map() };
  const found: LoadCost[] = [];
  for (const load of loads) {
    const calls = small ? 10 : load.calls;
    const zero = eachOf(() => 0);
    const sums = { few: zero, many: zero };
    const events = { few: 0, many: 0 };
    for (let turn = 0; turn <= turns; turn += 1)
      for (const service of services) {
        const { name } = service;
        const eventsBefore = await eventsOf(service);
        const [before, began] = [await cpuOf(service), performance.now()];
        await inLanes(calls, (at) => load.once(service, drawnBy(service, at), seen[name]), 4);
        await settled({ comanda: service.database });
        // The worker records deliveries a little later.
        await sleep(small ? 0 : 300);
        const [spent, ms] = [between(before, await cpuOf(service)), performance.now() - began];
        if (turn === 0) continue;
        const sum = sums[name];
        sums[name] = eachOf((part) => sum[part] + spent[part] - idle[name][part] * ms);
        events[name] += (await eventsOf(service)) - eventsBefore;
      }
    const usOf = (name: Service['name']) => eachOf((part) => (sums[name][part] * 1_000) / calls / turns);
    const cost = {
      name: load.name,
      us: { few: usOf('few'), many: usOf('many') },
      events: { few: events.few / calls / turns, many: events.many / calls / turns },
    };
    log(`${load.name}: ${JSON.stringify(cost.us)} ${JSON.stringify(cost.events)}`);
    found.push(cost);
  }
  return found;
}

/** Each location as often as the others, so that orders placed in one turn can be moved in the next. */
const drawnBy = ({ drawn }: Service, at: number): Other => {
  const one = drawn[at % drawn.length];
  if (one === undefined) throw new Error('there are no locations');
  return one;
};

async function eventsOf({ database, drawn }: Service): Promise<number> {
  const { rows } = await database.pool.query<{ events: number }>(
    `select sum(value)::float8 as events from internal.location_counters where name = 'event' and location_id = any ($1::uuid[])`,
    [drawn.map(({ locationId }) => locationId)],
  );
  return rows[0]?.events ?? 0;
}
