import { type Queryable, statement } from '@comanda/db';
import { noteCatalog, removeRows } from './changes.ts';
import { readDocuments } from './documents.ts';
import { eventId } from './event-id.ts';
import type { PlannedEvent, Unit } from './plan.ts';
import {
  type ComposedEvent,
  type Endpoint,
  type NumberedEvent,
  queueDeliveries,
  storeEvents,
} from './store.ts';

/** An event with the text of its `data`; without, that is the catalog's next version. */
interface Composed {
  event: PlannedEvent;
  createdAt: string;
  text?: string;
}

/**
 * Publishes planned units inside the relay's transaction: events with their numbers and bodies, a delivery
 * for every endpoint that is active and subscribed now, one job for each of these, and the changes go.
 * The caller holds their locations, so numbers rise as they become visible. Returns how many events.
 *
 * @throws {Error} at once when somebody holds an endpoint's row; when one of the units cannot be published; then the transaction must not commit.
 */
export async function publishUnits(tx: Queryable, units: readonly Unit[]): Promise<number> {
  const problem = units.find((unit) => unit.problem !== undefined)?.problem;
  if (problem !== undefined) throw new Error(problem);
  const planned = units.flatMap(({ events }) => events);
  const receiversOf = planned.length === 0 ? () => [] : await readReceivers(tx, planned);
  const stored: NumberedEvent[] = [];
  for (let rest = planned; rest.length > 0; ) {
    const { events, count } = await composeEvents(tx, rest, receiversOf);
    await storeEvents(tx, events);
    stored.push(...events.map(({ text: _, ...event }) => event));
    rest = rest.slice(count);
  }
  await queueDeliveries(tx, stored);
  await tellWatchers(tx, stored);
  await noteCatalog(
    tx,
    units.filter(({ touchesCatalog }) => touchesCatalog),
  );
  await removeRows(tx, [...new Set(units.flatMap(({ rows }) => rows))]);
  return stored.length;
}

/** Numbers the first events, as many as their documents were read for: `count`. Of some there is nothing to tell. */
async function composeEvents(
  tx: Queryable,
  all: readonly PlannedEvent[],
  receiversOf: (event: PlannedEvent) => Endpoint[],
): Promise<{ events: ComposedEvent[]; count: number }> {
  const { count, show: showDocument } = await readDocuments(tx, all);
  const planned = all.slice(0, count);
  const timeOf = await readTimes(tx, planned);
  const composed = planned.flatMap((event): Composed[] => {
    const { data } = event;
    const createdAt = timeOf(event);
    if (typeof data === 'string') return [{ event, createdAt }];
    const text = 'show' in data ? showDocument({ ...event, data }, createdAt) : JSON.stringify(data.value);
    return text === undefined ? [] : [{ event, createdAt, text }];
  });
  const versions = await readCatalogVersions(tx, planned);
  const takeNumber = await takeNumbers(
    tx,
    composed.map(({ event }) => event),
  );
  const events = composed.map(({ event, createdAt, text }) => ({
    ...event,
    createdAt,
    id: event.eventId ?? eventId(event),
    text:
      text ??
      `{"version":${takeNumber(event.locationId, 'catalog')},"published_at":"${versions.get(event.locationId)}"}`,
    number: takeNumber(event.locationId, 'event'),
    receivers: receiversOf(event),
  }));
  return { events, count };
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

/** The version that each catalog has by now which an event tells of. */
async function readCatalogVersions(
  tx: Queryable,
  planned: readonly PlannedEvent[],
): Promise<Map<string, string>> {
  const told = planned.flatMap(({ data, locationId }) => (data === 'catalog version' ? [locationId] : []));
  if (told.length === 0) return new Map();
  const rows = await tx.run(catalogVersions, [[...new Set(told)].sort()]);
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
async function tellWatchers(tx: Queryable, events: readonly NumberedEvent[]): Promise<void> {
  const ids = [...new Set(events.map(({ locationId }) => locationId))];
  if (ids.length > 0) await tx.run(notifyWatchers, [ids]);
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
   from unnest($1::uuid[], $2::timestamptz[]) as w (location_id, moment) join locations l on l.id = w.location_id`,
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
  `select id, location_id as "locationId", events from webhook_endpoints
   where location_id = any ($1::uuid[]) and status = 'active'`,
);
