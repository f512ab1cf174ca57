import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyRouter } from '@trpc/server';
import { ApiError, fromZod, isFault, toApiError } from '../../errors.ts';
import { type Operation, operationsOf } from '../../operations.ts';
import { matchesEtag } from '../../request/conditional.ts';
import type { App, CallContext, Reply, RequestContext } from '../../request/context.ts';
import { answerText } from '../../request/idempotency.ts';
import { admit, conduct } from '../../request/journey.ts';
import { requestIdOf } from '../../request/request-id.ts';
import { finishRequest, type RequestLine } from '../../request/request-log.ts';
import { sendError, sendJson, sendNotModified } from './answer.ts';
import { bodyLimits, readBody } from './body.ts';
import { nextLink } from './link.ts';
import { parseQuery } from './query.ts';
import { type Match, routeTable } from './routes.ts';
import { sendStream } from './stream.ts';

/**
 * The REST entrance: documented paths over the operations of the router. The order of checks is the contract's:
 * path and method, credential, request limit, permission, readable body, and then what the operation itself
 * checks. Express stands aside here: it would cost more than everything else together.
 */
export function restHandler(
  app: App,
  router: AnyRouter,
): (request: IncomingMessage, response: ServerResponse) => void {
  const routes = routeTable(operationsOf(router));
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
      limit: undefined,
      apiKeyId: undefined,
      locationId: undefined,
      durationMs: 0,
    };
    const reply: Reply = { headers: {} };
    let fault: unknown;
    try {
      const match = routes.find(request.method ?? '', path);
      line.operation = match.route.operation.name;
      const context: RequestContext = {
        app,
        requestId,
        entrance: 'rest',
        startedAt: started,
        apiVersion: match.route.version,
        authorization: request.headers.authorization,
        ifNoneMatch: request.headers['if-none-match'],
        reply,
      };
      line.status = await serve(request, response, match, query, context, line);
    } catch (error) {
      const refusal = toApiError(error);
      line.status = refusal.status;
      line.code = refusal.reason;
      line.limit = refusal.limit;
      if (isFault(refusal)) fault = error;
      sendError(request, response, refusal, requestId, reply.headers);
    } finally {
      if (reply.stream !== undefined) await reply.stream.close();
    }
    finishRequest(app, line, performance.now() - started, fault);
  }

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    { route, parameters }: Match,
    query: string,
    context: RequestContext,
    line: RequestLine,
  ): Promise<number> {
    const { operation } = route;
    const { meta } = operation;
    const caller = await admit(context, meta);
    line.apiKeyId = caller.apiKeyId;
    line.locationId = caller.locationId;
    const body =
      route.method === 'GET'
        ? parseQuery(query, route.coercions)
        : await readBody(request, meta.batch ? bodyLimits.batch : bodyLimits.ordinary);
    const input: Record<string, unknown> = { ...body, ...parameters };
    if (meta.idempotent) input.idempotencyKey = headerOnce(request, 'idempotency-key');
    const value = await call(operation, Object.assign(context, { caller, reads: app.reads }), input);
    if (operation.kind === 'mutation') app.wakeRelay();
    const status = meta.status ?? 200;
    const { headers, etag, stream, next } = context.reply;
    if (next !== undefined) headers.Link = nextLink(route.path, query, route.coercions, next);
    if (etag !== undefined) {
      headers.ETag = etag;
      if (matchesEtag(context.ifNoneMatch, etag)) {
        sendNotModified(response, context.requestId, headers);
        return 304;
      }
    }
    if (stream !== undefined) {
      await sendStream(request, response, status, stream, context.requestId, headers);
      return status;
    }
    // Text of Postgres goes out unread; tests/support/documented.ts holds it against the schema.
    const json = context.reply.json ?? JSON.stringify(operation.output.parse(value));
    if (status === 201) headers.Location = `${route.path}/${idIn(json)}`;
    sendJson(request, response, status, meta.list ? json : `{"data":${json}}`, context.requestId, headers);
    return status;
  }
}

/** The steps of `operation()`, without what tRPC puts between them. */
function call(operation: Operation, ctx: CallContext, raw: unknown): Promise<unknown> {
  return conduct<unknown>(ctx, operation, raw, {
    work(idempotency) {
      const input = operation.input.safeParse(raw);
      if (!input.success) throw fromZod(input.error);
      const own = idempotency === undefined ? ctx : { ...ctx, idempotency };
      return operation.resolve({ ctx: own, input: input.data });
    },
    replay: (json) => answerText<unknown>(ctx, json, true),
  });
}

// Every resource of ours begins with its id.
function idIn(json: string): string {
  const id = /^\{"id":"([^"]+)"/.exec(json)?.[1];
  return id ?? (JSON.parse(json) as { id: string }).id;
}

function headerOnce(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  if (Array.isArray(value)) throw new ApiError('invalid_request', `The header ${name} must be given once.`);
  return value;
}

function splitOnce(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}
