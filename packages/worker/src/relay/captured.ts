/** A JSON object as Postgres gives it. */
export type JsonObject = { [member: string]: unknown };

/** The key of a captured row. */
export interface RowKey {
  locationId: string;
  /** Its place in the queue; a decimal number of up to 64 bits. */
  id: string;
  line: number;
  /** Distinguishes its transaction from all others. */
  seed: string;
  /** The part of its transaction that it is published with; 0 for one that was not cut. */
  part: number;
}

/** A change of one resource as the triggers captured it. */
export interface Change {
  /** The row that holds it, with others of the same statement. */
  row: RowKey;
  /** Distinguishes its transaction from all others. */
  seed: string;
  /** The part of its transaction that it is published with; 0 for one that was not cut. */
  part: number;
  locationId: string;
  resource: string;
  resourceId: string;
  /** insert, update, delete, or an action such as test or publish */
  operation: string;
  /** The columns that differ. */
  changed: string[];
  /** Whether it shows in GET /v2/catalog: its product, if it is of one, is in a category. */
  inCatalog: boolean;
  before: JsonObject | null;
  after: JsonObject | null;
  requestId: string | null;
  traceparent: string | null;
  capturedAt: Date;
  /** Whether its location still exists; otherwise there is no subscriber left. */
  located: boolean;
}

/** A row of captured_changes: one operation of one statement on some resources. */
export interface CapturedRow extends RowKey, Omit<Change, 'row' | 'resourceId' | 'before' | 'after'> {
  resourceIds: string[];
  before: (JsonObject | null)[] | null;
  after: (JsonObject | null)[] | null;
}

/**
 * Whether one of the products of a row named `c` is in a category now. A product taken out of one is published by its
 * link; rows deleted with its subselection, by that.
 */
const isListed = (c: string): string => {
  const one = (product: string) => `exists (select from unnest(${c}.resource_ids, ${c}.before) r (id, before)
    cross join lateral (select from product_categories p where p.location_id = ${c}.location_id and p.product_id = ${product} limit 1) p)`;
  const found = (column: string, table: string, id: string) =>
    `(select o.${column} from ${table} o where o.location_id = ${c}.location_id and o.id = ${id} limit 1)`;
  // The row itself may be gone; what it was a part of was recorded then.
  const owner = (column: string, table: string) =>
    `case ${c}.operation when 'delete' then (r.before ->> '${column}')::uuid else ${found(column, table, 'r.id')} end`;
  return `case ${c}.resource when 'product' then ${one('r.id')}
    when 'subselection' then ${one(owner('product_id', 'subselections'))}
    when 'subselection_item' then ${one(found('product_id', 'subselections', owner('subselection_id', 'subselection_items')))}
    else true end`;
};

/** The columns that a statement selects of a row named `c`, besides its location and its seed. */
export const columns = (c: string): string => `${c}.id::text, ${c}.line, ${c}.part, ${c}.resource,
  ${c}.resource_ids as "resourceIds", ${c}.operation, ${c}.changed, ${c}.in_catalog and ${isListed(c)} as "inCatalog", ${c}.before, ${c}.after,
  ${c}.request_id as "requestId", ${c}.traceparent, ${c}.captured_at as "capturedAt",
  exists (select from locations l where l.id = ${c}.location_id) as located`;

/** The changes that a row holds, one for each resource. */
export function changesOf({ resourceIds, before, after, id, line, ...shared }: CapturedRow): Change[] {
  const row: RowKey = { locationId: shared.locationId, id, line, seed: shared.seed, part: shared.part };
  return resourceIds.map((resourceId, index) => ({
    ...shared,
    row,
    resourceId,
    before: before?.[index] ?? null,
    after: after?.[index] ?? null,
  }));
}
