import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AnyRouter, callTRPCProcedure, type TRPCProcedureType } from '@trpc/server';
import { createExpressMiddleware } from '@trpc/server/adapters/express';
import type express from 'express';
import { ApiError, methodNotAllowed, toApiError } from '../errors.ts';
import { JsonText } from '../request/answer.ts';
import type { App, RequestContext } from '../request/context.ts';
import { operationsOf } from '../request/operations.ts';
import { requestIdOf, requestIds } from '../request/request-id.ts';
import type { AppRouter } from '../router.ts';
import { sendJson } from './rest/answer.ts';
import { incomingBody, isJson, typeRefusal } from './rest/body.ts';
import { inputsOf, readInUrl } from './trpc-inputs.ts';
import {
  asksForLines,
  batchOf,
  contextOf,
  finishRefused,
  largestBatch,
  readPosted,
  refuse,
} from './trpc-requests.ts';

/**
 * Responds to a request that is one call with its input as JSON in the body: every mutation of the typed client.
 * Returns `false` for any other request, and leaves it: tRPC's adapter takes all of them, but makes a Request, a
 * Response and their streams for each, which costs more Node than a mutation itself.
 */
export function singleCalls(
  app: App,
  router: AppRouter,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const kinds = new Map(operationsOf(router).map(({ name, kind }) => [`/trpc/${name}`, kind]));

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    type: TRPCProcedureType,
  ): Promise<void> {
    const requestContext = contextOf(app, request, response, requestIdOf(request.headers['x-request-id']));
    const ctx: RequestContext = { ...requestContext, asText: true };
    const { requestId, headers } = ctx;
    try {
      const getRawInput = async () => incomingBody(request, response);
      const call = { router, path, getRawInput, ctx, type, signal: undefined, batchIndex: 0 };
      const data: unknown = await callTRPCProcedure(call);
      const text = data instanceof JsonText ? data.text : JSON.stringify(data);
      sendJson(request, response, 200, `{"result":{"data":${text}}}`, requestId, headers);
    } catch (error) {
      finishRefused(app, ctx, type, path, error);
      refuse(request, response, ctx, error);
    }
  }

  return (request, response) => {
    const { method, url = '', headers } = request;
    const kind = method === 'POST' ? kinds.get(url) : undefined;
    if (kind === undefined || !isJson(headers['content-type']) || asksForLines(request)) return false;
    void answer(request, response, url.slice('/trpc/'.length), kind);
    return true;
  };
}

/** The methods of a procedure: tRPC takes a long query as a body, too. */
const methodsOf: Readonly<Record<TRPCProcedureType, string>> = {
  query: 'GET, POST',
  mutation: 'POST',
  subscription: 'GET',
};

/** Everything else that is tRPC's: queries in the URL, batches, and what it refuses. */
export function trpcMiddleware(app: App, router: AppRouter): express.Handler {
  const adapter = createAdapter(app, router);
  const { procedures } = (router as AnyRouter)._def;
  const kinds = procedures as Readonly<Record<string, { _def: { type: TRPCProcedureType } } | undefined>>;
  return (request, response, next) => {
    const { method, path } = request;
    const name = path.slice(1);
    const known = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    const error = refusalOf(request, known?._def.type);
    if (error === undefined) {
      // The adapter finds no body: each call reads its input by `inputOf`.
      if (method === 'POST') request.body = '';
      return adapter(request, response, next);
    }
    const ctx = contextOf(app, request, response, requestIds.getStore() ?? requestIdOf(undefined));
    finishRefused(app, ctx, method, known && name, error);
    refuse(request, response, ctx, error);
  };
}

// tRPC also takes bytes and forms. No procedure reads these, so a call would run without its input.
function refusalOf(request: IncomingMessage, type: TRPCProcedureType = 'query'): ApiError | undefined {
  const { method, headers } = request;
  if (asksForLines(request))
    return new ApiError('lines_not_available', 'Answers in lines are not available; use httpBatchLink.');
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (method === 'POST') return typeRefusal(headers['content-type']);
  return methodNotAllowed(method ?? '', methodsOf[type]);
}

function turnsUntilClosed(app: App, response: ServerResponse, calls: number): object {
  const { turns, end } = batchOf(app, calls);
  response.once('close', end);
  return turns;
}

function createAdapter(app: App, router: AppRouter): express.Handler {
  return createExpressMiddleware({
    router,
    // So that a long query may come as a body.
    allowMethodOverride: true,
    maxBatchSize: largestBatch,
    createContext: ({ req, res, info }): RequestContext => ({
      ...(info.isBatchCall && turnsUntilClosed(app, res, info.calls.length)),
      ...contextOf(app, req, res, requestIds.getStore() ?? requestIdOf(req.headers['x-request-id'])),
      inputOf: inputsOf(
        () => (req.method === 'POST' ? readPosted(req, res) : readInUrl(info.url, info.isBatchCall)),
        info.isBatchCall,
      ),
    }),
    responseMeta: ({ ctx, errors }) => ({
      headers: new Headers(
        Object.assign({}, ctx?.headers, ...errors.map((error) => toApiError(error).headers)),
      ),
    }),
    onError: ({ error, path, type, ctx }) => {
      // A path that is none of our operations is the caller's text: it could be a key.
      const known = path !== undefined && Object.hasOwn(router._def.procedures, path);
      finishRefused(app, ctx, type, known ? path : undefined, error);
    },
  });
}
