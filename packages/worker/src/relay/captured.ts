/** A JSON object as Postgres gives it. */
export type JsonObject = { [member: string]: unknown };

/** The key of a captured row. */
export interface RowKey {
  locationId: string;
  /** Its place in the queue; a decimal number of up to 64 bits. */
  id: string;
  line: number;
  /** Tells its transaction from all others. */
  seed: string;
  /** The part of its transaction that it is published with; 0 for one that was not cut. */
  part: number;
}

/** A change of one resource as the triggers captured it. */
export interface Change {
  /** The row it stands in, with others of the same statement. */
  row: RowKey;
  /** Tells its transaction from all others. */
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
  /** Whether it shows in GET /v2/catalog: its product, if it is of one, stands in a category. */
  inCatalog: boolean;
  before: JsonObject | null;
  after: JsonObject | null;
  requestId: string | null;
  capturedAt: Date;
  /** Whether its location still exists; nobody is left to be told otherwise. */
  located: boolean;
}

/** A row of captured_changes: one operation of one statement on some resources. */
export interface CapturedRow extends RowKey, Omit<Change, 'row' | 'resourceId' | 'before' | 'after'> {
  resourceIds: string[];
  before: (JsonObject | null)[] | null;
  after: (JsonObject | null)[] | null;
}

/** Whether one of the products that a row named `c` is about stands in a category now. What is taken out of one is told by its link. */
const stands = (c: string): string => {
  const one = (product: string, from = '') => `exists (select from unnest(${c}.resource_ids) r (id) ${from}
    cross join lateral (select from product_categories p where p.location_id = ${c}.location_id and p.product_id = ${product} limit 1) p)`;
  const subselection = (id: string) => `cross join lateral (
    select s.product_id from subselections s where s.location_id = ${c}.location_id and s.id = ${id} limit 1) s`;
  const item = `cross join lateral (
    select i.subselection_id from subselection_items i where i.location_id = ${c}.location_id and i.id = r.id limit 1) i`;
  return `case when ${c}.resource = 'product' then ${one('r.id')}
    when ${c}.operation = 'delete' then true
    when ${c}.resource = 'subselection' then ${one('s.product_id', subselection('r.id'))}
    when ${c}.resource = 'subselection_item' then ${one('s.product_id', `${item} ${subselection('i.subselection_id')}`)}
    else true end`;
};

/** What a statement selects of a row named `c`, beside its location and its seed. */
export const columns = (c: string): string => `${c}.id::text, ${c}.line, ${c}.part, ${c}.resource,
  ${c}.resource_ids as "resourceIds", ${c}.operation, ${c}.changed, ${c}.in_catalog and ${stands(c)} as "inCatalog", ${c}.before, ${c}.after,
  ${c}.request_id as "requestId", ${c}.captured_at as "capturedAt",
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
