import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { type Input, ReadInput } from '../bodies/input.ts';
import { readJson } from '../bodies/read.ts';
import { defaultLimits } from '../credentials/default-limits.ts';
import { toApiError } from '../errors.ts';
import { errorJson, reasonHeaders } from '../http/rest/answer.ts';
import { readStreamInput, sse } from '../http/rest/event-stream.ts';
import { inputsOf, readInUrl } from '../http/trpc-inputs.ts';
import type { App, RequestContext } from '../request/context.ts';
import { type Operation, operationsOf } from '../request/operations.ts';
import { openStream, type Subscription, subscriptionsOf } from '../request/subscription.ts';
import type { EventWatch } from '../resources/events/schema.ts';
import { appRouter } from '../router.ts';
import type { StubOptions, StubRequest } from './answers.ts';
import { createStubApp, stubCaller, workWithoutDatabase } from './app.ts';
import { stubStream } from './feed.ts';
import { createStubKeys } from './keys.ts';
import { Unanswered } from './outcomes.ts';
import { answering, stubRouter } from './router.ts';

/**
 * The service without a database, for one caller: it reads, checks and refuses calls of the typed client as always,
 * and returns the answers of `options` in the place of its work. Its `fetch` rejects with what an answer failed with.
 */
export function createStub(options: StubOptions): { fetch(request: StubRequest): Promise<Response> } {
  const keys = createStubKeys();
  const app = createStubApp(stubCaller(options.permissions), keys.known);
  return {
    fetch: (request) => {
      const url = new URL(request.url);
      const isStream = watch !== undefined && `GET ${url.pathname}` === watch.meta.rest;
      if (isStream) return serveStream(app, watch, options, request, url);
      return answering.run({ options, keys }, () => serveCalls(app, request, url));
    },
  };
}

const router = stubRouter(appRouter);
const operations = new Map(operationsOf(appRouter).map((each) => [each.name, each]));
const [watch] = subscriptionsOf(appRouter);

async function serveCalls(app: App, { method, headers, body }: StubRequest, url: URL): Promise<Response> {
  let failure: Unanswered | undefined;
  const isPost = method === 'POST';
  const answer = await fetchRequestHandler({
    ...{ router, endpoint: '/trpc', allowMethodOverride: true },
    req: new Request(url, { method, headers, ...(isPost && { body: '{}' }) }),
    createContext: ({ info }): RequestContext => {
      const operation = operations.get(info.calls[0]?.path ?? '');
      const read = async () => (isPost ? readPosted(body, operation) : readInUrl(url, info.isBatchCall));
      return {
        ...contextOf(app),
        inputOf: inputsOf(read, info.isBatchCall),
        ...(info.isBatchCall && { inTurn: (call) => call() }),
      };
    },
    responseMeta: ({ ctx, errors }) => {
      const context = ctx as RequestContext | undefined;
      const refused = errors.map((error) => toApiError(error).headers);
      return { headers: new Headers(Object.assign({}, context?.headers, ...refused)) };
    },
    onError: ({ error }) => {
      if (error.cause instanceof Unanswered) failure ??= error.cause;
    },
  });
  if (failure !== undefined) throw failure.with;
  return answer;
}

/** Reads a body. A key that is missing counts as made: the typed client makes one, unless it is to repeat nothing. */
function readPosted(body: string, operation: Operation | undefined): Input {
  const isBatch = operation?.meta.batch === true;
  const read = readJson(Buffer.from(body), {
    kind: isBatch ? 'batch' : 'ordinary',
    mostItems: isBatch ? defaultLimits.maxItemsPerBatch : undefined,
    isStrict: false,
  });
  const { idempotencyKey } = read.value as { idempotencyKey?: unknown };
  if (idempotencyKey !== undefined || operation?.meta.idempotent !== true) return read;
  const key = { idempotencyKey: crypto.randomUUID() };
  const withKey = (value: unknown) => ({ ...(value as object), ...key });
  return new ReadInput(withKey(read.value), withKey(read.exact), read.mayBeUnstorable);
}

async function serveStream(
  app: App,
  watch: Subscription,
  { events }: StubOptions,
  { signal }: StubRequest,
  url: URL,
): Promise<Response> {
  const context = contextOf(app);
  const open: Subscription['open'] = async (call) => {
    await workWithoutDatabase(() => watch.open(call));
    return stubStream(events, call.input as EventWatch);
  };
  try {
    const asked = () => readStreamInput(watch, url.search.slice(1), {});
    const { stream } = await openStream(context, { ...watch, open }, asked);
    signal.addEventListener('abort', () => stream.close());
    const begin = `retry: ${retryMs}\nid: ${stream.behind}\n\n`;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(Buffer.from(begin));
        signal.addEventListener('abort', () => controller.error(signal.reason));
      },
      async pull(controller) {
        const news = await stream.next();
        if (signal.aborted) return;
        if (news === undefined) controller.close();
        else if (news.length === 0) controller.enqueue(Buffer.from(':\n\n'));
        else for (const each of news) controller.enqueue(sse(each));
      },
      cancel: () => stream.close(),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
  } catch (error) {
    const refusal = toApiError(error);
    const headers = { ...context.headers, ...refusal.headers, ...reasonHeaders(refusal) };
    return new Response(errorJson(refusal, context.requestId), {
      status: refusal.status,
      headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    });
  }
}

/** A test need not wait a second for its stream to come again. */
const retryMs = 10;

const contextOf = (app: App): RequestContext => ({
  ...{ app, requestId: 'fake', startedAt: performance.now(), apiVersion: 'v2', authorization: undefined },
  ...{ cut: () => {}, headers: {} },
});
