import type { IncomingMessage, ServerResponse } from 'node:http';
import { beginSpan, type Traced, traceIdOf, traceparentOf } from '@comanda/db';
import type { AnyRouter } from '@trpc/server';
import { plainInput } from '../../bodies/input.ts';
import { isFault, toApiError } from '../../errors.ts';
import { textOf } from '../../request/answer.ts';
import { performBody } from '../../request/body-call.ts';
import { matchesEtag, tagOf, uncodedTags } from '../../request/conditional.ts';
import type { App, CallContext, RequestContext } from '../../request/context.ts';
import { deprecatedRoutes, deprecationHeaders } from '../../request/deprecation.ts';
import { receiveBody } from '../../request/incoming-body.ts';
import { admit, perform, simulating } from '../../request/journey.ts';
import { type NoteAnswer, observing } from '../../request/observation.ts';
import { operationsOf, type Route } from '../../request/operations.ts';
import { requestIdOf } from '../../request/request-id.ts';
import { finishRequest, type RequestLine } from '../../request/request-log.ts';
import { beginSimulation, simulateOf } from '../../request/simulation.ts';
import { prefersStrict, refuseUnknown, tellIgnored } from '../../request/unknown-fields.ts';
import { asksForGzip, isPacked, pack } from '../packing.ts';
import { ResponseCaller, replyOf } from '../reply.ts';
import { sendError, sendJson, sendNotModified } from './answer.ts';
import { incomingBody } from './body.ts';
import { nextLink } from './link.ts';
import { type Coercion, parseQuery } from './query.ts';
import { type Match, routeTable } from './routes.ts';
import { sendStream } from './stream.ts';

/**
 * The REST entrance: documented paths over the operations of the router. The order of checks is the contract's:
 * path and method, credential, request limit, permission, readable body, and then what the operation itself
 * checks. Express is not used here: it would cost more than everything else together.
 */
