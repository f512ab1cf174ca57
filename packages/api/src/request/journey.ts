import { setTimeout } from 'node:timers/promises';
import { isId } from '@comanda/db';
import type { Input } from '../bodies/input.ts';
import { inSlot, inSlotOrWaiting, type SlotRequest } from '../capacity/slots.ts';
import type { Caller } from '../credentials/credentials.ts';
import { ApiError, fromZod, locationRefused, toApiError } from '../errors.ts';
import { grants } from '../permissions.ts';
import type { Answer } from './answer.ts';
import { batchHeaders } from './batch.ts';
import { readAheadAsNow } from './clock.ts';
import type { CallContext, JoinedCall, RequestContext } from './context.ts';
import type { NamedOperation, Work } from './definition.ts';
import type { GivenKey } from './given.ts';
import { findKey, readIdempotency } from './idempotency.ts';
import { whileThere } from './left.ts';
import type { OperationMeta } from './meta.ts';
import { takesIfMatch } from './operations.ts';
import { refuseUnstorable } from './readable.ts';
import { explainReferenced, refuseUnfitReferences } from './referenced.ts';
import { type NamedTags, noTag, type Precondition, refuseChanged } from './tags.ts';
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
 * Performs an admitted call in a slot: what precedes the validation of its input, that, and the
 * operation's own work. Throws `validation_error` for an input that does not fit or is unknown where that is refused and
 * for a missing key, `conflict` for a key that came with another body, 503 when there is no slot.
 */
export async function perform(
  ctx: CallContext,
  operation: NamedOperation,
  input: Input,
  given: GivenKey,
): Promise<Answer<unknown>> {
  const { kind, meta } = operation;
  if (kind === 'mutation' && ctx.caller.location.status !== 'active')
    throw locationRefused(ctx.caller.location.status);
  const isKeyed = kind === 'mutation' && (meta.idempotent === true || given.key !== undefined);
  if (!isKeyed) refuseUnstorable(input);
  return performInSlot(ctx, operation, input, isKeyed ? given : undefined);
}

/** Does `work` for a call with the fault that is simulated around it: the answer comes later, or not at all. */
export async function simulating<Result>(ctx: CallContext, work: () => Promise<Result>): Promise<Result> {
  if (ctx.simulation?.fault === 'slow') await waitApart(ctx, ctx.simulation.seconds);
  const result = await work();
  if (ctx.simulation?.fault === 'timeout_after_write') ctx.cut();
  return result;
}

/** Lets a call wait, as one that is slow. It has no slot, so it keeps no other from one. Throws 503 where too many wait. */
export async function waitApart(
  { app, caller }: Pick<CallContext, 'app' | 'caller'>,
  seconds: number,
): Promise<void> {
  const leave = app.capacity.slowCalls.enter(caller.locationId);
  try {
    await setTimeout(seconds * 1_000);
  } finally {
    leave();
  }
}

async function performInSlot(
  ctx: CallContext,
  operation: NamedOperation,
  input: Input,
  given: GivenKey | undefined,
): Promise<Answer<unknown>> {
  const { name, kind } = operation;
  const { calls, slots, answers } = ctx.app.capacity;
  const { locationId } = ctx.caller;
  const slot = { locationId, resource: resourceOf(name), kind, left: ctx.left };
  const ask = () => answers.ask(locationId, ctx.reply);
  const inItsSlot: InSlot = (work) =>
    inSlot(
      slots,
      slot,
      kind === 'mutation'
        ? work
        : () => {
            // Callers that waited for their slot with this one may have it by now.
            ask();
            return work();
          },
    );
  const done = (work: Work<CallContext>, looking: InSlot) =>
    given === undefined
      ? work({ ctx, input: inputOf(ctx, operation, input) })
      : workOnce(ctx, operation, work, input, { given, looking });
  if (kind === 'query') ask();
  const leaveProcess = calls.enter(locationId);
  try {
    if ('joinedWork' in operation) {
      const { joinedWork } = operation;
      const work: Work<CallContext> = (call) =>
        joinedWork({ ctx: joinedCallOf(call.ctx, slot, inItsSlot), input: call.input });
      return counted(ctx, await done(requiring(ctx, operation, explained(operation, work)), inItsSlot));
    }
    const { work: own } = operation;
    const work: Work<CallContext> = ({ ctx, input }) =>
      own({ ctx: kind === 'query' || isDryRun(input) ? whileThere(ctx) : ctx, input });
    const explainedWork = requiring(ctx, operation, explained(operation, work));
    return counted(ctx, await inItsSlot(() => done(explainedWork, (look) => look())));
  } finally {
    leaveProcess();
  }
}

const isDryRun = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'dry_run' in input && input.dry_run === true;

/** A value takes as many times the bytes of its text, with what validation makes of it. */
const valueWeight = 8;

/** The answer, whose bytes count until it is sent. */
function counted(ctx: CallContext, answer: Answer<unknown>): Answer<unknown> {
  if ('text' in answer)
    ctx.app.capacity.answers.hold(
      ctx.caller.locationId,
      ctx.reply,
      answer.text,
      ctx.asText === true ? 1 : valueWeight,
    );
  return answer;
}

/** Does work that needs a slot in one. */
type InSlot = <Result>(work: () => Result | Promise<Result>) => Result | Promise<Result>;

