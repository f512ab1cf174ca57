import { setTimeout } from 'node:timers/promises';
import { isState } from '@comanda/db';
import type { Capacity } from '../capacity/capacity.ts';
import { inSlot, type Leave } from '../capacity/slots.ts';
import type { Caller } from '../credentials/credentials.ts';
import { ApiError, isFault, locationRefused, toApiError } from '../errors.ts';
import { grants } from '../permissions.ts';
import { type Answer, textOf, wholeText } from './answer.ts';
import { isApart, performApart } from './apart.ts';
import { comparedTags, preconditionOf, requireTagOfAnswer } from './compared-tags.ts';
import { matchesEtag } from './conditional.ts';
import type { CallContext, RequestContext } from './context.ts';
import type { NamedOperation } from './definition.ts';
import { findKey, readIdempotency } from './idempotency.ts';
import { type ReadGiven, readGiven, validate } from './input.ts';
import { whileThere } from './left.ts';
import type { OperationMeta } from './meta.ts';
import { beginObserving, type Observed } from './observation.ts';
import { explainReferenced } from './referenced.ts';
import type { CallRequest, Outcome } from './request.ts';
import { beginSimulation, type Simulation } from './simulation.ts';

// The way of every call, in its order: admit, read, take a slot, work, answer. Entrances only translate.

/** Answers a call. Never rejects: what is thrown on the way is the outcome's refusal. */
export const call = (request: CallRequest): Promise<Outcome> => request.span.within(() => answer(request));

async function answer(request: CallRequest): Promise<Outcome> {
  const { app, operation, headers } = request;
  let caller: Caller | undefined;
  let observed: Observed | undefined;
  let key: unknown;
  try {
    if (request.admitted === undefined) {
      caller = await admit(request, operation.meta);
      observed = await beginObserving(request, caller);
    } else {
      caller = request.admitted;
      requirePermission(caller, operation.meta);
    }
    const simulation = beginSimulation(request, caller, operation, observed?.fault);
    const given = await request.receive(caller);
    if (given.key !== 'in the input') key = given.key.key;
    const ctx = contextOf(request, caller, simulation);
    if (simulation?.fault === 'slow') await waitApart(app.capacity, caller.locationId, simulation.seconds);
    const { large } = app;
    let answered: Answer<unknown>;
    if (large !== undefined && isApart(operation, given, large))
      answered = await performApart(large, ctx, operation, given);
    else {
      const read = readGiven(given, operation, caller);
      key = read.key.key;
      answered = await perform(ctx, operation, read);
    }
    if (simulation?.fault === 'timeout_after_write') request.cut();
    // After the commit and from outside it: a NOTIFY inside the transaction serializes commits.
    if (operation.kind === 'mutation') app.wakeRelay();
    if (answered.replayed) headers['Idempotency-Replayed'] = 'true';
    const outcome = await outcomeOf(request, caller, answered);
    observed?.end(outcome, key);
    return outcome;
  } catch (error) {
    const refusal = toApiError(error);
    const outcome = { status: refusal.status, caller, refusal, fault: isFault(refusal) ? error : undefined };
    observed?.end(outcome, key);
    return outcome;
  }
}

/**
 * Admits a request: credential, then request limit, then permission, in this order. Sets the limit headers
 * on the answer. Throws `unauthorized`, `rate_limited` or `permission_denied`. A refused credential touches
 * nothing, an exhausted limit costs next to nothing.
 */
export async function admit(
  { app, authorization, headers }: RequestContext,
  { permission, batch }: Pick<OperationMeta, 'permission' | 'batch'>,
): Promise<Caller> {
  const known = app.credentials.authenticate(authorization);
  const caller = known instanceof Promise ? await known : known;
  const counted = app.limiter.admit(caller);
  Object.assign(headers, counted instanceof Promise ? await counted : counted);
  if (batch) Object.assign(headers, await app.limiter.batchHeaders(caller));
  requirePermission(caller, { permission });
  return caller;
}

function requirePermission({ granted }: Caller, { permission }: Pick<OperationMeta, 'permission'>): void {
  if (permission !== null && !grants(granted, permission))
    throw new ApiError('permission_missing', `The key lacks the permission ${permission}.`);
}

function contextOf(request: CallRequest, caller: Caller, simulation: Simulation | undefined): CallContext {
  const { app, requestId, traceparent, startedAt, apiVersion, clientAddress } = request;
  const { ifNoneMatch, ifMatch, ifUnmodifiedSince, refusesUnknown, reply, left, headers } = request;
  return {
    app,
    caller,
    slot: slotOf(request.operation, caller, left),
    simulation,
    requestId,
    traceparent,
    startedAt,
    apiVersion,
    clientAddress,
    ifNoneMatch,
    ifMatch,
    ifUnmodifiedSince,
    refusesUnknown,
    reply,
    left,
    headers,
  };
}

