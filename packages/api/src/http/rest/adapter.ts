import type { IncomingMessage, ServerResponse } from 'node:http';
import { beginSpan, traceparentOf } from '@comanda/db';
import type { AnyRouter } from '@trpc/server';
import type { Given } from '../../bodies/input.ts';
import { plainInput } from '../../bodies/input.ts';
import { call } from '../../call/call.ts';
import { tagOf, uncodedTags } from '../../call/conditional.ts';
import type { App } from '../../call/context.ts';
import { deprecatedRoutes, deprecationHeaders } from '../../call/deprecation.ts';
import { operationsOf } from '../../call/operations.ts';
import type { CallRequest, Outcome } from '../../call/request.ts';
import { requestIdOf } from '../../call/request-id.ts';
import { finishCall, finishRequest } from '../../call/request-log.ts';
import { simulateOf } from '../../call/simulation.ts';
import { prefersStrict, refuseUnknown, tellIgnored } from '../../call/unknown-fields.ts';
import type { Caller } from '../../credentials/credentials.ts';
import { isFault, toApiError } from '../../errors.ts';
import { asksForGzip, isPacked, pack } from '../packing.ts';
import { ResponseCaller, replyOf } from '../reply.ts';
import { sendError, sendJson, sendNotModified } from './answer.ts';
import { receiveCallBody } from './body.ts';
import { nextLink } from './link.ts';
import { type Coercion, parseQuery } from './query.ts';
import { type Match, routeTable, type ServedRoute } from './routes.ts';
import { sendStream } from './stream.ts';

/**
 * The REST entrance: documented paths over the operations of the router. It finds the operation, names the input's parts, and
 * writes the outcome; the rest is `call`. Express is not used here: it would cost more than everything else together.
 */
export function restHandler(
  app: App,
  router: AnyRouter,
): (request: IncomingMessage, response: ServerResponse) => void {
  const operations = operationsOf(router);
  const routes = routeTable(operations);
  const deprecated = deprecatedRoutes(operations, app.deprecations);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const requestId = requestIdOf(request.headers['x-request-id']);
    const [path = '', query = ''] = splitOnce(request.url ?? '/', '?');
    let match: Match;
    try {
      match = routes.find(request.method ?? '', path);
    } catch (error) {
      const refusal = toApiError(error);
      sendError(request, response, refusal, requestId);
      const { status, errorCode: code, reason } = refusal;
      const clientAddress = app.clientAddress(request);
      const line = {
        requestId,
        entrance: 'rest',
        method: request.method ?? '',
        status,
        code,
        reason,
      } as const;
      finishRequest(app, { ...line, clientAddress }, performance.now() - startedAt);
      return;
    }
    const { route } = match;
    const headers: Record<string, string> = {};
    const ending = deprecated.get(route.name);
    if (ending !== undefined) Object.assign(headers, deprecationHeaders(ending));
    const asked = callOf(app, request, response, match, query, { startedAt, requestId, headers });
    const outcome = await call(asked);
    finishCall(asked, await write(request, response, route, query, asked, outcome));
  }

  return (request, response) => void handle(request, response);
}

