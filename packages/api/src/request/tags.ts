import { type Statement, statement, type Transaction } from '@comanda/db';
import { ApiError } from '../errors.ts';
import { matchesStrongly } from './conditional.ts';

// Entity tags of resources (docs/contract.md, Preconditions). PostgreSQL moves the revision that they are made of (revisions.sql).

/** The resources that have a tag, by their tables. */
export type TaggedTable = keyof typeof heldRevisions;

/** A write's precondition on a resource: that its tag is one of those that the caller names. */
export interface Precondition {
  table: TaggedTable;
  id: string;
  /** As `If-Match` names them. */
  ifMatch: string;
}

/** A row that PostgreSQL read with its revision. */
export interface Revised {
  revision: string;
}

/** The strong entity tag of a resource, quotes included. Other resources at the same address have other tags. */
export const tagOfRow = (id: string, revision: string): string => `"${id.toLowerCase()}-${revision}"`;

const revisionOf = (table: string) =>
  statement<Revised>(
    `hold_${table}_revision`,
    `select revision from ${table} where location_id = $1::uuid and id = $2::uuid for no key update`,
  );

/** $1 location, $2 id. The row is held to the end of the transaction. */
const heldRevisions = {
  products: revisionOf('products'),
  categories: revisionOf('categories'),
  orders: revisionOf('orders'),
  webhook_endpoints: revisionOf('webhook_endpoints'),
  menus: revisionOf('menus'),
  locations: statement<Revised>(
    'hold_locations_revision',
    'select revision from locations where id = $1::uuid and id = $2::uuid for no key update',
  ),
} as const satisfies Record<string, Statement<Revised>>;

/**
 * Holds the row of a precondition to the end of the transaction, and throws `changed_since` where its tag is none of
 * those that are named. A missing row is left to the work, which answers 404.
 */
export async function requireUnchanged(
  tx: Transaction,
  locationId: string,
  { table, id, ifMatch }: Precondition,
): Promise<void> {
  const [found] = await tx.run(heldRevisions[table], [locationId, id]);
  if (found !== undefined) refuseChanged(ifMatch, tagOfRow(id, found.revision));
}

/** Throws `changed_since` where `ifMatch` does not name the tag. */
export function refuseChanged(ifMatch: string, etag: string): void {
  if (!matchesStrongly(ifMatch, etag)) throw changedSince(etag);
}

const changedSince = (etag: string): ApiError =>
  new ApiError(
    'changed_since',
    'The resource was changed since it was read: its tag is another one. Read it again, and repeat the change with the present tag.',
    { headers: { ETag: etag } },
  );

/** The refusal of an `If-Match` where nothing has a tag. */
export const noTag = (): ApiError =>
  new ApiError(
    'no_tag',
    'The operation works on nothing that has an entity tag, so If-Match has no meaning here.',
  );
