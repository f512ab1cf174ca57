import { createHash } from 'node:crypto';
import { type Call, type Queryable, statement, type Transaction } from '@comanda/db';
import type { GivenKey } from '../bodies/input.ts';
import { conflict, invalid } from '../errors.ts';
import { IdempotencyKey } from '../wire.ts';
import { type Answer, textOf } from './answer.ts';
import type { CallContext, Idempotency } from './context.ts';
import type { NamedOperation } from './definition.ts';
import { makerOf } from './request-id.ts';

/**
 * Reads the key and the fingerprint of a call. Throws `validation_error` when the key is missing or malformed.
 * Bodies are compared as parsed JSON, whole, without regard to the order of members. Both families have keys of
 * their own.
 */
export function readIdempotency(
  { apiVersion }: CallContext,
  { name: operation, output }: NamedOperation,
  { name, key }: GivenKey,
  input: unknown,
): Idempotency {
  if (key === undefined)
    throw invalid({ path: name, message: 'is required', reason: 'idempotency_key_missing' });
  const read = IdempotencyKey.safeParse(key);
  if (!read.success) throw invalid({ path: name, message: read.error.issues[0]?.message ?? '' });
  return {
    operation: apiVersion === 'v1' && !operation.startsWith('v1.') ? `v1.${operation}` : operation,
    key: read.data,
    requestHash: createHash('sha256').update(canonicalJson(input)).digest(),
    textOf: (answer) => textOf(answer, output),
  };
}

/** The refusal of a key that came with another body. Specification: Errors, `conflict`. */
export const keyReused = () =>
  conflict('idempotency_key_reused', 'The Idempotency-Key was used before with a different body.');

/**
 * Looks for the key of the call. Answers what an earlier call with it answered, if there was one. Throws `conflict` when
 * that came with another body, or when its answer is given once.
 */
export async function findKey<Value>(
  on: Queryable,
  ctx: CallContext,
  idempotency: Idempotency,
): Promise<Answer<Value> | undefined> {
  const { statement, values } = claimOf(ctx, idempotency);
  return storedAnswer(ctx, idempotency, await on.run(statement, values));
}

/** Claims the key of the call for the transaction: who comes with it meanwhile waits for its end. Outside one it only looks. */
export function claimOf(ctx: CallContext, { operation, key, requestHash }: Idempotency): Call<KnownKey> {
  const { caller, app } = ctx;
  const ttl = app.policy.idempotencyTtlHours;
  const values = [caller.locationId, caller.apiKeyId, operation, key, requestHash, ttl, makerOf(ctx)];
  return ctx.lockWaitMs === undefined
    ? { statement: claim, values }
    : { statement: claimBounded, values: [...values, `${ctx.lockWaitMs}ms`] };
}

/** The answer of an earlier call, from the result of `claimOf`. Throws as `findKey` does. */
export function storedAnswer<Value>(
  ctx: CallContext,
  { operation, key }: Idempotency,
  [known]: readonly KnownKey[],
): Answer<Value> | undefined {
  if (known === undefined || known.outcome === null) return undefined;
  if (known.outcome === 'reused') throw keyReused();
  if (known.refusal !== null) throw conflict('shown_once', known.refusal);
  const { sealed, encryption_key_id: keyId } = known;
  if (sealed === null || keyId === null)
    return { text: known.response ?? '', replayed: true, isPruned: true };
  const text = ctx.app.secrets.open({ keyId, sealed }, answerOwner(ctx, operation, key));
  return { text, replayed: true, isPruned: true, isSecret: true };
}

/** Stores the answer with the key that the transaction has claimed; answers it as every repeat will be. */
export function storeAnswer<Value>(
  tx: Transaction,
  ctx: CallContext,
  { operation, key, requestHash, textOf }: Idempotency,
  answer: Answer<Value>,
): Answer<Value> {
  const { caller, app } = ctx;
  const text = textOf(answer);
  const { isSecret, onRepeat, etag } = answer;
  const isPlain = isSecret !== true && onRepeat === undefined;
  const stored = isSecret ? app.secrets.seal(text, answerOwner(ctx, operation, key)) : undefined;
  tx.send(store, [
    caller.locationId,
    caller.apiKeyId,
    operation,
    key,
    requestHash,
    isPlain ? text : null,
    stored?.sealed ?? null,
    stored?.keyId ?? null,
    onRepeat ?? null,
  ]);
  return { text, isPruned: true, ...(etag !== undefined && { etag }), ...(isSecret && { isSecret }) };
}

/** The context that a sealed answer is tied to. */
const answerOwner = ({ caller }: CallContext, operation: string, key: string) => ({
  locationId: caller.locationId,
  answerTo: `${caller.apiKeyId}/${operation}/${key}`,
});

/** JSON with members in order of their names, so that equal bodies have equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** The stored record of a key that was claimed before; undefined where the outcome is null. */
export interface KnownKey {
  outcome: 'replayed' | 'reused' | null;
  response: string | null;
  sealed: Uint8Array | null;
  encryption_key_id: string | null;
  refusal: string | null;
}

function claimFrom(before: string): string {
  return `select outcome, response, sealed, encryption_key_id, refusal
    from ${before} claim_key($1::uuid, $2::uuid, $3, $4, $5::bytea, $6::int, $7)`;
}

/** The claim and look-up key of `claimOf`. */
export const claim = statement<KnownKey>('claim_idempotency_key', claimFrom(''));

/** SQL that lets the statements of a transaction wait no longer for a lock, and those that bound their waits themselves (lock_wait). */
export const boundLocks = (wait: string): string =>
  `set_config('lock_timeout', ${wait}, true), set_config('comanda.lock_wait', ${wait}, true)`;

const claimBounded = statement<KnownKey>(
  'claim_idempotency_key_bounded',
  claimFrom(`(select ${boundLocks('$8')}) bounded,`),
);

const store = statement<never>(
  'store_idempotent_answer',
  `insert into internal.idempotency_keys
     (location_id, api_key_id, operation, key, request_hash, response, sealed, encryption_key_id, refusal)
   values ($1::uuid, $2::uuid, $3, $4, $5::bytea, $6, $7::bytea, $8, $9)`,
);