/** The call that a request is. */
function callOf(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  { route, parameters }: Match,
  query: string,
  begun: Pick<CallRequest, 'startedAt' | 'requestId' | 'headers'>,
): CallRequest {
  const { headers } = request;
  const { operation } = route;
  const span = beginSpan(route.name, 'server', traceparentOf(headers.traceparent), {
    'http.request.method': route.method,
    'http.route': route.path,
  });
  const isStrict = prefersStrict(request);
  const refusesUnknown = isStrict || operation.meta.strict === true;
  return {
    app,
    operation,
    entrance: 'rest',
    method: request.method ?? '',
    shown: `${request.method} ${request.url}`,
    span,
    takesStreams: true,
    ...begun,
    traceparent: span.traceparent,
    apiVersion: route.version,
    authorization: headers.authorization,
    clientAddress: app.clientAddress(request),
    ifNoneMatch: uncodedTags(headers['if-none-match']),
    ifMatch: uncodedTags(headers['if-match']),
    ifUnmodifiedSince: headers['if-unmodified-since'] !== undefined,
    simulate: simulateOf(headers),
    refusesUnknown,
    reply: replyOf(response),
    left: new ResponseCaller(response),
    cut: () => response.destroy(),
    async receive(caller: Caller): Promise<Given> {
      if (isStrict) begun.headers['Preference-Applied'] = 'handling=strict';
      const isRead = route.method === 'GET';
      const known = isRead ? route.coercions : none;
      const { values, unknown } = parseQuery(query, known);
      const body = isRead
        ? plainInput({ ...values, ...parameters })
        : await receiveCallBody(request, response, app.capacity, caller, operation.meta);
      if (unknown.length > 0) {
        // Callers of v1 may have sent it for years.
        if (refusesUnknown || route.version !== 'v1') refuseUnknown(unknown, [...known.keys()]);
        tellIgnored(begun, unknown);
      }
      const key = { name: 'Idempotency-Key', key: idempotencyKeyOf(request) } as const;
      return { body, members: isRead ? {} : parameters, key, isStrict };
    },
  };
}

/** Writes the outcome of a call. Returns what it became: a stream may fail while it is sent. */
async function write(
  request: IncomingMessage,
  response: ServerResponse,
  route: ServedRoute,
  query: string,
  { requestId, headers, operation }: CallRequest,
  outcome: Outcome,
): Promise<Outcome> {
  const { status, text, stream, refusal, etag, next } = outcome;
  if (refusal !== undefined) {
    const { other } = refusal;
    if (other?.collection !== undefined)
      headers.Location = `/${route.version}/${other.collection}/${other.id}`;
    sendError(request, response, refusal, requestId, headers);
    return outcome;
  }
  if (next !== undefined) {
    const link = nextLink(route.path, query, route.coercions, next);
    headers.Link = headers.Link === undefined ? link : `${headers.Link}, ${link}`;
  }
  const { conditional } = operation.meta;
  // A tag that covers less than the body is a name of a state for If-Match: no cache may keep the answer by it.
  if (etag !== undefined && !conditional) headers.ETag = etag;
  if (etag !== undefined && conditional) {
    headers.ETag = tagOf(etag, asksForGzip(request), request.headers['if-none-match']);
    // The directive for caches: keep it for this key, and ask each time.
    headers['Cache-Control'] = 'private, no-cache';
    headers.Vary = 'Authorization, Accept-Encoding';
  }
  if (status === 304) {
    sendNotModified(response, requestId, headers);
    return outcome;
  }
  if (stream !== undefined) {
    try {
      await sendStream(request, response, status, { stream, output: operation.output }, requestId, headers);
      return outcome;
    } catch (error) {
      const failed = toApiError(error);
      sendError(request, response, failed, requestId, headers);
      return {
        ...outcome,
        status: failed.status,
        refusal: failed,
        fault: isFault(failed) ? error : undefined,
      };
    } finally {
      await stream.close();
    }
  }
  const json = text ?? '';
  // What is made below another resource is read by its own path: /v2/payments of /v2/orders/{id}/payments.
  if (status === 201) headers.Location = `${route.path.replace(/(\/v\d)\/.*\}/, '$1')}/${idIn(json)}`;
  const body = route.operation.isList ? json : `{"data":${json}}`;
  const packed = isPacked(request, body.length) ? await pack(body) : undefined;
  if (packed !== undefined) headers['Content-Encoding'] = 'gzip';
  // A short answer goes out as it is, so under the tag of what it is.
  else if (etag !== undefined && conditional) headers.ETag = etag;
  sendJson(request, response, status, packed ?? body, requestId, headers);
  return outcome;
}

// Every resource begins with its id.
function idIn(json: string): string {
  const id = /^\{"id":"([^"]+)"/.exec(json)?.[1];
  return id ?? (JSON.parse(json) as { id: string }).id;
}

const none: ReadonlyMap<string, Coercion> = new Map();

// A repeated one is refused in http/server.ts.
function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key'];
  return Array.isArray(key) ? key.join() : key;
}

function splitOnce(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}
