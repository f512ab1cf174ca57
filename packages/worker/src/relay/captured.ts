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
  /** Whether it shows in GET /v2/catalog. */
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

/** What a statement selects of a row named `c`, beside its location and its seed. */
export const columns = (c: string): string => `${c}.id::text, ${c}.line, ${c}.part, ${c}.resource,
  ${c}.resource_ids as "resourceIds", ${c}.operation, ${c}.changed, ${c}.in_catalog as "inCatalog", ${c}.before, ${c}.after,
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
