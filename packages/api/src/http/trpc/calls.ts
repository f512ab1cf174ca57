import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnyRouter } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { Given, Input } from '../../bodies/input.ts';
import { readParameter } from '../../bodies/read.ts';
import { call } from '../../call/call.ts';
import type { RequestContext } from '../../call/context.ts';
import { errorData } from '../../call/error-data.ts';
import { refuseDeep } from '../../call/input.ts';
import { callKeyless, type Keyless, keylessOf } from '../../call/keyless.ts';
import { trpcCall } from '../../call/operation.ts';
import { inFamily, type Operation, operationsOf } from '../../call/operations.ts';
import type { Outcome } from '../../call/request.ts';
import { finishCall, finishRefused } from '../../call/request-log.ts';
import { subscriptionsOf } from '../../call/subscription.ts';
import type { Caller } from '../../credentials/credentials.ts';
import { ApiError, methodNotAllowed } from '../../errors.ts';
import { decode } from '../rest/decode.ts';

// Requests of tRPC as calls: what its protocol says, without a socket.

/** What can be called by a name of the router. */
export type Target = Operation | Keyless;

/** The operations of a router as the typed client has them, the calls without a key, and its subscriptions, by name. */
export const targetsOf = (router: AnyRouter): ReadonlyMap<string, Target | 'subscription'> =>
  new Map<string, Target | 'subscription'>([
    ...operationsOf(router).map((each) => [each.name, inFamily(each, 'v2')] as const),
    ...keylessOf(router).map((each) => [each.name, each] as const),
    ...subscriptionsOf(router).map(({ name }) => [name, 'subscription'] as const),
  ]);

/** How many calls one request may carry. */
export const largestBatch = 10;

/** The calls of a request. A name that is none has no target; a mutation by GET has its refusal. */
export interface Calls {
  isBatch: boolean;
  names: readonly string[];
  targets: readonly (Target | ApiError | undefined)[];
  /** The inputs in the URL. */
  inputText: string;
}

/**
 * Takes a request apart. Undefined for one that tRPC's own adapter answers: a subscription, and what it refuses as a
 * whole, as too many calls, or queries with mutations.
 */
export function callsOf(
  known: ReadonlyMap<string, Target | 'subscription'>,
  method: string | undefined,
  url: string,
): Calls | undefined {
  if ((method !== 'GET' && method !== 'POST') || !url.startsWith(prefix)) return undefined;
  const end = url.indexOf('?');
  const path = decoded(end < 0 ? url.slice(prefix.length) : url.slice(prefix.length, end));
  if (path === undefined) return undefined;
  const query = end < 0 ? undefined : new URLSearchParams(url.slice(end + 1));
  const isBatch = query?.get('batch') === '1';
  const names = isBatch ? path.split(',') : [path];
  if (names.length > largestBatch) return undefined;
  const targets: (Target | ApiError | undefined)[] = [];
  const kinds = new Set<string>();
  for (const name of names) {
    const target = known.get(name);
    if (target === 'subscription') return undefined;
    const kind = target && kindOf(target);
    if (kind !== undefined) kinds.add(kind);
    targets.push(method === 'GET' && kind === 'mutation' ? methodNotAllowed(method, 'POST') : target);
  }
  return kinds.size > 1 ? undefined : { isBatch, names, targets, inputText: query?.get('input') ?? '' };
}

const prefix = '/trpc/';

// What cannot be decoded is refused where every address is.
function decoded(path: string): string | undefined {
  try {
    return decode(path);
  } catch {
    return undefined;
  }
}

const kindOf = (target: Target) => ('kind' in target ? target.kind : 'mutation');

/** The answer to all calls of a request. */
export interface CallsAnswer {
  status: number;
  /** Its JSON text, in pieces. */
  pieces: string[];
  /** The headers of its refusals, which win over those of the request. */
  headers: Record<string, string>;
}

