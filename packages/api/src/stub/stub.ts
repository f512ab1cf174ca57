import type { Input } from '../bodies/input.ts';
import { readJson } from '../bodies/read.ts';
import type { App, RequestContext } from '../call/context.ts';
import { openStream, type Subscription, subscriptionsOf } from '../call/subscription.ts';
import { defaultLimits } from '../credentials/default-limits.ts';
import { ApiError, toApiError } from '../errors.ts';
import { errorJson, reasonHeaders } from '../http/rest/answer.ts';
import { readStreamInput, sse } from '../http/rest/event-stream.ts';
import { answerCalls, callsOf, inputAt, readInUrl, type Target, targetsOf } from '../http/trpc/calls.ts';
import type { EventWatch } from '../resources/events/schema.ts';
import { appRouter } from '../router.ts';
import type { StubOptions, StubRequest } from './answers.ts';
import { createStubApp, stubCaller, workWithoutDatabase } from './app.ts';
import { stubStream } from './feed.ts';
import { createStubKeys } from './keys.ts';
import { type Session, stubbed } from './operations.ts';

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
      return serveCalls(app, { options, keys }, request, url);
    },
  };
}

const targets = targetsOf(appRouter);
const [watch] = subscriptionsOf(appRouter);

async function serveCalls(
  app: App,
  session: Session,
  { method, body }: StubRequest,
  { pathname, search }: URL,
): Promise<Response> {
  const calls = callsOf(targets, method, pathname + search);
  if (calls === undefined) throw new Error(`${method} ${pathname}: a stub has no such call`);
  const stubs = calls.targets.map((target) =>
    target === undefined || target instanceof ApiError ? target : stubbed(target, session),
  );
  const ctx = contextOf(app);
  const { status, pieces, headers } = await answerCalls(
    ctx,
    { ...calls, targets: stubs },
    async (index, target) => {
      const read =
        method === 'POST' ? readPosted(body, target) : await readInUrl(calls.inputText, calls.isBatch);
      return inputAt(read, index, calls.isBatch);
    },
  );
  if (session.failure !== undefined) throw session.failure.with;
  const all = { ...ctx.headers, ...headers, 'content-type': 'application/json' };
  return new Response(pieces.join(''), { status, headers: all });
}

/** Reads a body. A key that is missing counts as made: the typed client makes one, unless it is to repeat nothing. */
function readPosted(body: string, { meta }: Target): Input {
  const isBatch = 'batch' in meta && meta.batch === true;
  const read = readJson(Buffer.from(body), {
    kind: isBatch ? 'batch' : 'ordinary',
    mostItems: isBatch ? defaultLimits.maxItemsPerBatch : undefined,
    isStrict: false,
  });
  const { idempotencyKey } = read.value as { idempotencyKey?: unknown };
  const needsKey = 'idempotent' in meta && meta.idempotent === true;
  if (idempotencyKey !== undefined || !needsKey) return read;
  const key = { idempotencyKey: crypto.randomUUID() };
  const withKey = (value: unknown) => ({ ...(value as object), ...key });
  return { ...read, value: withKey(read.value), exact: withKey(read.exact) };
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
  app,
  requestId: 'fake',
  startedAt: performance.now(),
  apiVersion: 'v2',
  authorization: undefined,
  cut: () => {},
  headers: {},
});
