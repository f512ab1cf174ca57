import { type Call, type Queryable, statement, type Transaction } from '@comanda/db';
import type { Answer } from './answer.ts';
import type { CallContext } from './context.ts';
import { boundLocks, claimOf, findKey, storeAnswer, storedAnswer } from './idempotency.ts';
import { makerOf } from './request-id.ts';
import { requirePrecondition } from './tags.ts';

// How a call writes. With an idempotency key: once, in the transaction that also stores its answer; of two at once the
// second waits, then replays; a refusal leaves the key unused. In any case
// the database refuses it where the location is not active (refuse_unless_active in prisma/sql/locations.sql).

/**
 * Writes in one transaction, whose captured changes carry the request's id; throws what `work` throws. A known key replays; then the
 * precondition of the call is compared under its row's lock, and throws `changed_since` or `tag_matches`. `before` takes the locks that come before
 * that one (prisma/sql/locks.sql).
 */
export function inTransaction<Value>(
  ctx: CallContext,
  write: (tx: Transaction) => Promise<Answer<Value>>,
  before?: (tx: Transaction) => Promise<unknown>,
): Promise<Answer<Value>> {
  const { database } = ctx.app;
  const { idempotency, precondition } = ctx;
  const work =
    precondition === undefined
      ? write
      : async (tx: Transaction) => {
          await before?.(tx);
          await requirePrecondition(tx, ctx.caller.locationId, precondition);
          return write(tx);
        };
  if (idempotency === undefined) return database.transaction(beginningOf(ctx), work);
  // The claim sets the request's id, and asks as well.
  return database.transaction(
    claimOf(ctx, idempotency),
    async (tx, found) =>
      storedAnswer<Value>(ctx, idempotency, found) ?? storeAnswer(tx, ctx, idempotency, await work(tx)),
  );
}

/**
 * The first statement of each transaction of a call: it refuses (503, 403) where the location is not active, even if
 * this process has not been notified.
 */
export function beginningOf(ctx: Beginning): Call<never> {
  const values = [ctx.caller.locationId, makerOf(ctx)];
  return ctx.lockWaitMs === undefined
    ? { statement: begin, values }
    : { statement: beginBounded, values: [...values, `${ctx.lockWaitMs}ms`] };
}

/** The same at the command line, where a transaction has no request. */
export const beginningAt = (locationId: string): Call<never> => ({
  statement: begin,
  values: [locationId, ''],
});

type Beginning = Pick<CallContext, 'requestId' | 'traceparent' | 'lockWaitMs'> & {
  caller: Pick<CallContext['caller'], 'locationId' | 'apiKeyId'>;
};

const begin = statement<never>(
  'begin_call',
  `select refuse_unless_active($1::uuid), set_config('comanda.request_id', $2, true)`,
);

const beginBounded = statement<never>(
  'begin_bounded_call',
  `select refuse_unless_active($1::uuid), set_config('comanda.request_id', $2, true), ${boundLocks('$3')}`,
);

/**
 * Writes with one statement, which is a transaction by itself: it calls `refuse_unless_active`, and passes the
 * request's id where that matters.
 */
export function inStatement<Value>(
  ctx: CallContext,
  work: (on: Queryable) => Promise<Answer<Value>>,
  before?: (tx: Transaction) => Promise<unknown>,
): Promise<Answer<Value>> {
  const needsMore = [ctx.idempotency, ctx.precondition, ctx.lockWaitMs];
  const isAlone = needsMore.every((needed) => needed === undefined);
  return isAlone ? work(ctx.app.database) : inTransaction(ctx, work, before);
}

/** The answer of an earlier call with the key. Throws `conflict` when that came with another body. */
export async function findStoredAnswer<Value>(ctx: CallContext): Promise<Answer<Value> | undefined> {
  const { app, idempotency } = ctx;
  return idempotency === undefined ? undefined : findKey<Value>(app.database, ctx, idempotency);
}

/**
 * Replaces the text that was stored, by what only could be known after its commit. Of several who do, the first decides:
 * the answer is the text that is stored then.
 */
export async function finishAnswer(ctx: CallContext, text: string, finished: string): Promise<string> {
  const { app, caller, idempotency } = ctx;
  if (idempotency === undefined) return finished;
  const key = [caller.locationId, caller.apiKeyId, idempotency.operation, idempotency.key];
  const [stored] = await app.database.run(finishText, [...key, text, finished]);
  return stored?.response ?? finished;
}

const finishText = statement<{ response: string }>(
  'finish_idempotent_answer',
  `update internal.idempotency_keys set response = case when response = $5 then $6 else response end
   where location_id = $1::uuid and api_key_id = $2::uuid and operation = $3 and key = $4 returning response`,
);
