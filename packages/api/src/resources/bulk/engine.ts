import { type Database, statement, type Transaction } from '@comanda/db';
import { notFound } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import { refuseLargeBatch, refuseUsedUp, startBatch } from '../../request/batch.ts';
import type { CallContext } from '../../request/context.ts';
import { repeatingDeadlocks, repeatingRaces } from '../../request/races.ts';
import { findStoredAnswer, inStatement, inTransaction } from '../../request/writing.ts';
import type { Deleted } from '../../wire.ts';
import { inTurn } from './queue.ts';
import { type Asked, locking, readCurrent, reading } from './reads.ts';
import type { Current, Writes } from './rows.ts';
import { emptyWrites, writesAnything } from './rules.ts';
import { write } from './writes.ts';

// What products jobs, catalog sync and stock sync have in common: they read what they name, decide, and write whole rows.
// Everything that writes at a location takes its locks in one order, which stands at the head of prisma/sql/locks.sql.

/** A batch: what it asks for, and what it comes to then. */
export interface Batch<Plan extends { writes: Writes }> {
  asked: Asked;
  /** Decides from what there is. Throws what refuses the batch. */
  plan(current: Current): Plan;
}

/** What the batch would come to now: all reads in one snapshot, without a lock or a change. Throws its refusal. */
export function foresee<Plan extends { writes: Writes }>(
  database: Database,
  locationId: string,
  { asked, plan }: Batch<Plan>,
): Promise<Plan> {
  return database.transaction(undefined, async (tx) => {
    await tx.run(beginSnapshot, []);
    return plan(await readCurrent(tx, locationId, reading, asked));
  });
}

/** Applies the batch in a transaction that holds the location's bulk writes. Throws its refusal. */
export async function apply<Plan extends { writes: Writes }>(
  tx: Transaction,
  locationId: string,
  { asked, plan }: Batch<Plan>,
): Promise<Plan> {
  const decided = plan(await readCurrent(tx, locationId, locking, asked));
  await write(tx, locationId, decided.writes);
  return decided;
}

/**
 * Applies the batch of a call in one transaction, which also counts it, at its end: a batch that fails counts nothing.
 * A dry run only answers what it would come to, and leaves the idempotency key unused. Throws the refusal of the batch, `validation_error` for more than the
 * key may send (`size`, told of `path`), `rate_limited` when the hour's batch jobs are used up.
 */
export async function runBatch<Plan extends { writes: Writes }, Value>(
  ctx: CallContext,
  batch: Batch<Plan>,
  { size, path, dryRun }: { size: number; path: string; dryRun: boolean | undefined },
  answer: (plan: Plan) => Value,
): Promise<Answer<Value>> {
  const { database } = ctx.app;
  const { locationId } = ctx.caller;
  refuseLargeBatch(ctx, size, path);
  if (dryRun) {
    const foreseen = await foresee(database, locationId, batch);
    // Of a key that came with another body this is a conflict.
    await findStoredAnswer(ctx);
    return { value: answer(foreseen) };
  }
  await refuseUsedUp(ctx);
  const applied = (hold: boolean) =>
    repeatingRaces(() =>
      inTransaction(ctx, async (tx) => {
        if (hold) await tx.run(holdBulkWrites, [locationId]);
        const decided = await apply(tx, locationId, batch);
        await startBatch(ctx, tx);
        return { value: answer(decided) };
      }),
    );
  // One item is a single write.
  if (size === 1 && !batch.asked.all) return applied(false);
  // More are looked at without locks before: what is refused or all there already holds up nobody.
  const foreseen = await foresee(database, locationId, batch);
  if (writesAnything(foreseen.writes)) return inTurn(locationId, () => applied(true));
  return inStatement(ctx, async (on) => {
    await startBatch(ctx, on);
    return { value: answer(foreseen) };
  });
}

/** Removes a category, or a product with all that belongs to it, by id. Throws `resource_not_found`. */
export function removeOne(
  ctx: CallContext,
  kind: 'categories' | 'products',
  id: string,
): Promise<Answer<Deleted>> {
  const { locationId } = ctx.caller;
  const whole = kind === 'products';
  const asked: Asked = {
    ...{ [kind]: { ids: [id] }, stock: whole, options: whole },
    changing: (categories) => categories.map((category) => category.id),
  };
  return repeatingDeadlocks(() =>
    inTransaction(ctx, async (tx) => {
      const current = await readCurrent(tx, locationId, locking, asked);
      const writes = emptyWrites();
      writes.removed[kind] = [id];
      await write(tx, locationId, writes);
      if (current[kind].length === 0) throw notFound(kind === 'products' ? 'Product' : 'Category');
      return { value: { id, deleted: true } };
    }),
  );
}

/** $1 location. */
const holdBulkWrites = statement('hold_bulk_writes', 'select hold_bulk_writes($1::uuid)');

/** First in a transaction: all that it reads is of one moment. */
const beginSnapshot = statement(
  'begin_bulk_snapshot',
  'set transaction isolation level repeatable read, read only',
);
