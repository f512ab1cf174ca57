import { type Queryable, statement, type Transaction } from '@comanda/db';
import type { Answer } from './answer.ts';
import type { CallContext } from './context.ts';
import { claimOf, findKey, storeAnswer, storedAnswer } from './idempotency.ts';
import { originOf } from './request-id.ts';

// How a call writes. With an idempotency key: once, in the transaction that also stores its answer; of two at once the
// second waits, then replays; a refusal leaves the key unused. Without a key nothing is added to what `work` does.

/** Writes in one transaction, whose captured changes carry the request's id; throws what `work` throws. */
export function inTransaction<Value>(
  ctx: CallContext,
  work: (tx: Transaction) => Promise<Answer<Value>>,
): Promise<Answer<Value>> {
  const { database } = ctx.app;
  const { idempotency } = ctx;
  if (idempotency === undefined) return database.transaction(originOf(ctx), work);
  // The claim sets the request's id.
  return database.transaction(
    claimOf(ctx, idempotency),
    async (tx, found) =>
      storedAnswer<Value>(ctx, idempotency, found) ?? storeAnswer(tx, ctx, idempotency, await work(tx)),
  );
}

/** Writes with one statement, which is a transaction by itself and tells the request's id where that matters. */
export function inStatement<Value>(
  ctx: CallContext,
  work: (on: Queryable) => Promise<Answer<Value>>,
): Promise<Answer<Value>> {
  return ctx.idempotency === undefined ? work(ctx.app.database) : inTransaction(ctx, work);
}

/** What an earlier call with the key answered. Throws `conflict` when that came with another body. */
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
