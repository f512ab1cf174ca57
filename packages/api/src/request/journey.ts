import { setTimeout } from 'node:timers/promises';
import type { Caller } from '../credentials/credentials.ts';
import { ApiError, fromZod, locationRefused, toApiError } from '../errors.ts';
import { grants } from '../permissions.ts';
import { inPlace } from '../places/bulkhead.ts';
import type { Answer } from './answer.ts';
import { batchHeaders } from './batch.ts';
import type { CallContext, Idempotency, JoinedCall, RequestContext } from './context.ts';
import type { NamedOperation, Work } from './definition.ts';
import { findKey, type GivenKey, readIdempotency } from './idempotency.ts';
import type { OperationMeta } from './meta.ts';
import { refuseUnreadable, refuseUnstorable } from './readable.ts';
import { refuseUnknown, tellIgnored, unknownFields } from './unknown-fields.ts';

/**
 * Admits a request: credential, then request limit, then permission, in this order. Sets the limit headers
 * on the answer. Throws `unauthorized`, `rate_limited` or `permission_denied`. A refused credential touches
 * nothing, an exhausted limit costs next to nothing.
 */
export async function admit(
  ctx: RequestContext,
  meta: Pick<OperationMeta, 'permission' | 'batch'>,
): Promise<Caller> {
  const known = ctx.app.credentials.authenticate(ctx.authorization);
  const caller = known instanceof Promise ? await known : known;
  const counted = ctx.app.limiter.admit(caller);
  Object.assign(ctx.headers, counted instanceof Promise ? await counted : counted);
  if (meta.batch) Object.assign(ctx.headers, await batchHeaders(ctx.app, caller));
  if (meta.permission !== null && !grants(caller.granted, meta.permission)) {
    throw new ApiError('permission_missing', `The key lacks the permission ${meta.permission}.`);
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
  const { kind, meta } = operation;
  if (kind === 'mutation' && ctx.caller.location.status !== 'active')
    throw locationRefused(ctx.caller.location.status);
  refuseUnreadable(raw);
  const isKeyed = kind === 'mutation' && (meta.idempotent === true || given.key !== undefined);
  if (!isKeyed) refuseUnstorable(raw);
  if (ctx.simulation?.fault === 'slow') await waitApart(ctx, ctx.simulation.seconds);
  const answer = await performInPlace(ctx, operation, raw, isKeyed ? given : undefined);
  if (ctx.simulation?.fault === 'timeout_after_write') ctx.cut();
  return answer;
}

/** Lets a call wait, as one that is slow. It has no place among those that work, so it keeps no other from one. Throws 503 where too many wait. */
export async function waitApart(
  { app, caller }: Pick<CallContext, 'app' | 'caller'>,
  seconds: number,
): Promise<void> {
  const leave = app.places.slow.enter(caller.locationId);
  try {
    await setTimeout(seconds * 1_000);
  } finally {
    leave();
  }
}

async function performInPlace(
  ctx: CallContext,
  operation: NamedOperation,
  raw: unknown,
  given: GivenKey | undefined,
): Promise<Answer<unknown>> {
  const { name, kind } = operation;
  const { inFlight, bulkhead, joined } = ctx.app.places;
  const { caller, ifNoneMatch } = ctx;
  const { locationId } = caller;
  const placed = <Result>(work: () => Result | Promise<Result>) =>
    inPlace(bulkhead, { locationId, resource: resourceOf(name), kind }, work);
  const leaveProcess = inFlight.enter(locationId);
  try {
    if ('joinedWork' in operation) {
      const call: JoinedCall = { caller, ifNoneMatch, joined, inPlace: (work) => placed(() => work(ctx)) };
      return await operation.joinedWork({ ctx: call, input: inputOf(ctx, operation, raw) });
    }
    const { work } = operation;
    return await placed(() =>
      given === undefined
        ? work({ ctx, input: inputOf(ctx, operation, raw) })
        : workOnce(ctx, operation, work, raw, readIdempotency(ctx, operation, given, raw)),
    );
  } finally {
    leaveProcess();
  }
}

function inputOf(ctx: CallContext, { input }: NamedOperation, raw: unknown): unknown {
  const read = input.safeParse(raw);
  if (!read.success) throw fromZod(read.error);
  const unknown = unknownFields(raw, read.data);
  if (unknown.length > 0) {
    if (ctx.refusesUnknown) refuseUnknown(unknown, Object.keys(input.shape));
    tellIgnored(ctx, unknown);
  }
  return read.data;
}

// Where the operation writes, it finds a known key by itself. A repeat may be refused before it comes there (the first
// took the last of the stock): so no refusal is told before the key was looked for.
async function workOnce(
  ctx: CallContext,
  operation: NamedOperation,
  work: Work<CallContext>,
  raw: unknown,
  idempotency: Idempotency,
): Promise<Answer<unknown>> {
  try {
    refuseUnstorable(raw);
    return await work({ ctx: { ...ctx, idempotency }, input: inputOf(ctx, operation, raw) });
  } catch (error) {
    if (toApiError(error).status >= 500) throw error;
    const answer = await findKey(ctx.app.database, ctx, idempotency);
    if (answer === undefined) throw error;
    return answer;
  }
}

/** `orders` of `orders.create` and of `v1.orders.create`. */
function resourceOf(path: string): string {
  const name = path.startsWith('v1.') ? path.slice(3) : path;
  return name.slice(0, name.indexOf('.'));
}