function joinedCallOf(ctx: CallContext, slot: SlotRequest, inItsSlot: InSlot): JoinedCall {
  const { caller, clientAddress, ifNoneMatch, precondition, requestId, traceparent } = ctx;
  const { idempotency, simulation } = ctx;
  const { policy } = ctx.app;
  const { joinedReads, joinedWrites } = ctx.app.capacity;
  return {
    ...{ caller, clientAddress, ifNoneMatch, precondition, requestId, traceparent, idempotency, simulation },
    ...{
      policy,
      joinedReads,
      joinedWrites,
      inSlot: async (work) => inItsSlot(() => work(slot.kind === 'query' ? whileThere(ctx) : ctx)),
      writeInSlot: (work) =>
        inSlotOrWaiting(ctx.app.capacity.slots, slot, (lockWaitMs) => work({ ...ctx, lockWaitMs })),
    },
  };
}

/**
 * The work of an operation under the preconditions of its call. A write compares them itself, in its transaction.
 * Throws `changed_since`, and `no_tag` where the resource has no tag; v1, which never knew them, ignores them there and
 * says so.
 */
function requiring(
  asked: CallContext,
  operation: NamedOperation,
  work: Work<CallContext>,
): Work<CallContext> {
  const { kind, meta } = operation;
  const { ifMatch, ifUnmodifiedSince } = asked;
  const ifNoneMatch = kind === 'mutation' ? asked.ifNoneMatch : undefined;
  // Nothing has a moment that it could be compared with (RFC 9110, 13.1.4).
  if (ifUnmodifiedSince && kind === 'mutation') passOver(asked, 'If-Unmodified-Since');
  const { tag } = meta;
  const isCompared = tag !== undefined && takesIfMatch(operation);
  // v1 has always ignored the header, and its callers may rely on that.
  const comparesNone = isCompared && asked.apiVersion === 'v2';
  if (ifNoneMatch !== undefined && !comparesNone) passOver(asked, 'If-None-Match');
  const named = { ifMatch, ifNoneMatch: comparesNone ? ifNoneMatch : undefined };
  if (ifMatch === undefined && named.ifNoneMatch === undefined) return work;
  if (ifMatch !== undefined && kind === 'query' && (tag !== undefined || meta.conditional))
    return async (call) => {
      const answer = await work(call);
      try {
        if (answer.etag !== undefined) refuseChanged(ifMatch, answer.etag);
      } catch (error) {
        if ('stream' in answer) await answer.stream.close();
        throw error;
      }
      return answer;
    };
  if (!isCompared) {
    passOver(asked, 'If-Match');
    return work;
  }
  return ({ ctx, input }) => {
    const precondition = preconditionOf(tag, input, named);
    return work({ ctx: precondition === undefined ? ctx : { ...ctx, precondition }, input });
  };
}

/** Undefined where there is nothing to compare: `If-Match: *`, and an id without a row. */
function preconditionOf(
  table: Precondition['table'],
  input: unknown,
  { ifMatch: given, ifNoneMatch }: NamedTags,
): Precondition | undefined {
  const { id } = input as { id: string };
  const ifMatch = given?.trim() === '*' ? undefined : given;
  if (!isId(id) || (ifMatch === undefined && ifNoneMatch === undefined)) return undefined;
  return { table, id, ifMatch, ifNoneMatch };
}

/** Names in the answer a precondition that has no meaning there; throws `no_tag` where such an `If-Match` is refused. */
function passOver(ctx: CallContext, name: 'If-Match' | 'If-None-Match' | 'If-Unmodified-Since'): void {
  if (name === 'If-Match' && ctx.apiVersion === 'v2') throw noTag();
  tellIgnored(ctx, [name]);
}

/** The work of an operation, whose refusal by a foreign key names the field. */
const explained =
  ({ input: schema }: NamedOperation, work: Work<CallContext>): Work<CallContext> =>
  async (call) => {
    try {
      return await work(call);
    } catch (error) {
      throw await explainReferenced(call.ctx, schema, call.input, error);
    }
  };

function inputOf(ctx: CallContext, { input: schema, kind }: NamedOperation, { exact }: Input): unknown {
  const read = schema.safeParse(exact);
  if (!read.success) throw fromZod(read.error);
  const unknown = unknownFields(exact, read.data);
  if (unknown.length > 0) {
    if (ctx.refusesUnknown) refuseUnknown(unknown, Object.keys(schema.shape));
    tellIgnored(ctx, unknown);
  }
  // A filter that names nothing finds nothing.
  if (kind === 'mutation') refuseUnfitReferences(schema, read.data);
  return readAheadAsNow(ctx, schema, read.data);
}

// Where the operation writes, it finds a known key by itself. A repeat may be refused before it gets there (the first
// took the last of the stock): so the idempotency key is looked up before a refusal is reported.
async function workOnce(
  ctx: CallContext,
  operation: NamedOperation,
  work: Work<CallContext>,
  input: Input,
  { given, looking }: { given: GivenKey; looking: InSlot },
): Promise<Answer<unknown>> {
  const idempotency = readIdempotency(ctx, operation, given, input.value);
  try {
    refuseUnstorable(input);
    return await work({ ctx: { ...ctx, idempotency }, input: inputOf(ctx, operation, input) });
  } catch (error) {
    if (toApiError(error).status >= 500) throw error;
    const answer = await looking(() => findKey(ctx.app.database, ctx, idempotency));
    if (answer === undefined) throw error;
    return answer;
  }
}

/** `orders` of `orders.create` and of `v1.orders.create`. */
function resourceOf(path: string): string {
  const name = path.startsWith('v1.') ? path.slice(3) : path;
  return name.slice(0, name.indexOf('.'));
}
