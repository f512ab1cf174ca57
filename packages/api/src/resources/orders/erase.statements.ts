import { erasedColumns, publishingLock, sqlName, statement, type Table, tables } from '@comanda/db';

/** $1 order. At which location it is, or its events are when the order itself was deleted. */
export const findErased = statement<{ location_id: string }>(
  'erase_find',
  `select l.id as location_id from locations l
   where exists (select from orders o where o.location_id = l.id and o.id = $1::uuid)
     or exists (select from events e where e.location_id = l.id and e.resource_id = $1::uuid)`,
);

export const eraseDeed = statement('erase_deed', `select deed('erase: comanda erase')`);

/** One copy or more of what a person wrote; $1 location, $2 order. Each returns how many rows it changed. */
export type Erasure = ReturnType<typeof erasure>;

/** Tables that hold what a person wrote in an order: of orders, or of their lines. */
const written = tables.filter((table) => erasedColumns(table).length > 0);

/** The order itself, and its lines. That it changed is published: who keeps a copy hears of it. */
export const eraseOrder: Readonly<Record<string, Erasure>> = Object.fromEntries(
  written.map((table) => [table.name, erasure(table.name, emptied(table))]),
);

function emptied(table: Table): string {
  const columns = erasedColumns(table);
  const key = table.name === 'orders' ? 'id' : 'order_id';
  return `update ${sqlName(table)} set ${columns.map(({ name, to }) => `${name} = ${to === 'null' ? 'null' : `''`}`).join(', ')}
     where location_id = $1::uuid and ${key} = $2::uuid
       and (${columns.map(({ name, to }) => (to === 'null' ? `${name} is not null` : `${name} <> ''`)).join(' or ')})`;
}

const itsEvents = `select e.id from events e where e.location_id = $1::uuid and e.resource_id = $2::uuid
  union all select e.id from payments p join events e on e.location_id = p.location_id and e.resource_id = p.id
  where p.location_id = $1::uuid and p.order_id = $2::uuid`;

/** Its copies: in events, in answers that are kept for repeats, and in the audit. */
export const eraseCopies = {
  events: erasure(
    'events',
    `update events e set body = erased(e.body), body_v1 = erased(e.body_v1)
     where e.location_id = $1::uuid and e.id in (${itsEvents})
       and (erased(e.body) <> e.body or erased(e.body_v1) <> e.body_v1)`,
  ),
  idempotency_keys: erasure(
    'idempotency_keys',
    `update internal.idempotency_keys k set response = erased(k.response)
     where k.location_id = $1::uuid and k.response like '%' || $2::uuid || '%' and erased(k.response) <> k.response`,
  ),
  captured_changes: erasure(
    'captured_changes',
    `update internal.captured_changes c set before = erased_of(c.before, c.resource_ids, $2::uuid),
       after = erased_of(c.after, c.resource_ids, $2::uuid)
     where c.location_id = $1::uuid and c.resource = 'order' and $2::uuid = any (c.resource_ids)
       and (c.before is not null or c.after is not null)`,
  ),
  audit_entries: erasure(
    'audit_entries',
    `update audit_entries a set changes = jsonb_set(a.changes, '{rows}', (
       select jsonb_agg(case when $2::text in (r.row->'key'->>'id', r.row->'key'->>'order_id') then erased(r.row::text)::jsonb
         else r.row end order by r.place) from jsonb_array_elements(a.changes->'rows') with ordinality r (row, place)))
     where a.location_id = $1::uuid and a.relation in (${written.map(({ name }) => `'${name}'`).join(', ')}) and a.changes::text like '%' || $2::uuid || '%'
       and erased(a.changes::text) <> a.changes::text`,
  ),
};

/** The answers of consumers, which may repeat what they got. */
export const eraseAnswers = {
  webhook_attempts: erasure(
    'webhook_attempts',
    `update webhook_attempts a set response_body = null
     where a.location_id = $1::uuid and a.response_body is not null and a.delivery_id in (
       select d.id from webhook_deliveries d where d.location_id = $1::uuid and d.event_id in (${itsEvents}))`,
  ),
};

/** $1 location. The relay publishes nothing of it until the transaction ends: it deletes the changes that it has published. */
export const holdPublishing = statement(
  'erase_hold_publishing',
  `select pg_advisory_xact_lock(${publishingLock('$1::uuid')})`,
);

/** A claim of a delivery. */
export interface Claimed {
  id: string;
  until: string;
}

/** $1 location, $2 order. Deliveries of its events that a worker holds. */
export const readClaims = statement<Claimed>(
  'erase_read_claims',
  `select d.id, d.leased_until::text as until from webhook_deliveries d
   where d.location_id = $1::uuid and d.leased_until > clock_timestamp() and d.event_id in (${itsEvents})`,
);

/** $1 location, $2 deliveries, $3 until when they were held. Whether one of these claims is still held. */
export const areClaimed = statement<{ claimed: boolean }>(
  'erase_are_claimed',
  `select exists (select from unnest($2::uuid[], $3::timestamptz[]) c (id, until)
     join webhook_deliveries d on d.location_id = $1::uuid and d.id = c.id and d.leased_until = c.until
     where d.leased_until > clock_timestamp()) as claimed`,
);

function erasure(table: string, update: string) {
  return statement<{ count: number }>(
    `erase_${table}`,
    `with changed as (${update} returning 1) select count(*)::int as count from changed`,
  );
}
