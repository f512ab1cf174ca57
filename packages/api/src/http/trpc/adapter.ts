import type { IncomingMessage } from 'node:http';
import type { AnyRouter, TRPCProcedureType } from '@trpc/server';
import { createExpressMiddleware } from '@trpc/server/adapters/express';
import type express from 'express';
import type { App, RequestContext } from '../../call/context.ts';
import { requestIdOf, requestIds } from '../../call/request-id.ts';
import { finishRefused } from '../../call/request-log.ts';
import { ApiError, methodNotAllowed, toApiError } from '../../errors.ts';
import { sendRefusal } from '../rest/answer.ts';
import { typeRefusal } from '../rest/body.ts';
import { largestBatch, refusalText } from './calls.ts';
import { asksForLines, contextOf } from './requests.ts';

/** The methods of a procedure: tRPC takes a long query as a body, too. */
const methodsOf: Readonly<Record<TRPCProcedureType, string>> = {
  query: 'GET, POST',
  mutation: 'POST',
  subscription: 'GET',
};

/** tRPC's own adapter, for what `trpcHandler` leaves: subscriptions, and what tRPC refuses. */
export function trpcMiddleware(app: App, router: AnyRouter): express.Handler {
  const adapter = trpcAdapter(app, router);
  const { procedures } = router._def;
  const kinds = procedures as Readonly<Record<string, { _def: { type: TRPCProcedureType } } | undefined>>;
  return (request, response, next) => {
    const { method, path } = request;
    const name = path.slice(1);
    const known = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    const error = refusalOf(request, known?._def.type);
    if (error === undefined) {
      // What is left of these is refused by its address: the adapter, which has no bounds, reads no body.
      if (method === 'POST') request.body = '';
      return adapter(request, response, next);
    }
    const ctx = contextOf(app, request, response, requestIds.getStore() ?? requestIdOf(undefined));
    finishRefused(ctx, method, known && name, error);
    const text = refusalText(error, ctx.requestId);
    sendRefusal(request, response, error.status, text, ctx.requestId, { ...ctx.headers, ...error.headers });
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

/** tRPC's Express adapter over the router: it serves every procedure. */
export function trpcAdapter(app: App, router: AnyRouter): express.Handler {
  return createExpressMiddleware({
    router,
    // So that a long query may come as a body.
    allowMethodOverride: true,
    maxBatchSize: largestBatch,
    createContext: ({ req, res }): RequestContext =>
      contextOf(app, req, res, requestIds.getStore() ?? requestIdOf(req.headers['x-request-id'])),
    responseMeta: ({ ctx, errors }) => {
      const { headers } = (ctx ?? {}) as Partial<RequestContext>;
      const refused = errors.map((error) => toApiError(error).headers);
      return { headers: new Headers(Object.assign({}, headers, ...refused)) };
    },
    onError: ({ error, path, type, ctx }) => {
      // What an operation refuses, its call has logged.
      if (type !== 'subscription' && error instanceof ApiError) return;
      const requestId = requestIds.getStore() ?? '';
      const asked = (ctx as RequestContext | undefined) ?? {
        app,
        requestId,
        startedAt: performance.now(),
        headers: {},
      };
      // A path that is none of our operations is the caller's text: it could be a key.
      const known = path !== undefined && Object.hasOwn(router._def.procedures, path);
      finishRefused(asked, type, known ? path : undefined, error);
    },
  });
}