export function restHandler(
  app: App,
  router: AnyRouter,
): (request: IncomingMessage, response: ServerResponse) => void {
  const operations = operationsOf(router);
  const routes = routeTable(operations);
  const deprecated = deprecatedRoutes(operations, app.deprecations);
  return (request, response) => {
    void handle(request, response);
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const requestId = requestIdOf(request.headers['x-request-id']);
    const [path = '', query = ''] = splitOnce(request.url ?? '/', '?');
    const line: RequestLine = {
      requestId,
      entrance: 'rest',
      method: request.method ?? '',
      status: 500,
      operation: undefined,
      code: undefined,
      reason: undefined,
      apiKeyId: undefined,
      locationId: undefined,
      clientAddress: app.clientAddress(request),
      durationMs: 0,
    };
    const headers: Record<string, string> = {};
    let version: Route['version'] | undefined;
    let fault: unknown;
    let span: Traced | undefined;
    try {
      const match = routes.find(request.method ?? '', path);
      line.operation = match.route.operation.name;
      version = match.route.version;
      span = beginSpan(
        `${match.route.method} ${match.route.path}`,
        'server',
        traceparentOf(request.headers.traceparent),
        { 'http.request.method': match.route.method, 'http.route': match.route.path },
      );
      line.traceId = traceIdOf(span.traceparent);
      const ending = deprecated.get(`${match.route.method} ${match.route.path}`);
      if (ending !== undefined) Object.assign(headers, deprecationHeaders(ending));
      const context: RequestContext = {
        app,
        requestId,
        traceparent: span.traceparent,
        startedAt: started,
        apiVersion: match.route.version,
        authorization: request.headers.authorization,
        clientAddress: line.clientAddress,
        ifNoneMatch: uncodedTags(request.headers['if-none-match']),
        ifMatch: uncodedTags(request.headers['if-match']),
        ifUnmodifiedSince: request.headers['if-unmodified-since'] !== undefined,
        simulate: simulateOf(request.headers),
        asText: true,
        reply: replyOf(response),
        left: new ResponseCaller(response),
        cut: () => response.destroy(),
        headers,
      };
      line.status = await span.within(() => serve(request, response, match, query, context, line));
    } catch (error) {
      const refusal = toApiError(error);
      line.status = refusal.status;
      line.code = refusal.errorCode;
      line.reason = refusal.reason;
      if (isFault(refusal)) fault = error;
      const { other } = refusal;
      if (other !== undefined) headers.Location = `/${version}/${other.collection}/${other.id}`;
      sendError(request, response, refusal, requestId, headers);
    }
    span?.end({ 'http.response.status_code': line.status }, fault);
    line.simulated = headers['X-Comanda-Simulated'];
    finishRequest(app, line, performance.now() - started, fault);
  }

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    match: Match,
    query: string,
    context: RequestContext,
    line: RequestLine,
  ): Promise<number> {
    const { operation } = match.route;
    const caller = await admit(context, operation.meta);
    line.apiKeyId = caller.apiKeyId;
    line.locationId = caller.locationId;
    const announced = () => ({
      request: `${request.method} ${request.url}`,
      idempotencyKey: idempotencyKeyOf(request),
    });
    return observing(context, caller, operation, announced, async (fault, note) => {
      const simulation = beginSimulation(context, caller, operation, fault);
      const admitted = Object.assign(context, { caller, simulation });
      return serveAdmitted(request, response, match, query, admitted, note);
    });
  }

  async function serveAdmitted(
    request: IncomingMessage,
    response: ServerResponse,
    { route, parameters }: Match,
    query: string,
    context: RequestContext & Pick<CallContext, 'caller' | 'simulation'>,
    note?: NoteAnswer,
  ): Promise<number> {
    const { operation } = route;
    const { meta } = operation;
    const isStrict = prefersStrict(request);
    const refusesUnknown = isStrict || meta.strict === true;
    if (isStrict) context.headers['Preference-Applied'] = 'handling=strict';
    const known = route.method === 'GET' ? route.coercions : none;
    const { values, unknown } = parseQuery(query, known);
    const bytes =
      route.method === 'GET'
        ? undefined
        : await receiveBody(incomingBody(request, response), app, context.caller, meta);
    if (unknown.length > 0) {
      // Callers of v1 may have sent it for years.
      if (refusesUnknown || route.version !== 'v1') refuseUnknown(unknown, [...known.keys()]);
      tellIgnored(context, unknown);
    }
    const ctx = Object.assign(context, { refusesUnknown });
    const key = { name: 'Idempotency-Key', key: idempotencyKeyOf(request) } as const;
    const answer =
      bytes === undefined
        ? await simulating(ctx, () => perform(ctx, operation, plainInput({ ...values, ...parameters }), key))
        : await performBody(ctx, operation, { bytes, members: parameters, key, isStrict });
    if (operation.kind === 'mutation') app.wakeRelay();
    const { headers, requestId } = context;
    if (answer.next !== undefined) {
      const next = nextLink(route.path, query, route.coercions, answer.next);
      headers.Link = headers.Link === undefined ? next : `${headers.Link}, ${next}`;
    }
    if (answer.replayed) headers['Idempotency-Replayed'] = 'true';
    // A tag that covers less than the body is a name of a state for If-Match: no cache may keep the answer by it.
    if (answer.etag !== undefined && !meta.conditional) headers.ETag = answer.etag;
    if (answer.etag !== undefined && meta.conditional) {
      // The directive for caches: keep it for this key, and ask each time.
      Object.assign(headers, {
        ETag: tagOf(answer.etag, asksForGzip(request), request.headers['if-none-match']),
        'Cache-Control': 'private, no-cache',
        Vary: 'Authorization, Accept-Encoding',
      });
      if (matchesEtag(context.ifNoneMatch, answer.etag)) {
        sendNotModified(response, requestId, headers);
        return 304;
      }
    }
    const status = meta.status ?? 200;
    if ('stream' in answer) {
      const { stream } = answer;
      try {
        await sendStream(request, response, status, { stream, output: operation.output }, requestId, headers);
      } finally {
        await stream.close();
      }
      return status;
    }
    const json = textOf(answer, operation.output);
    note?.({ text: json });
    if (status === 201) headers.Location = `${route.path}/${idIn(json)}`;
    const text = operation.isList ? json : `{"data":${json}}`;
    const packed = isPacked(request, text.length) ? await pack(text) : undefined;
    if (packed !== undefined) headers['Content-Encoding'] = 'gzip';
    // A short answer goes out as it is, so under the tag of what it is.
    else if (answer.etag !== undefined && meta.conditional) headers.ETag = answer.etag;
    sendJson(request, response, status, packed ?? text, requestId, headers);
    return status;
  }
}

// Every resource begins with its id.
function idIn(json: string): string {
  const id = /^\{"id":"([^"]+)"/.exec(json)?.[1];
  return id ?? (JSON.parse(json) as { id: string }).id;
}

const none: ReadonlyMap<string, Coercion> = new Map();

// A repeated one is refused in http/heads.ts.
function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key'];
  return Array.isArray(key) ? key.join() : key;
}

function splitOnce(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}
