import { largeFrom } from '../bodies/bounds.ts';
import { type Input, plainInput, ReadInput, withMembers } from '../bodies/input.ts';
import { joined, noPieces, type Pieces } from '../bodies/pieces.ts';
import { readJson } from '../bodies/read.ts';
import type { Caller } from '../credentials/credentials.ts';
import { invalid } from '../errors.ts';
import type { Answer } from './answer.ts';
import { uncodedTags } from './conditional.ts';
import type { App, CallContext, RequestContext } from './context.ts';
import type { NamedOperation } from './definition.ts';
import type { BodyCall, GivenKey } from './given.ts';
import { IncomingBody, receiveBody } from './incoming-body.ts';
import { perform, simulating } from './journey.ts';
import type { LargeBodies, LargeCall, ReadGiven } from './large.ts';
import { refuseDeep } from './readable.ts';

/**
 * Reads the body of an admitted call, and performs it; a large one, or one for a large work, in the thread for large bodies. Throws what `readJson`
 * and `perform` throw.
 */
export function performBody(
  ctx: CallContext,
  operation: NamedOperation,
  call: BodyCall,
): Promise<Answer<unknown>> {
  const { bytes, ...body } = call;
  const large = apartIn(ctx.app, operation, bytes);
  return simulating(ctx, () =>
    large === undefined
      ? performRead(ctx, operation, call)
      : performApart(large, ctx, operation, { body }, bytes),
  );
}

/** Where a call is performed that goes to the thread; undefined for one that is performed here. */
const apartIn = ({ large }: App, { meta }: NamedOperation, bytes: Pieces): LargeBodies | undefined =>
  meta.apart === true || bytes.length > largeFrom ? large : undefined;

/** The same in whichever thread this is, without what is simulated around it. */
export async function performRead(
  ctx: CallContext,
  operation: NamedOperation,
  call: BodyCall,
): Promise<Answer<unknown>> {
  const { input, key, expected } = readBody(call, operation, ctx.caller);
  return perform(expecting(ctx, expected), operation, input, key);
}

async function performApart(
  large: LargeBodies,
  ctx: CallContext,
  { name }: NamedOperation,
  given: LargeCall['given'],
  bytes: Pieces,
): Promise<Answer<unknown>> {
  const { caller, requestId, traceparent, apiVersion, simulation, left } = ctx;
  const { refusesUnknown = false, ifMatch, ifNoneMatch, ifUnmodifiedSince = false } = ctx;
  const done = await large.perform(
    {
      ...{ operation: name, caller, requestId, traceparent, apiVersion, simulation, given },
      ...{ refusesUnknown, ifMatch, ifNoneMatch, ifUnmodifiedSince },
    },
    bytes,
    left,
  );
  Object.assign(ctx.headers, done.headers);
  if ('refusal' in done) throw done.refusal;
  return done.answer;
}

/** The input of a call of tRPC: read, with its idempotency key, or a large body that is not read here. */
export type Given =
  | (ReadGiven & { body?: undefined })
  | { body: BodyCall; key?: undefined; expected?: undefined };

/** Reads the input of an admitted call of tRPC, except for a large body. Throws what `receive` and `readJson` throw. */
export async function readGiven(
  raw: unknown,
  operation: NamedOperation,
  { app, refusesUnknown: isStrict = false }: RequestContext,
  caller: Caller,
): Promise<Given> {
  if (raw instanceof IncomingBody) {
    const bytes = await receiveBody(raw, app, caller, operation.meta);
    const body = { bytes, members: {}, key: 'in the body', isStrict } as const;
    if (apartIn(app, operation, bytes) !== undefined) return { body };
    const { input, key, expected } = readBody(body, operation, caller);
    return { input, key: key.key, expected };
  }
  if (raw instanceof ReadInput) return withoutOwn(raw, operation);
  refuseDeep(raw);
  return withoutOwn(plainInput(raw), operation);
}

/** Performs a call of tRPC. Throws what `perform` throws. */
export function performGiven(
  ctx: CallContext,
  operation: NamedOperation,
  given: Given,
): Promise<Answer<unknown>> {
  if (given.body !== undefined) return performBody(ctx, operation, given.body);
  const large = apartIn(ctx.app, operation, noPieces);
  return simulating(ctx, () =>
    large === undefined
      ? performReadInput(ctx, operation, given)
      : performApart(large, ctx, operation, given, noPieces),
  );
}

/** The same in whichever thread this is, for an input that was read. */
export async function performReadInput(
  ctx: CallContext,
  operation: NamedOperation,
  { input, key, expected }: ReadGiven,
): Promise<Answer<unknown>> {
  return perform(expecting(ctx, expected), operation, input, bodyKey(operation, key));
}

function readBody(
  { bytes, members, key: carried, isStrict }: BodyCall,
  operation: NamedOperation,
  { limits }: Caller,
): { input: Input; key: GivenKey; expected?: unknown } {
  const { batch } = operation.meta;
  const read = readJson(joined(bytes), {
    kind: batch ? 'batch' : 'ordinary',
    mostItems: batch ? limits.maxItemsPerBatch : undefined,
    isStrict,
  });
  if (carried !== 'in the body') return { input: withMembers(read, members), key: carried };
  const { input, key, expected } = withoutOwn(read, operation);
  return { input, key: bodyKey(operation, key), expected };
}

const bodyKey = ({ kind }: NamedOperation, key: unknown): GivenKey => ({
  name: 'idempotencyKey',
  key: kind === 'mutation' ? key : undefined,
});

/** The call with the tag that its input expects. Throws `validation_error` for what is no text. */
function expecting(ctx: CallContext, expected: unknown): CallContext {
  if (expected === undefined) return ctx;
  if (typeof expected !== 'string')
    throw invalid({ path: 'expected', message: 'must be text: an entity tag' });
  return { ...ctx, ifMatch: uncodedTags(expected) };
}

/** The input of a call of tRPC without what REST has in headers: the key, and the tag that a change of a resource expects. */
function withoutOwn(
  { value, exact, mayBeUnstorable }: Input,
  { kind, meta }: NamedOperation,
): { input: Input; key: unknown; expected: unknown } {
  if (!hasMembers(value) || !hasMembers(exact)) {
    const input = { value: value ?? {}, exact: exact ?? {}, mayBeUnstorable };
    return { input, key: undefined, expected: undefined };
  }
  const takesTag = kind === 'mutation' && meta.tag !== undefined;
  const { key, expected, rest } = taken(value, takesTag);
  const input = { value: rest, exact: exact === value ? rest : taken(exact, takesTag).rest, mayBeUnstorable };
  return { input, key, expected };
}

function taken({ idempotencyKey: key, ...rest }: Record<string, unknown>, takesTag: boolean) {
  if (!takesTag) return { key, expected: undefined, rest };
  const { expected, ...others } = rest;
  return { key, expected, rest: others };
}

const hasMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
