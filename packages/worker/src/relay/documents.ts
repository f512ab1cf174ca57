import { type Queryable, type Statement, statement } from '@comanda/db';
import type { PlannedEvent } from './plan.ts';
import { type DocumentKind, type PlainKind, plainKinds } from './rules.ts';

/** The JSON text of a resource for an event, or undefined when nobody can be told anything of it any more. */
export type DocumentReader = (
  event: PlannedEvent & { data: { show: DocumentKind } },
  at: string,
) => string | undefined;

/**
 * Reads what the events show, in bulk, as it stands now; what is gone shows the last state that its deletion
 * kept. `at` of the reader is the time of the change, as answers show times.
 *
 * @throws {Error} by the reader, for a resource that exists but cannot be shown (an order without a payment).
 */
export async function readDocuments(tx: Queryable, events: readonly PlannedEvent[]): Promise<DocumentReader> {
  const wanted = new Map<DocumentKind, Map<string, PlannedEvent>>();
  for (const event of events) {
    if (typeof event.data === 'string' || !('show' in event.data)) continue;
    const ofKind = wanted.get(event.data.show) ?? new Map<string, PlannedEvent>();
    wanted.set(event.data.show, ofKind.set(event.resourceId, event));
  }
  const found = new Map<string, string>();
  for (const [kind, ofKind] of wanted) await read(tx, kind, [...ofKind.values()], found);

  // A stock record may go while its product lives; what names the product is then read there.
  const unstocked = missing(wanted, 'stock', found);
  if (unstocked.length > 0) await read(tx, 'product', unstocked, found);
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

  return ({ resourceId, data: { show } }, at) => {
    const doc = found.get(`${show} ${resourceId}`);
    if (doc !== undefined) return doc;
    if (show === 'settlement' || show === 'sync_job') return undefined;
    const product = show === 'stock' ? found.get(`product ${resourceId}`) : undefined;
    if (product === undefined) throw new Error(`${show} ${resourceId} cannot be shown`);
    return stockEntry(product, at);
  };
}

async function read(
  tx: Queryable,
  kind: DocumentKind,
  events: readonly PlannedEvent[],
  found: Map<string, string>,
): Promise<void> {
  const rows = await tx.run(documents[kind], [
    events.map(({ locationId }) => locationId),
    events.map(({ resourceId }) => resourceId),
  ]);
  for (const { id, doc } of rows) found.set(`${kind} ${id}`, doc);
}

function missing(
  wanted: ReadonlyMap<DocumentKind, ReadonlyMap<string, PlannedEvent>>,
  kind: DocumentKind,
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

interface DocumentRow {
  id: string;
  doc: string;
}

/** The same functions of Postgres that REST reads with, for many locations at once. */
const documents: Readonly<Record<DocumentKind, Statement<DocumentRow>>> = {
  order: perLocation('order', 'orders_json'),
  payment: perLocation('payment', 'payments_json'),
  ...(Object.fromEntries(plainKinds.map((kind) => [kind, perLocation(kind, `${kind}s_json`)])) as Record<
    PlainKind,
    Statement<DocumentRow>
  >),
  stock: perLocation('stock', 'stock_json'),
  turn: perLocation('turn', 'turns_json'),
  settlement: statement(
    'relay_settlement_documents',
    `select s.id, json_build_object('id', s.id,
       'period_start', wire_time(s.started_at, l.timezone), 'period_end', wire_time(s.ended_at, l.timezone),
       'total_amount', trim_scale(s.total_collected), 'total_orders', s.total_orders)::text as doc
     from unnest($1::uuid[], $2::uuid[]) as w (location_id, id)
     cross join lateral (select * from settlements where location_id = w.location_id and id = w.id limit 1) s
     join locations l on l.id = s.location_id`,
  ),
  sync_job: statement(
    'relay_sync_job_documents',
    `select j.id, json_strip_nulls(json_build_object('job_id', j.id, 'status', j.status, 'total_items', j.total_items,
       'success_items', j.success_items, 'failed_items', j.failed_items,
       'error', case when j.status = 'failed' then coalesce(j.error, 'no item could be applied') end))::text as doc
     from unnest($1::uuid[], $2::uuid[]) as w (location_id, id)
     cross join lateral (select * from sync_jobs where location_id = w.location_id and id = w.id limit 1) j`,
  ),
};

function perLocation(kind: DocumentKind, serialiser: string): Statement<DocumentRow> {
  return statement(
    `relay_${kind}_documents`,
    // One id at a time, which `limit 1` enforces: a join could compare each row of a location with each id.
    `select j.id, j.doc::text as doc from unnest($1::uuid[], $2::uuid[]) as w (location_id, id)
     cross join lateral (select * from ${serialiser}(w.location_id, array[w.id]) limit 1) j`,
  );
}

const lastStates = statement<DocumentRow & { kind: DocumentKind }>(
  'relay_last_states',
  `select distinct on (c.resource, c.resource_ids[1]) c.resource as kind, c.resource_ids[1] as id, c.before[1]::text as doc
   from internal.captured_changes c
   where c.location_id = any ($1::uuid[]) and c.operation = 'delete' and c.before[1] is not null
     and (c.resource, c.resource_ids[1]) in (select * from unnest($2::text[], $3::uuid[]))
   order by c.resource, c.resource_ids[1], c.id desc, c.line desc`,
);