/**
 * Answers the calls of a request, one after the other, with a turn of the event loop between them: ten at once would take ten
 * slots of the database, and their answers would be made in one stop of the loop. `body` gives the input of the call of
 * that index, once it is admitted.
 */
export async function answerCalls(
  ctx: RequestContext,
  { isBatch, names, targets }: Calls,
  body: (index: number, target: Target, caller: Caller | undefined) => Promise<Given['body']>,
): Promise<CallsAnswer> {
  const answer: CallsAnswer = { status: 0, pieces: [], headers: {} };
  for (const [index, target] of targets.entries()) {
    if (index > 0) await nextTurn();
    const { status, text, refusal, etag } = await answerCall(ctx, names[index] ?? '', target, (caller) =>
      body(index, target as Target, caller),
    );
    if (refusal !== undefined) Object.assign(answer.headers, refusal.headers);
    const before = index === 0 ? '' : ',';
    if (text === undefined) answer.pieces.push(before + refusalText(refusal, ctx.requestId));
    else answer.pieces.push(`${before}{"result":{"data":`, text, '}}');
    if (etag !== undefined && refusal === undefined) tellTag(ctx, isBatch ? index : undefined, etag);
    answer.status = index === 0 || answer.status === status ? status : 207;
  }
  if (isBatch) answer.pieces = ['[', ...answer.pieces, ']'];
  return answer;
}

async function answerCall(
  ctx: RequestContext,
  name: string,
  target: Target | ApiError | undefined,
  read: (caller: Caller | undefined) => Promise<Given['body']>,
): Promise<Outcome> {
  if (target === undefined || target instanceof ApiError) {
    const refusal = target ?? new ApiError('unknown_path', `No procedure found on path "${name}"`);
    // A name that is none is the caller's text: it could be a key.
    finishRefused(ctx, 'unknown', target && name, refusal);
    return { status: refusal.status, refusal };
  }
  if (!('kind' in target)) return callKeyless(ctx, target, async () => asRead(await read(undefined)));
  const request = trpcCall(ctx, target, read);
  const outcome = await call(request);
  finishCall(request, outcome);
  return outcome;
}

function asRead(body: Given['body']): Input {
  if ('parts' in body) throw new Error('the input of a call without a key is read by its entrance');
  return body;
}

/** JSON text of a refusal, as tRPC writes it. */
export function refusalText(refusal: ApiError | undefined, requestId: string): string {
  if (refusal === undefined) throw new Error('an outcome has a text or a refusal');
  const code = TRPC_ERROR_CODES_BY_KEY[refusal.code];
  return JSON.stringify({ error: { message: refusal.message, code, data: errorData(refusal, requestId) } });
}

// Calls of one request share its headers: in a batch each tag is named with the index of its call.
function tellTag({ headers }: RequestContext, index: number | undefined, etag: string): void {
  if (index === undefined) {
    headers.ETag = etag;
    return;
  }
  const before = headers['X-Entity-Tags'];
  headers['X-Entity-Tags'] = `${before === undefined ? '' : `${before}, `}${index}=${etag}`;
}

/** The input of one call of those in a text or a body. Throws `validation_error` where it nests too deep. */
export function inputAt({ value, exact, mayBeUnstorable }: Input, index: number, isBatch: boolean): Input {
  const of = (inputs: unknown) => (isBatch ? (inputs as Record<number, unknown>)[index] : inputs);
  const input = of(value);
  refuseDeep(input);
  return { value: input, exact: of(exact), mayBeUnstorable };
}

/**
 * Reads the inputs in a URL. tRPC's own parser would round the numbers before they are judged. Throws what
 * `readParameter` throws, and 400 for inputs of a batch that are no object.
 */
export async function readInUrl(text: string, isBatch: boolean): Promise<Input> {
  const read = readParameter(text);
  if (isBatch && (typeof read.value !== 'object' || read.value === null || Array.isArray(read.value)))
    throw new ApiError('unreadable_request', 'The input of a batch must be an object.');
  return read;
}
