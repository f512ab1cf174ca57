import { type Statement, statement, type Transaction } from '@comanda/db';
import { ApiError } from '../errors.ts';
import { matchesEtag, matchesStrongly } from './conditional.ts';

// Entity tags of resources (docs/contract.md, Preconditions). PostgreSQL moves the revision that they are made of (revisions.sql), or
// hashes the row (catalog.sql).

/** The resources that have a tag, by their tables. */
export type TaggedTable = keyof typeof heldRevisions;

/** The tags that the caller of a write names: the present one must be among the first, and not among the others. */
export interface NamedTags {
  /** As `If-Match` names them. */
  ifMatch?: string | undefined;
  /** As `If-None-Match` names them. */
  ifNoneMatch?: string | undefined;
}

/** A write's precondition on a resource. */
export interface Precondition extends NamedTags {
  table: TaggedTable;
  id: string;
}

/** A row that PostgreSQL read with its revision. */
export interface Revised {
  revision: string;
}

/** The strong entity tag of a resource, quotes included. Other resources at the same address have other tags. */
export const tagOfRow = (id: string, revision: string): string => `"${id.toLowerCase()}-${revision}"`;

const revisionOf = (table: string, revision = 'revision') =>
  statement<Revised>(
    `hold_${table}_revision`,
    `select ${revision} as revision from ${table} where location_id = $1::uuid and id = $2::uuid for no key update`,
  );

/** $1 location, $2 id. The row is held to the end of the transaction. */
const heldRevisions = {
  products: revisionOf('products'),
  categories: revisionOf('categories'),
  orders: revisionOf('orders'),
  webhook_endpoints: revisionOf('webhook_endpoints'),
  menus: revisionOf('menus'),
  subselections: revisionOf('subselections', 'subselection_revision(subselections)'),
  subselection_items: revisionOf('subselection_items', 'subselection_item_revision(subselection_items)'),
  locations: statement<Revised>(
    'hold_locations_revision',
    'select shown_revision(l) as revision from locations l where l.id = $1::uuid and l.id = $2::uuid for no key update',
  ),
} as const satisfies Record<string, Statement<Revised>>;

/**
 * Holds the row of a precondition to the end of the transaction, and throws `changed_since` or `tag_matches` where its tag
 * does not meet it. A missing row is left to the work, which answers 404.
 */
export async function requirePrecondition(
  tx: Transaction,
  locationId: string,
  { table, id, ifMatch, ifNoneMatch }: Precondition,
): Promise<void> {
  const [found] = await tx.run(heldRevisions[table], [locationId, id]);
  if (found === undefined) return;
  const etag = tagOfRow(id, found.revision);
  if (ifMatch !== undefined) refuseChanged(ifMatch, etag);
  if (matchesEtag(ifNoneMatch, etag)) throw tagMatches(etag);
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

const tagMatches = (etag: string): ApiError =>
  new ApiError('tag_matches', 'The resource exists and has a tag that If-None-Match names.', {
    headers: { ETag: etag },
  });

/** The refusal of an `If-Match` where nothing has a tag. */
export const noTag = (): ApiError =>
  new ApiError(
    'no_tag',
    'The operation works on nothing that has an entity tag, so If-Match has no meaning here.',
  );
