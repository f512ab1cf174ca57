import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { traceIdOf, traceparentOf } from '@comanda/db';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import { largeFrom } from '../bodies/bounds.ts';
import type { Input } from '../bodies/input.ts';
import { joined } from '../bodies/pieces.ts';
import { readJson } from '../bodies/read.ts';
import { type ApiError, isFault, toApiError } from '../errors.ts';
import { uncodedTags } from '../request/conditional.ts';
import type { App, RequestContext } from '../request/context.ts';
import { errorData } from '../request/error-data.ts';
import { requestIds } from '../request/request-id.ts';
import { finishRequest } from '../request/request-log.ts';
import { simulateOf } from '../request/simulation.ts';
import { prefersStrict } from '../request/unknown-fields.ts';
import { ResponseCaller, replyOf } from './reply.ts';
import { sendRefusal } from './rest/answer.ts';
import { incomingBody } from './rest/body.ts';

/** Whether a request asks tRPC for an answer in lines. Those are refused: their values wait until the last is there (0117). */
export const asksForLines = ({ headers }: IncomingMessage): boolean =>
  [headers['trpc-accept'], headers.accept].some((accept) => accept?.includes('application/jsonl'));

/** How many calls one tRPC request may carry. */
export const largestBatch = 10;

/** Reads a body with inputs. It may not be a large one: tRPC answers all of its calls with one text. */
export const readPosted = async (request: IncomingMessage, response: ServerResponse): Promise<Input> =>
  readJson(joined(await incomingBody(request, response).receive(largeFrom)), {
    kind: 'ordinary',
    isStrict: false,
  });

/**
 * Performs calls one after the other, with a turn of the event loop between them: ten at once would take ten slots of the
 * database, and their answers would be validated in one stop of the loop.
 */
function inTurns(): NonNullable<RequestContext['inTurn']> {
  let last: Promise<unknown> = Promise.resolve();
  return (call) => {
    const done = last.then(nextTurn).then(call);
    last = done.catch(() => {});
    return done;
  };
}

/** The turns of the calls of one batch. Each holds its answer until the last is there, so a location has few batches under way. */
export function batchOf(
  { capacity }: App,
  calls: number,
): { turns: Pick<RequestContext, 'inTurn' | 'startBatch'>; end(): void } {
  let entered: Promise<() => void> | undefined;
  const startBatch = async (locationId: string) => {
    entered ??= capacity.callBatches.wait(locationId);
    await entered;
  };
  return {
    turns: { inTurn: inTurns(), ...(calls > 1 && { startBatch }) },
    end: () =>
      void entered?.then(
        (leave) => leave(),
        () => {},
      ),
  };
}

/** JSON text of a refusal, as tRPC writes it. */
export function refusalText(refusal: ApiError, requestId: string): string {
  const code = TRPC_ERROR_CODES_BY_KEY[refusal.code];
  return JSON.stringify({ error: { message: refusal.message, code, data: errorData(refusal, requestId) } });
}

/** Responds to a request with its refusal, as tRPC writes it. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { requestId, headers }: RequestContext,
  error: unknown,
): void {
  const refusal = toApiError(error);
  const all = { ...headers, ...refusal.headers };
  sendRefusal(request, response, refusal.status, refusalText(refusal, requestId), requestId, all);
}

/** The context of a request of tRPC. */
export const contextOf = (
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): RequestContext => ({
  app,
  requestId,
  traceparent: traceparentOf(request.headers.traceparent),
  startedAt: performance.now(),
  apiVersion: 'v2',
  authorization: request.headers.authorization,
  clientAddress: app.clientAddress(request),
  ifMatch: uncodedTags(request.headers['if-match']),
  simulate: simulateOf(request.headers),
  reply: replyOf(response),
  left: new ResponseCaller(response),
  cut: () => response.destroy(),
  ...(prefersStrict(request)
    ? { refusesUnknown: true, headers: { 'Preference-Applied': 'handling=strict' } }
    : { headers: {} }),
});

/** Logs and counts a refused call. */
export function finishRefused(
  app: App,
  ctx: RequestContext | undefined,
  method: string,
  operation: string | undefined,
  error: unknown,
): void {
  const refusal = toApiError(error);
  const { status, errorCode: code, reason } = refusal;
  const requestId = ctx?.requestId ?? requestIds.getStore() ?? '';
  finishRequest(
    app,
    {
      ...{ requestId, entrance: 'trpc', method, status, code, reason },
      clientAddress: ctx?.clientAddress,
      traceId: traceIdOf(ctx?.traceparent),
      ...{ simulated: ctx?.headers['X-Comanda-Simulated'], ...(operation && { operation }) },
    },
    ctx === undefined ? 0 : performance.now() - ctx.startedAt,
    isFault(refusal) ? error : undefined,
  );
}
