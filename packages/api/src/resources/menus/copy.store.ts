import { createHash } from 'node:crypto';
import { type Leaving, newId, type Queryable, type Sessions, type Transaction } from '@comanda/db';
import { type AuditActor, auditAs } from '../../call/audit.ts';
import { ApiError, invalid } from '../../errors.ts';
import { inPieces } from '../../in-pieces.ts';
import { locking, type Reads, readCurrent, reading } from '../bulk/reads.statements.ts';
import { writesAnything } from '../bulk/rules.ts';
import { beginSnapshot, holdBulkWrites } from '../bulk/statements.ts';
import { write } from '../bulk/writes.statements.ts';
import { planCopy } from './copy.rules.ts';
import { type MenuCopied, mostListed } from './copy.schema.ts';
import type { CopyPlan, Whole } from './copy-plan.rules.ts';
import * as menus from './statements.ts';

/** A location that is copied from or to. */
export interface CopyPlace {
  id: string;
  name: string;
  currency: string;
}

/** The two locations of a copy. */
export interface CopyPlaces {
  from: CopyPlace;
  to: CopyPlace;
}

/** How many categories and products a location may have for a copy: one transaction writes them all. */
const mostCopied = 10_000;

/**
 * The effect that a copy would have now; nothing is locked or written. Throws its refusal, and `UnwantedError` once `left` is
 * gone.
 */
export async function foreseeCopy(
  database: Sessions,
  { from, to }: CopyPlaces,
  left?: Leaving,
): Promise<MenuCopied> {
  refuseUnlike(from, to);
  const read = await inSnapshot(database, async (tx) => ({
    source: await readWhole(tx, from.id, reading),
    here: await readWhole(tx, to.id, reading),
  }));
  const plan = await inPieces(planCopy(read.source, read.here, newId), left);
  return inPieces(shown({ from, to }, plan), left);
}

/** All that a location has of what is copied, at one moment. Throws `validation_error` where that is too much. */
export function readSource(database: Sessions, from: CopyPlace): Promise<Whole> {
  return inSnapshot(database, (tx) => readWhole(tx, from.id, reading));
}

/**
 * Writes a copy in a transaction, and the audit with it; of what is equal already nothing is written. Throws `changed_since` where the
 * difference is not the one that was `seen`, and what refuses the copy.
 */
export async function copyIn(
  tx: Transaction,
  actor: AuditActor,
  { from, to, source }: CopyPlaces & { source: Whole },
  seen: string | undefined,
): Promise<MenuCopied> {
  refuseUnlike(from, to);
  await tx.run(holdBulkWrites, [to.id]);
  const plan = await inPieces(planCopy(source, await readWhole(tx, to.id, locking), newId));
  const copied = await inPieces(shown({ from, to }, plan));
  if (seen !== undefined && seen !== copied.seen) throw changed();
  write(tx, to.id, plan.writes);
  for (const menu of plan.menus) {
    const key = [to.id, menu.id];
    if (menu.isNew) tx.send(menus.insertMenu, [...key, menu.name]);
    else tx.send(menus.removeLinks, key);
    tx.send(menus.insertLinks, [...key, menu.category_ids]);
    if (menu.isNew && menu.is_published) tx.send(menus.publishMenu, key);
  }
  const { created, updated } = copied;
  if (plan.menus.length > 0 || writesAnything(plan.writes))
    auditAs(tx, actor, 'menus.copy', from.id, { before: null, after: { from: from.id, created, updated } });
  return copied;
}

// In the order of prisma/sql/locks.sql: categories, menus, then products and what belongs to them.
async function readWhole(on: Queryable, locationId: string, reads: Reads): Promise<Whole> {
  const isLocking = reads === locking;
  const ids = async (statement: typeof menus.readProductIds) =>
    (await on.run(statement, [locationId, mostCopied + 1])).map(({ id }) => id);
  const asked = {
    categories: { ids: await ids(menus.readCategoryIds) },
    products: { ids: await ids(menus.readProductIds) },
  };
  if (asked.categories.ids.length + asked.products.ids.length > mostCopied)
    throw invalid({
      path: 'from_key',
      message: `at most ${mostCopied} categories and products can be copied at once, of either location; use a file`,
    });
  const { categories } = await readCurrent(on, locationId, reads, { categories: asked.categories });
  if (isLocking) await on.run(menus.lockMenus, [locationId]);
  const found = await on.run(menus.readMenusToCopy, [locationId]);
  const { products, links, subselections, items } = await readCurrent(on, locationId, reads, {
    products: asked.products,
    links: true,
    options: true,
  });
  return { categories, products, links, subselections, items, menus: found };
}

function inSnapshot<Result>(database: Sessions, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return database.transaction(undefined, async (tx) => {
    await tx.run(beginSnapshot, []);
    return work(tx);
  });
}

function refuseUnlike(from: CopyPlace, to: CopyPlace): void {
  if (from.id === to.id) throw unusable('must be of another location');
  if (from.currency !== to.currency)
    throw unusable(
      `the prices there are in ${from.currency}, and here in ${to.currency}: they would keep their numbers`,
    );
}

/** The refusal of a key to copy from. */
export const unusable = (message: string): ApiError =>
  invalid({ path: 'from_key', message, reason: 'source_key_unusable' });

// `seen` is the digest of one JSON text, which would take a stop of its own to write at once.
function* shown(
  { from, to }: CopyPlaces,
  { changes, unchanged, kept }: CopyPlan,
): Generator<undefined, MenuCopied> {
  const created = changes.filter(({ action }) => action === 'created').length;
  const counts = { created, updated: changes.length - created, unchanged, kept };
  const seen = createHash('sha256').update(`${JSON.stringify([from.id, to.id, counts]).slice(0, -1)},[`);
  for (const [at, change] of changes.entries()) {
    yield;
    seen.update(`${at === 0 ? '' : ','}${JSON.stringify(change)}`);
  }
  seen.update(']]');
  return {
    from: { id: from.id, name: from.name },
    to: { id: to.id, name: to.name },
    ...counts,
    changes: changes.slice(0, mostListed),
    seen: seen.digest('hex'),
  };
}

const changed = (): ApiError =>
  new ApiError(
    'changed_since',
    'One of the two menus was changed since the difference was read. Read it again, and repeat the copy.',
  );
