import { type Queryable, statement, type Transaction } from '@comanda/db';
import type { FirstAttempts, HandedDeliveries } from '../deliveries/first-attempts.ts';
import { noteCatalog, removeRows } from './changes.ts';
import { claimNewDeliveries, isSmall, queueDeliveries } from './deliveries.ts';
import { eventId } from './event-id.ts';
import type { PlannedEvent, Unit } from './plan.ts';
import { type Resources, readResources } from './resources.ts';
import { type ComposedEvent, type Endpoint, type NumberedEvent, storeEvents } from './store.ts';

/** An event with the text of its `data`; without, that is the catalog's next version. */
interface Composed {
  event: PlannedEvent;
  createdAt: string;
  text?: string;
}

/** The result of publishing. */
export interface Published {
  events: number;
  /** To be handed over once it has committed. */
  handed: HandedDeliveries[];
}

/**
 * Publishes planned units inside the relay's transaction: events with their numbers and bodies, a delivery
 * for every endpoint that is active and subscribed now, and the changes go. With `first` a delivery of a small round is
 * claimed as it is made; else each endpoint gets a job. The caller holds their locations, so numbers rise as they become visible.
 *
 * @throws {Error} at once when another transaction holds an endpoint's row; when one of the units cannot be published;
 * then the transaction must not commit.
 */
export async function publishUnits(
  tx: Transaction,
  units: readonly Unit[],
  first?: FirstAttempts,
): Promise<Published> {
  const problem = units.find((unit) => unit.problem !== undefined)?.problem;
  if (problem !== undefined) throw new Error(problem);
  const planned = units.flatMap(({ events }) => events);
  const published = await publishEvents(tx, planned, first);
  // Sent at once, with the commit behind them.
  noteCatalog(
    tx,
    units.filter(({ touchesCatalog }) => touchesCatalog),
  );
  removeRows(tx, [...new Set(units.flatMap(({ rows }) => rows))]);
  return published;
}

async function publishEvents(
  tx: Transaction,
  planned: readonly PlannedEvent[],
  first?: FirstAttempts,
): Promise<Published> {
  if (planned.length === 0) return { events: 0, handed: [] };
  const [receiversOf, shown] = await Promise.all([readReceivers(tx, planned), readShown(tx, planned)]);
  const events = await composeEvents(tx, planned, shown, receiversOf);
  if (first !== undefined && shown.count === planned.length && isSmall(events)) {
    tellWatchers(tx, events);
    // Sent in this order: a delivery refers to its event.
    const [, handed] = await Promise.all([storeEvents(tx, events), claimNewDeliveries(tx, events, first)]);
    return { events: events.length, handed };
  }
  return publishMany(tx, { events, rest: planned.slice(shown.count) }, receiversOf);
}

/** Publishes a big round: the texts of events go as soon as they are stored. */
async function publishMany(
  tx: Transaction,
  { events, rest }: { events: readonly ComposedEvent[]; rest: readonly PlannedEvent[] },
  receiversOf: (event: PlannedEvent) => Endpoint[],
): Promise<Published> {
  await storeEvents(tx, events);
  const stored: NumberedEvent[] = events.map(withoutText);
  for (let left = rest; left.length > 0; ) {
    const shown = await readShown(tx, left);
    const next = await composeEvents(tx, left, shown, receiversOf);
    await storeEvents(tx, next);
    stored.push(...next.map(withoutText));
    left = left.slice(shown.count);
  }
  await queueDeliveries(tx, stored);
  tellWatchers(tx, stored);
  return { events: stored.length, handed: [] };
}

const withoutText = ({ text: _, ...event }: ComposedEvent): NumberedEvent => event;

/** The documents of events: of the first `count` of them, which are as many as fit. */
interface Shown extends Resources {
  timeOf(event: PlannedEvent): string;
  /** The present version of each catalog that an event is about. */
  versions: ReadonlyMap<string, string>;
}

async function readShown(tx: Queryable, planned: readonly PlannedEvent[]): Promise<Shown> {
  const [documents, timeOf, versions] = await Promise.all([
    readResources(tx, planned),
    readTimes(tx, planned),
    readCatalogVersions(tx, planned),
  ]);
  return { ...documents, timeOf, versions };
}

/** Numbers the events that are shown. Some have nothing to show. */
async function composeEvents(
  tx: Queryable,
  all: readonly PlannedEvent[],
  { count, show, timeOf, versions }: Shown,
  receiversOf: (event: PlannedEvent) => Endpoint[],
): Promise<ComposedEvent[]> {
  const composed = all.slice(0, count).flatMap((event): Composed[] => {
    const { data } = event;
    const createdAt = timeOf(event);
    if (typeof data === 'string') return [{ event, createdAt }];
    const text = 'show' in data ? show({ ...event, data }, createdAt) : JSON.stringify(data.value);
    return text === undefined ? [] : [{ event, createdAt, text }];
  });
  const takeNumber = await takeNumbers(
    tx,
    composed.map(({ event }) => event),
  );
  return composed.map(({ event, createdAt, text }) => ({
    ...event,
    createdAt,
    id: event.eventId ?? eventId(event),
    text:
      text ??
      `{"version":${takeNumber(event.locationId, 'catalog')},"published_at":"${versions.get(event.locationId)}"}`,
    number: takeNumber(event.locationId, 'event'),
    receivers: receiversOf(event),
  }));
}

