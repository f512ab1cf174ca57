import { publishingBytes, type Queryable, type Statement, statement, untilFull } from '@comanda/db';
import type { PlannedEvent } from './plan.ts';
import { type PlainKind, plainKinds, type ResourceKind } from './rules.ts';

/** The JSON text of a resource for an event, or undefined when no consumer can get anything of it any more. */
export type ResourceReader = (
  event: PlannedEvent & { data: { show: ResourceKind } },
  at: string,
) => string | undefined;

/** The resources that were read for some events. */
export interface Resources {
  /** How many of the events can be shown, from the first on; the others did not fit. */
  count: number;
  show: ResourceReader;
}

/**
 * Reads the resources that the events show, in bulk, as of now, and until it holds `publishingBytes`; a deleted one
 * shows the last state that its deletion kept. `at` of the reader is the time of the change, as answers show times.
 *
 * @throws {Error} by the reader, for a resource that exists but cannot be shown (an order without a payment).
 */
export async function readResources(tx: Queryable, events: readonly PlannedEvent[]): Promise<Resources> {
  const wanted = new Map<ResourceKind, Map<string, PlannedEvent>>();
  for (const event of events) {
    if (typeof event.data === 'string' || !('show' in event.data)) continue;
    const ofKind = wanted.get(event.data.show) ?? new Map<string, PlannedEvent>();
    wanted.set(event.data.show, ofKind.set(event.resourceId, event));
  }
  const found = new Map<string, string>();
  const unread = new Set<string>();
  const leave = (kind: ResourceKind, rest: readonly PlannedEvent[]) => {
    for (const { resourceId } of rest) {
      unread.add(`${kind} ${resourceId}`);
      wanted.get(kind)?.delete(resourceId);
    }
  };
  const rests = [...wanted].map(
    async ([kind, ofKind]) => [kind, await read(tx, kind, [...ofKind.values()], found)] as const,
  );
  for (const [kind, rest] of await Promise.all(rests)) leave(kind, rest);

  // A stock record may go while its product lives; what names the product is then read there.
  leave('stock', await read(tx, 'product', missing(wanted, 'stock', found), found));
  const unstocked = missing(wanted, 'stock', found);
  const gone = ([...plainKinds, 'order', 'payment', 'turn'] as const).flatMap((kind) => [
    ...missing(wanted, kind, found).map(({ resourceId }) => ({ kind, resourceId })),
    ...(kind === 'product'
      ? unstocked.filter(({ resourceId }) => !found.has(`product ${resourceId}`))
      : []
    ).map(({ resourceId }) => ({ kind, resourceId })),
  ]);
  if (gone.length > 0) {
    const kept = await tx.run(lastStates, [
      [...new Set(events.map(({ locationId }) => locationId))],
      gone.map(({ kind }) => kind),
      gone.map(({ resourceId }) => resourceId),
    ]);
    for (const { kind, id, doc } of kept) found.set(`${kind} ${id}`, doc);
  }

  const firstUnread = events.findIndex(
    ({ data, resourceId }) =>
      typeof data !== 'string' && 'show' in data && unread.has(`${data.show} ${resourceId}`),
  );
  const count = firstUnread < 0 ? events.length : firstUnread;
  const show: ResourceReader = ({ resourceId, data: { show } }, at) => {
    const doc = found.get(`${show} ${resourceId}`);
    if (doc !== undefined) return doc;
    if (show === 'settlement' || show === 'sync_job' || show === 'location') return undefined;
    const product = show === 'stock' ? found.get(`product ${resourceId}`) : undefined;
    if (product === undefined) throw new Error(`${show} ${resourceId} cannot be shown`);
    return stockEntry(product, at);
  };
  return { count, show };
}

/** Returns those that it did not reach. */
async function read(
  tx: Queryable,
  kind: ResourceKind,
  events: readonly PlannedEvent[],
  found: Map<string, string>,
): Promise<readonly PlannedEvent[]> {
  if (events.length === 0) return [];
  const rows = await tx.run(documents[kind], [
    events.map(({ locationId }) => locationId),
    events.map(({ resourceId }) => resourceId),
  ]);
  for (const { id, doc } of rows) if (doc !== null) found.set(`${kind} ${id}`, doc);
  return events.slice(rows.length);
}

