import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyRouter } from '@trpc/server';
import type { App, RequestContext } from '../../call/context.ts';
import { requestIdOf } from '../../call/request-id.ts';
import { finishRequest } from '../../call/request-log.ts';
import { simulateOf } from '../../call/simulation.ts';
import { finishOpening, openStream, type Subscription, subscriptionsOf } from '../../call/subscription.ts';
import { refuseUnknown } from '../../call/unknown-fields.ts';
import { isFault, methodNotAllowed, toApiError } from '../../errors.ts';
import type { News } from '../../live/news.ts';
import { commonHeaders, errorJson, headerList, sendError } from './answer.ts';
import { coercions, parseQuery } from './query.ts';
import { taken } from './stream.ts';

/** Serves the subscriptions as server-sent events; undefined for what is none. */
export type StreamHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A client that loses its stream comes again after so long, by itself. */
const retryMs = 1_000;

/**
 * The subscriptions at their REST paths. The first lines say how soon to reconnect, and behind which event: a client
 * that loses the stream before its first event misses nothing. Each event is sent as the SSE standard has it: `id`,
 * `event` (its type) and `data`, the very text that endpoints of v2 receive. An error that ends a stream is its last
 * event, `error`, with the body that the refusal of a call has; a process that stops sends one, too. Returns whether
 * the path is that of a stream.
 */
export function streamHandler(app: App, router: AnyRouter): StreamHandler {
  const byPath = new Map(subscriptionsOf(router).map((each) => [each.meta.rest.slice('GET '.length), each]));
  return (request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s);
    const subscription = byPath.get(path);
    if (subscription === undefined) return false;
    void serve(app, subscription, query, request, response);
    return true;
  };
}

async function serve(
  app: App,
  subscription: Subscription,
  query: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const requestId = requestIdOf(request.headers['x-request-id']);
  const context: RequestContext = {
    app,
    requestId,
    startedAt: performance.now(),
    apiVersion: 'v2',
    authorization: request.headers.authorization,
    headers: {},
    cut: () => response.destroy(),
    clientAddress: app.clientAddress(request),
    simulate: simulateOf(request.headers),
  };
  const method = request.method ?? '';
  try {
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, 'GET, HEAD');
    const { stream, caller } = await openStream(context, subscription, () =>
      readStreamInput(subscription, query, request.headers),
    );
    const close = () => stream.close();
    // The client may have disconnected while the stream opened; `close` does not fire a second time.
    if (response.closed) close();
    response.once('close', close);
    try {
      response.writeHead(200, headerList({ ...commonHeaders, ...streamHeaders }, requestId, context.headers));
      finishOpening(context, caller, subscription.name, 'rest');
      if (method === 'HEAD') {
        response.end();
        return;
      }
      await taken(response, response, `retry: ${retryMs}\nid: ${stream.behind}\n\n`);
      for (let news = await stream.next(); news !== undefined; news = await stream.next())
        if (news.length === 0) await taken(response, response, ':\n\n');
        else for (const each of news) await taken(response, response, sse(each));
    } finally {
      close();
    }
    response.end();
  } catch (error) {
    const refusal = toApiError(error);
    if (response.headersSent) {
      if (isFault(refusal)) app.log.error({ err: error, requestId }, 'a stream failed');
      response.end(`event: error\ndata: ${errorJson(refusal, requestId)}\n\n`);
      return;
    }
    const { status, errorCode: code, reason } = refusal;
    const { clientAddress, headers } = context;
    const line = {
      simulated: headers['X-Comanda-Simulated'],
      requestId,
      clientAddress,
      entrance: 'rest' as const,
      method,
      operation: subscription.name,
    };
    sendError(request, response, refusal, requestId, headers);
    const fault = isFault(refusal) ? error : undefined;
    finishRequest(app, { ...line, status, code, reason }, performance.now() - context.startedAt, fault);
  }
}

// Proxies hand on what they get at once.
const streamHeaders = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };

const blocks = new WeakMap<object, Buffer>();

/** An event as its block. Made once for any number of readers: slow readers share one waiting text. */
export function sse(news: Pick<News, 'id' | 'type' | 'body'>): Buffer {
  const { id, type, body } = news;
  const known = blocks.get(news) ?? Buffer.from(`id: ${id}\nevent: ${type}\ndata: ${body}\n\n`);
  blocks.set(news, known);
  return known;
}

/** Reads the input of a subscription. Throws `validation_error` for parameters that it does not know. */
export function readStreamInput(
  { input }: Subscription,
  query: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): unknown {
  const known = coercions(input);
  // A header of its own in REST, as every client of such streams sends it.
  known.delete('lastEventId');
  const { values, unknown } = parseQuery(query, known);
  if (unknown.length > 0) refuseUnknown(unknown, [...known.keys()]);
  const last = headers['last-event-id'];
  return typeof last === 'string' && last !== '' ? { ...values, lastEventId: last } : values;
}
