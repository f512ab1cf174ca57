import type { Queryable, Transaction } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { audit } from '../../call/audit.ts';
import type { CallContext } from '../../call/context.ts';
import { repeatingRaces } from '../../call/races.ts';
import { beginningOf, inTransaction } from '../../call/writing.ts';
import { ApiError, unavailable } from '../../errors.ts';
import { demoSize, writeDemo } from './demo.store.ts';
import type { SandboxReset } from './schema.ts';
import * as sql from './statements.ts';

/**
 * Rows that one transaction removes at most, without rows deleted with them: half a second when they are orders, of
 * which each is kept in its last state until it is published.
 */
const batchRows = 200;
/** For so long one call removes; then its caller is asked to come again. */
const mostMs = 20_000;

/**
 * Empties the sandbox and makes the demo data again, in one transaction; where there is more than a batch, it is
 * emptied in batches before. An interrupted reset is continued by the next; of several at once each is done when the
 * first is. Throws `permission_denied` at a location that is no sandbox, 503 when there is too much for one call.
 */
export async function reset(ctx: CallContext): Promise<Answer<SandboxReset>> {
  const { caller, app } = ctx;
  const { locationId } = caller;
  if (!caller.location.sandbox)
    throw new ApiError('sandbox_only', 'Only a sandbox is reset; the key is of a live location.');
  const before = await resetsOf(app.database, locationId);
  const empty = async (on: Queryable) =>
    (await on.run(sql.emptySandbox, [locationId, before, batchRows]))[0]?.removed ?? null;
  const notEmptyYet = unavailable(
    'temporarily_unavailable',
    'The sandbox is not empty yet; send the reset again, and it goes on.',
    { seconds: 1 },
  );
  const until = performance.now() + mostMs;
  for (;;) {
    try {
      return await repeatingRaces(() => inTransaction(ctx, (tx) => finish(ctx, tx, empty, notEmptyYet)));
    } catch (error) {
      if (error !== notEmptyYet) throw error;
    }
    while ((await repeatingRaces(() => app.database.transaction(beginningOf(ctx), empty))) === batchRows)
      if (performance.now() > until) throw notEmptyYet;
  }
}

// No reader sees it empty: the rest is removed in the transaction that brings the demo.
async function finish(
  ctx: CallContext,
  tx: Transaction,
  empty: (on: Queryable) => Promise<number | null>,
  notEmptyYet: ApiError,
): Promise<Answer<SandboxReset>> {
  const { locationId } = ctx.caller;
  const removed = await empty(tx);
  if (removed === batchRows) throw notEmptyYet;
  if (removed !== null) {
    await writeDemo(tx, locationId, new Date());
    await tx.run(sql.countOn, [locationId, 'reset', 1]);
  }
  const resets = await resetsOf(tx, locationId);
  if (removed !== null)
    await audit(tx, ctx, 'sandbox.reset', null, { before: { resets: resets - 1 }, after: { resets } });
  return { value: { resets, ...demoSize } };
}

async function resetsOf(on: Queryable, locationId: string): Promise<number> {
  const [counted] = await on.run(sql.countResets, [locationId]);
  return Number(counted?.resets ?? 0);
}
