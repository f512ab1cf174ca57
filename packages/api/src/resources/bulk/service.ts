import type { Answer } from '../../call/answer.ts';
import { refuseLargeBatch, refuseUsedUp, startBatch } from '../../call/batch.ts';
import type { CallContext } from '../../call/context.ts';
import { readsFor, refuseLeft } from '../../call/left.ts';
import { repeatingDeadlocks, repeatingRaces } from '../../call/races.ts';
import { findStoredAnswer, inTransaction } from '../../call/writing.ts';
import { notFound } from '../../errors.ts';
import { refusedReferences } from '../../unknown-references.ts';
import type { Deleted } from '../../wire.ts';
import { type Asked, locking, readCurrent } from './reads.statements.ts';
import type { Writes } from './rows.rules.ts';
import { emptyWrites, writesAnything } from './rules.ts';
import { holdBulkWrites } from './statements.ts';
import { apply, type Batch, foresee } from './store.ts';
import { write } from './writes.statements.ts';

/**
 * Applies the batch of a call in one transaction, which also counts it, at its end: a batch that fails counts nothing.
 * A dry run only answers its outcome, and leaves the idempotency key unused. Throws the refusal of the batch,
 * `validation_error` for more than the key may send (`size`, reported with `path`), `rate_limited` when the hour's
 * batch jobs are used up.
 */
export async function runBatch<Plan extends { writes: Writes }, Value>(
  ctx: CallContext,
  { asked, plan }: Batch<Plan>,
  { size, path, dryRun }: { size: number; path: string; dryRun: boolean | undefined },
  answer: (plan: Plan) => Value,
): Promise<Answer<Value>> {
  const { capacity } = ctx.app;
  const { locationId } = ctx.caller;
  refuseLargeBatch(ctx, size, path);
  const batch: Batch<Plan> = {
    asked,
    plan(current) {
      if (current.unknown.length > 0) throw refusedReferences(current.unknown);
      return plan(current);
    },
  };
  if (dryRun) {
    const foreseen = await foresee(ctx.app.database, locationId, batch);
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
  if (size === 1 && !asked.all) return applied(false);
  // Larger ones are checked without locks before: a batch that is refused or changes nothing blocks no other.
  const foreseen = await foresee(readsFor(ctx), locationId, batch);
  if (writesAnything(foreseen.writes))
    return capacity.bulkWrites.run(locationId, () => {
      refuseLeft(ctx);
      return applied(true);
    });
  return inTransaction(ctx, async (tx) => {
    await startBatch(ctx, tx);
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
    [kind]: { ids: [id] },
    stock: whole,
    options: whole,
    changing: (categories) => categories.map((category) => category.id),
  };
  return repeatingDeadlocks(() =>
    inTransaction(ctx, async (tx) => {
      const current = await readCurrent(tx, locationId, locking, asked);
      const writes = emptyWrites();
      writes.removed[kind] = [id];
      write(tx, locationId, writes);
      if (current[kind].length === 0) throw notFound(kind === 'products' ? 'Product' : 'Category');
      return { value: { id, deleted: true } };
    }),
  );
}