/** The slot of a call: by the resource, `orders` of `orders.create` and of `v1.orders.create`. */
export function slotOf(
  { name, kind }: Pick<NamedOperation, 'name' | 'kind'>,
  { locationId }: Pick<Caller, 'locationId'>,
  left: CallContext['left'],
): CallContext['slot'] {
  const path = name.startsWith('v1.') ? name.slice(3) : name;
  return { locationId, resource: path.slice(0, path.indexOf('.')), kind, left };
}

/** Lets a call wait, as one that is slow. It has no slot among those that work, so it keeps no other from one. Throws 503 where too many wait. */
export async function waitApart({ slowCalls }: Capacity, locationId: string, seconds: number): Promise<void> {
  const leave = slowCalls.enter(locationId);
  try {
    await setTimeout(seconds * 1_000);
  } finally {
    leave();
  }
}

/**
 * Performs an admitted call in its slot among the others, in whichever thread this is. Throws
 * `validation_error` for an input that does not fit or is unknown where that is refused and for a missing key,
 * `conflict` for a key that came with another body, 503 when there is no slot.
 */
export async function perform(
  asked: CallContext,
  operation: NamedOperation,
  { input: read, key, ifMatch = asked.ifMatch }: ReadGiven,
): Promise<Answer<unknown>> {
  const { kind, meta, joins } = operation;
  const { caller, slot } = asked;
  const { calls, slots, answers } = asked.app.capacity;
  if (kind === 'mutation' && caller.location.status !== 'active')
    throw locationRefused(caller.location.status);
  const tags = comparedTags(asked, operation, ifMatch);
  const isKeyed = kind === 'mutation' && (meta.idempotent === true || key.key !== undefined);
  const idempotency = isKeyed ? readIdempotency(asked, operation, key, read.value) : undefined;
  const { input, unfit } = validate(asked, operation, read);
  if (unfit !== undefined && idempotency === undefined) throw unfit;

  if (kind === 'query') answers.ask(caller.locationId, asked.reply);
  const leaveProcess = calls.enter(caller.locationId);
  let leaveSlot: Leave | undefined;
  let isHeldUp = false;
  try {
    if (!joins) {
      const entered = slots.enter(slot);
      if (entered instanceof Promise) {
        leaveSlot = await entered;
        // Callers that waited for their slot with this one may have it by now.
        if (kind === 'query') answers.ask(caller.locationId, asked.reply);
      } else leaveSlot = entered;
    }
    if (unfit !== undefined) throw unfit;
    const precondition = tags.ofRow && preconditionOf(meta.tag, input, tags.ofRow);
    const ctx: CallContext =
      idempotency === undefined && precondition === undefined && ifMatch === asked.ifMatch
        ? asked
        : { ...asked, ifMatch, idempotency, precondition };
    const readsOnly = !joins && (kind === 'query' || isDryRun(input));
    const answered = await operation.work({ ctx: readsOnly ? whileThere(ctx) : ctx, input });
    if (tags.ofAnswer !== undefined) await requireTagOfAnswer(tags.ofAnswer, answered);
    return answered;
  } catch (error) {
    // By the lock's time limit, or the statement's.
    isHeldUp = isState(error, 'lockTimeout', 'canceled');
    const refusal = await explainReferenced(asked, operation.input, input, error);
    if (idempotency === undefined || toApiError(refusal).status >= 500) throw refusal;
    // Work that writes finds a known key by itself. A repeat may be refused before it gets there, as the first took
    // the last of the stock.
    const find = () => findKey(asked.app.database, asked, idempotency);
    const known = joins ? await inSlot(slots, slot, find) : await find();
    if (known === undefined) throw refusal;
    return known;
  } finally {
    leaveSlot?.(isHeldUp);
    leaveProcess();
  }
}

const isDryRun = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'dry_run' in input && input.dry_run === true;

async function outcomeOf(
  { app, operation, entrance, ifNoneMatch, takesStreams, reply }: CallRequest,
  caller: Caller,
  answered: Answer<unknown>,
): Promise<Outcome> {
  const { meta, output } = operation;
  const { etag, next } = answered;
  const isHad = meta.conditional === true && etag !== undefined && matchesEtag(ifNoneMatch, etag);
  if ('unchanged' in answered || isHad) {
    if ('stream' in answered) await answered.stream.close();
    return { status: 304, caller, etag, next };
  }
  const status = entrance === 'rest' ? (meta.status ?? 200) : 200;
  if ('stream' in answered && takesStreams) return { status, caller, stream: answered.stream, etag, next };
  const text = 'stream' in answered ? await wholeText(answered.stream, output) : textOf(answered, output);
  // Its bytes count until they are sent.
  app.capacity.answers.hold(caller.locationId, reply, text, 1);
  return { status, caller, text, etag, next };
}
