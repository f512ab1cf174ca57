import type { Caller } from '../credentials/credentials.ts';
import { ApiError, fromZod, toApiError } from '../errors.ts';
import { grants } from '../permissions.ts';
import { inPlace } from '../places/bulkhead.ts';
import type { Answer } from './answer.ts';
import { batchHeaders } from './batch.ts';
import type { CallContext, Idempotency, RequestContext } from './context.ts';
import type { NamedOperation } from './definition.ts';
import { claimKey, type GivenKey, readIdempotency } from './idempotency.ts';
import type { OperationMeta } from './meta.ts';
import { refuseUnreadable, refuseUnstorable } from './readable.ts';
import { refuseUnknown, tellIgnored, unknownFields } from './unknown-fields.ts';

/**
 * Admits a request: credential, then request limit, then permission, in this order. Sets the limit headers
 * on the answer. Throws `unauthorized`, `rate_limited` or `permission_denied`. A refused credential touches
 * nothing, an exhausted limit costs next to nothing.
 */
export async function admit(ctx: RequestContext, meta: OperationMeta): Promise<Caller> {
  const known = ctx.app.credentials.authenticate(ctx.authorization);
  const caller = known instanceof Promise ? await known : known;
  const counted = ctx.app.limiter.admit(caller);
  Object.assign(ctx.headers, counted instanceof Promise ? await counted : counted);
  if (meta.batch) Object.assign(ctx.headers, await batchHeaders(ctx.app, caller));
  if (meta.permission !== null && !grants(caller.granted, meta.permission)) {
    throw new ApiError('permission_denied', `The key lacks the permission ${meta.permission}.`);
  }
  return caller;
}

/**
 * Performs an admitted call in its place among the others: what precedes the validation of its input, that, and the
 * operation's own work. Throws `invalid_request` for an input that nests too deep, `validation_error` for one that does
 * not fit or is unknown where that is refused and for a missing key, `conflict` for a key that came with another body, 503 when there is no place.
 */
export async function perform(
  ctx: CallContext,
  operation: NamedOperation,
  raw: unknown,
  given: GivenKey,
): Promise<Answer<unknown>> {
  const { name, kind, meta } = operation;
  refuseUnreadable(raw);
  const isKeyed = kind === 'mutation' && (meta.idempotent === true || given.key !== undefined);
  if (!isKeyed) refuseUnstorable(raw);
  const { inFlight, bulkhead } = ctx.app;
  const { locationId } = ctx.caller;
  const leaveProcess = inFlight.enter(locationId);
  try {
    if (meta.joined) return await work(ctx, operation, raw);
    return await inPlace(bulkhead, { locationId, resource: resourceOf(name), kind }, () =>
      isKeyed
        ? workOnce(ctx, operation, raw, readIdempotency(ctx, operation, given, raw))
        : work(ctx, operation, raw),
    );
  } finally {
    leaveProcess();
  }
}

function work(
  ctx: CallContext,
  { input, work }: NamedOperation,
  raw: unknown,
): Answer<unknown> | Promise<Answer<unknown>> {
  const read = input.safeParse(raw);
  if (!read.success) throw fromZod(read.error);
  const unknown = unknownFields(raw, read.data);
  if (unknown.length > 0) {
    if (ctx.refusesUnknown) refuseUnknown(unknown, Object.keys(input.shape));
    tellIgnored(ctx, unknown);
  }
  return work({ ctx, input: read.data });
}

// Where the operation writes, it finds a known key by itself. A repeat may be refused before it comes there (the first
// took the last of the stock): so no refusal is told before the key was looked for.
async function workOnce(
  ctx: CallContext,
  operation: NamedOperation,
  raw: unknown,
  idempotency: Idempotency,
): Promise<Answer<unknown>> {
  try {
    refuseUnstorable(raw);
    return await work({ ...ctx, idempotency }, operation, raw);
  } catch (error) {
    if (toApiError(error).status >= 500) throw error;
    const answer = await claimKey(ctx.app.database, ctx, idempotency);
    if (answer === undefined) throw error;
    return answer;
  }
}

/** `orders` of `orders.create` and of `v1.orders.create`. */
function resourceOf(path: string): string {
  const name = path.startsWith('v1.') ? path.slice(3) : path;
  return name.slice(0, name.indexOf('.'));
}