function missing(
  wanted: ReadonlyMap<ResourceKind, ReadonlyMap<string, PlannedEvent>>,
  kind: ResourceKind,
  found: ReadonlyMap<string, string>,
): PlannedEvent[] {
  return [...(wanted.get(kind)?.values() ?? [])].filter(
    ({ resourceId }) => !found.has(`${kind} ${resourceId}`),
  );
}

/** The stock listing entry of a product whose record is gone. */
function stockEntry(productText: string, at: string): string {
  const product: { id: string; external_id?: string; sku: string; name: string } = JSON.parse(productText);
  return JSON.stringify({
    product_id: product.id,
    external_id: product.external_id,
    sku: product.sku,
    name: product.name,
    stock: { enabled: false, quantity: 0, min_stock_alarm: 0 },
    updated_at: at,
  });
}

/** One for each id that it reached, in their order. */
interface ResourceRow {
  id: string;
  /** Null when it is gone. */
  doc: string | null;
}

/** The same functions of Postgres that REST reads with, for many locations at once. */
const documents: Readonly<Record<ResourceKind, Statement<ResourceRow>>> = {
  order: perLocation('order', 'orders_json'),
  payment: perLocation('payment', 'payments_json'),
  ...(Object.fromEntries(plainKinds.map((kind) => [kind, perLocation(kind, `${kind}s_json`)])) as Record<
    PlainKind,
    Statement<ResourceRow>
  >),
  stock: perLocation('stock', 'stock_json'),
  turn: perLocation('turn', 'turns_json'),
  location: perLocation('location', 'locations_json'),
  settlement: statement(
    'relay_settlement_documents',
    `select w.id, case when s.id is not null then json_build_object('id', s.id,
       'period_start', wire_time(s.started_at, l.timezone), 'period_end', wire_time(s.ended_at, l.timezone),
       'total_amount', trim_scale(s.total_collected), 'total_orders', s.total_orders)::text end as doc
     from unnest($1::uuid[], $2::uuid[]) as w (location_id, id)
     left join lateral (select * from settlements where location_id = w.location_id and id = w.id limit 1) s on true
     left join locations l on l.id = s.location_id`,
  ),
  sync_job: statement(
    'relay_sync_job_documents',
    `select w.id, case when j.id is not null then json_strip_nulls(json_build_object('job_id', j.id, 'status', j.status, 'total_items', j.total_items,
       'success_items', j.success_items, 'failed_items', j.failed_items,
       'error', case when j.status = 'failed' then coalesce(j.error, 'no item could be applied') end))::text end as doc
     from unnest($1::uuid[], $2::uuid[]) as w (location_id, id)
     left join lateral (select * from sync_jobs where location_id = w.location_id and id = w.id limit 1) j on true`,
  ),
};

function perLocation(kind: ResourceKind, serialiser: string): Statement<ResourceRow> {
  return statement(
    `relay_${kind}_documents`,
    `with recursive ${untilFull({
      count: 'cardinality($2::uuid[])',
      key: (place) => `($1::uuid[])[${place}] as location_id, ($2::uuid[])[${place}] as id`,
      doc: `(select j.doc from ${serialiser}(k.location_id, array[k.id]) j)`,
      bytes: publishingBytes,
    })} select ($2::uuid[])[place] as id, doc from docs where place > 0 order by place`,
  );
}

const lastStates = statement<{ kind: ResourceKind; id: string; doc: string }>(
  'relay_last_states',
  `select distinct on (c.resource, c.resource_ids[1]) c.resource as kind, c.resource_ids[1] as id, c.before[1]::text as doc
   from internal.captured_changes c
   where c.location_id = any ($1::uuid[]) and c.operation = 'delete' and c.before[1] is not null
     and (c.resource, c.resource_ids[1]) in (select * from unnest($2::text[], $3::uuid[]))
   order by c.resource, c.resource_ids[1], c.id desc, c.line desc`,
);
