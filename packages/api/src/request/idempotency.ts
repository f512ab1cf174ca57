import { createHash } from 'node:crypto';
import { type Queryable, statement, type Transaction } from '@comanda/db';
import { conflict, fromZod, invalid } from '../errors.ts';
import { IdempotencyKey } from '../wire.ts';
import type { CallContext, Idempotency, RequestContext } from './context.ts';

/** What a known key answers: the JSON text of the original's `data`. */
export type StoredAnswer = string;

/**
 * Reads the key and the fingerprint of a call. Throws `validation_error` when the key is missing or malformed.
 * Bodies are compared as parsed JSON, whole, without regard to the order of members.
 */
export function readIdempotency(ctx: CallContext, operation: string, input: unknown): Idempotency {
  const { idempotencyKey, ...body } =
    typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  const name = ctx.entrance === 'rest' ? 'Idempotency-Key' : 'idempotencyKey';
  if (idempotencyKey === undefined) throw invalid({ path: name, message: 'is required' });
  const key = IdempotencyKey.safeParse(idempotencyKey);
  if (!key.success) throw invalid({ path: name, message: fromZod(key.error).message });
  return { operation, key: key.data, requestHash: createHash('sha256').update(canonicalJson(body)).digest() };
}

/** The key of a call of an idempotent operation, which `operation()` has read. */
export function idempotencyOf({ idempotency }: CallContext): Idempotency {
  if (idempotency === undefined) throw new Error('the operation is not declared idempotent');
  return idempotency;
}

/** The answer stored for the key, if any. Throws `conflict` when the key came with another body. */
export async function findAnswer(
  queryable: Queryable,
  ctx: CallContext,
  { operation, key, requestHash }: Idempotency,
): Promise<StoredAnswer | undefined> {
  const { caller, app } = ctx;
  const [found] = await queryable.run(findKey, [
    caller.locationId,
    caller.apiKeyId,
    operation,
    key,
    app.policy.idempotencyTtlHours,
  ]);
  if (found === undefined) return undefined;
  if (!requestHash.equals(found.request_hash)) throw keyReused();
  return found.response;
}

/** The refusal of a key that came with another body. Specification: Errors, `conflict`. */
export const keyReused = () => conflict('The Idempotency-Key was used before with a different body.');

/**
 * Runs `work` once per key, inside the transaction that also stores its answer: two calls at once wait for one
 * another, then the second replays. Returns the answer's JSON text and whether it is a replay. A refusal thrown
 * by `work` leaves the key unused.
 */
export async function once(
  tx: Transaction,
  ctx: CallContext,
  idempotency: Idempotency,
  status: number,
  work: () => Promise<unknown>,
): Promise<{ json: string; replayed: boolean }> {
  const { caller } = ctx;
  const { operation, key, requestHash } = idempotency;
  await tx.run(lockKey, [caller.apiKeyId + operation + key]);
  const known = await findAnswer(tx, ctx, idempotency);
  if (known !== undefined) return { json: known, replayed: true };
  const json = JSON.stringify(await work());
  await tx.run(storeKey, [caller.locationId, caller.apiKeyId, operation, key, requestHash, status, json]);
  return { json, replayed: false };
}

/**
 * Answers with JSON text. REST sends it as it is, and nobody parses it: the value is then undefined, so that this
 * stands at the end of a service only. `replayed` says that it is the answer of an earlier request with the same key.
 */
export function answerText<Value>(ctx: RequestContext, json: string, replayed = false): Value {
  ctx.reply.json = json;
  if (replayed) ctx.reply.headers['Idempotency-Replayed'] = 'true';
  return (ctx.entrance === 'rest' ? undefined : JSON.parse(json)) as Value;
}

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

const findKey = statement<{ request_hash: Buffer; response: string }>(
  'find_idempotency_key',
  `select request_hash, response from internal.idempotency_keys
   where location_id = $1 and api_key_id = $2 and operation = $3 and key = $4
     and created_at > now() - make_interval(hours => $5::int)`,
);

// The same lock that place_order takes.
const lockKey = statement('lock_idempotency_key', 'select pg_advisory_xact_lock(hashtextextended($1, 0))');

const storeKey = statement(
  'store_idempotency_key',
  `insert into internal.idempotency_keys (location_id, api_key_id, operation, key, request_hash, status, response)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (location_id, api_key_id, operation, key) do update
   set request_hash = excluded.request_hash, status = excluded.status, response = excluded.response, created_at = now()`,
);
