import type { Caller } from '../credentials/credentials.ts';
import { ApiError, toApiError } from '../errors.ts';
import { grants } from '../permissions.ts';
import { inPlace } from '../places/bulkhead.ts';
import type { CallKind } from '../places/places.ts';
import { batchHeaders } from './batch.ts';
import type { CallContext, Idempotency, RequestContext } from './context.ts';
import { findAnswer, readIdempotency } from './idempotency.ts';
import type { OperationMeta } from './meta.ts';
import { refuseUnreadable, refuseUnstorable } from './readable.ts';

/**
 * Admits a request: credential, then request limit, then permission, in this order. Sets the limit headers
 * on the reply. Throws `unauthorized`, `rate_limited` or `permission_denied`. A refused credential touches
 * nothing, an exhausted limit costs next to nothing.
 */
export async function admit(ctx: RequestContext, meta: OperationMeta): Promise<Caller> {
  const known = ctx.app.credentials.authenticate(ctx.authorization);
  const caller = known instanceof Promise ? await known : known;
  const counted = ctx.app.limiter.admit(caller);
  Object.assign(ctx.reply.headers, counted instanceof Promise ? await counted : counted);
  if (meta.batch) Object.assign(ctx.reply.headers, await batchHeaders(ctx.app, caller));
  if (meta.permission !== null && !grants(caller.granted, meta.permission)) {
    throw new ApiError('permission_denied', `The key lacks the permission ${meta.permission}.`);
  }
  return caller;
}

/** What a call does once it has its place. */
interface Course<Result> {
  /** The operation's own work; `idempotency` is what it stores its answer with. */
  work(idempotency: Idempotency | undefined): Result | Promise<Result>;
  /** Answers with the JSON text of an earlier call with the same key. */
  replay(json: string): Result | Promise<Result>;
}

/**
 * Runs an admitted call in its place among the others, after what precedes the validation of its input. Throws
 * `invalid_request` for one that nests too deep, `validation_error` for text that cannot be stored and for a missing
 * key, `conflict` for a key that came with another body, 503 when there is no place.
 */
export async function conduct<Result>(
  ctx: CallContext,
  { name, kind, meta }: { name: string; kind: CallKind; meta: OperationMeta },
  raw: unknown,
  { work, replay }: Course<Result>,
): Promise<Result> {
  refuseUnreadable(raw);
  if (!meta.idempotent) refuseUnstorable(raw);
  const { inFlight, bulkhead } = ctx.app;
  const { locationId } = ctx.caller;
  const leaveProcess = inFlight.enter(locationId);
  try {
    if (meta.joined) return await work(undefined);
    return await inPlace(bulkhead, { locationId, resource: resourceOf(name), kind }, () =>
      meta.idempotent
        ? workOnce(ctx, readIdempotency(ctx, name, raw), raw, { work, replay })
        : work(undefined),
    );
  } finally {
    leaveProcess();
  }
}

// Where the operation writes, it finds a known key by itself. A repeat may be refused before it comes there (the first
// took the last of the stock): so no refusal is told before the key was looked for.
async function workOnce<Result>(
  ctx: CallContext,
  idempotency: Idempotency,
  raw: unknown,
  { work, replay }: Course<Result>,
): Promise<Result> {
  try {
    refuseUnstorable(raw);
    return await work(idempotency);
  } catch (error) {
    if (toApiError(error).status >= 500) throw error;
    const answer = await findAnswer(ctx.app.database, ctx, idempotency);
    if (answer === undefined) throw error;
    return replay(answer);
  }
}

/** `orders` of `orders.create` and of `v1.orders.create`. */
function resourceOf(path: string): string {
  const name = path.startsWith('v1.') ? path.slice(3) : path;
  return name.slice(0, name.indexOf('.'));
}