/** The time of each change in the zone of its location; few are different, a transaction has one. */
async function readTimes(
  tx: Queryable,
  planned: readonly PlannedEvent[],
): Promise<(event: PlannedEvent) => string> {
  const keyOf = ({ locationId, capturedAt }: PlannedEvent) => `${locationId} ${capturedAt.getTime()}`;
  const distinct = [...new Map(planned.map((event) => [keyOf(event), event])).values()];
  const rows = await tx.run(wireTimes, [
    distinct.map(({ locationId }) => locationId),
    distinct.map(({ capturedAt }) => capturedAt),
  ]);
  const texts = new Map(
    rows.map(({ locationId, moment, text }) => [`${locationId} ${moment.getTime()}`, text]),
  );
  return (event) => {
    const text = texts.get(keyOf(event));
    if (text === undefined) throw new Error(`location ${event.locationId} is gone`);
    return text;
  };
}

async function readCatalogVersions(
  tx: Queryable,
  planned: readonly PlannedEvent[],
): Promise<Map<string, string>> {
  const locations = planned.flatMap(({ data, locationId }) =>
    data === 'catalog version' ? [locationId] : [],
  );
  if (locations.length === 0) return new Map();
  const rows = await tx.run(catalogVersions, [[...new Set(locations)].sort()]);
  return new Map(rows.map(({ locationId, text }) => [locationId, text]));
}

/** Takes as many numbers of each counter as the events need; gives them out one by one, rising. */
async function takeNumbers(
  tx: Queryable,
  events: readonly PlannedEvent[],
): Promise<(locationId: string, counter: 'event' | 'catalog') => bigint> {
  const wanted = new Map<string, { locationId: string; counter: string; count: number }>();
  for (const { locationId, data } of events) {
    for (const counter of data === 'catalog version' ? ['event', 'catalog'] : ['event']) {
      const key = `${locationId} ${counter}`;
      const row = wanted.get(key) ?? { locationId, counter, count: 0 };
      row.count += 1;
      wanted.set(key, row);
    }
  }
  const rows = [...wanted.values()];
  const taken = await tx.run(advanceCounters, [
    rows.map(({ locationId }) => locationId),
    rows.map(({ counter }) => counter),
    rows.map(({ count }) => count),
  ]);
  const next = new Map(
    taken.map(({ locationId, counter, value }) => {
      const key = `${locationId} ${counter}`;
      return [key, BigInt(value) - BigInt(wanted.get(key)?.count ?? 0)] as const;
    }),
  );
  return (locationId, counter) => {
    const key = `${locationId} ${counter}`;
    const number = (next.get(key) ?? 0n) + 1n;
    next.set(key, number);
    return number;
  };
}

async function readReceivers(
  tx: Queryable,
  planned: readonly PlannedEvent[],
): Promise<(event: PlannedEvent) => Endpoint[]> {
  const endpoints = await tx.run(activeEndpoints, [
    [...new Set(planned.map(({ locationId }) => locationId))],
  ]);
  const byLocation = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const known = byLocation.get(endpoint.locationId);
    if (known) known.push(endpoint);
    else byLocation.set(endpoint.locationId, [endpoint]);
  }
  return ({ locationId, type, endpointId }) =>
    (byLocation.get(locationId) ?? []).filter((endpoint) =>
      endpointId === undefined ? endpoint.events.includes(type) : endpoint.id === endpointId,
    );
}

/** Names the locations to the API processes, which hear of it when this commits. */
function tellWatchers(tx: Transaction, events: readonly NumberedEvent[]): void {
  const ids = [...new Set(events.map(({ locationId }) => locationId))];
  if (ids.length > 0) tx.send(notifyWatchers, [ids]);
}

// A notification holds 8,000 bytes, an id 37.
const notifyWatchers = statement(
  'relay_notify_watchers',
  `select pg_notify('comanda_events', string_agg(id, ','))
   from unnest($1::text[]) with ordinality as w (id, place) group by place / 200`,
);

const wireTimes = statement<{ locationId: string; moment: Date; text: string }>(
  'relay_wire_times',
  `select l.id as "locationId", w.moment, wire_time(w.moment, l.timezone) as text
   from unnest($1::uuid[], $2::timestamptz[]) as w (location_id, moment)
   cross join lateral (select * from locations where id = w.location_id limit 1) l`,
);

const catalogVersions = statement<{ locationId: string; text: string }>(
  'relay_catalog_versions',
  `select l.id as "locationId", wire_time(catalog_version(l.id), l.timezone) as text
   from unnest($1::uuid[]) as w (location_id)
   cross join lateral (select * from locations where id = w.location_id limit 1) l`,
);

const advanceCounters = statement<{ locationId: string; counter: string; value: string }>(
  'relay_advance_counters',
  `insert into internal.location_counters as c (location_id, name, value)
   select * from unnest($1::uuid[], $2::text[], $3::bigint[]) as w (location_id, name, value) order by 1, 2
   on conflict (location_id, name) do update set value = c.value + excluded.value
   returning location_id as "locationId", name as counter, value::text`,
);

const activeEndpoints = statement<Endpoint>(
  'relay_active_endpoints',
  `select id, location_id as "locationId", api_version as "apiVersion", events from webhook_endpoints
   where location_id = any ($1::uuid[]) and status = 'active'`,
);
