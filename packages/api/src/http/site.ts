import type { IncomingMessage, ServerResponse } from 'node:http';
import { createExpressMiddleware } from '@trpc/server/adapters/express';
import express from 'express';
import { documentRoutes } from '../documents/routes.ts';
import { ApiError, isFault, toApiError } from '../errors.ts';
import type { App, RequestContext } from '../request/context.ts';
import { requestIdOf, requestIds } from '../request/request-id.ts';
import { finishRequest } from '../request/request-log.ts';
import type { AppRouter } from '../router.ts';
import { commonHeaders, sendError } from './rest/answer.ts';
import { bodyLimits } from './rest/body.ts';
import { decode } from './rest/decode.ts';

/** Everything that is not a REST path: tRPC at `/trpc`, the OpenAPI documents, `/docs`. */
export function siteHandler(
  app: App,
  router: AppRouter,
): (request: IncomingMessage, response: ServerResponse) => void {
  const site = express();
  site.disable('x-powered-by');
  site.disable('etag');
  site.use('/trpc', beforeTrpc, trpcMiddleware(app, router));
  site.use(documentRoutes(router));
  site.use((request, response) => {
    const error = new ApiError('resource_not_found', `There is nothing at ${request.path.slice(0, 200)}.`);
    sendError(request, response, error, requestIdOf(request.headers['x-request-id']));
  });
  site.use(
    (error: unknown, request: express.Request, response: express.Response, _next: express.NextFunction) => {
      sendError(request, response, toApiError(error), requestIdOf(request.headers['x-request-id']));
    },
  );
  return site;
}

/** How many calls one tRPC request may carry. */
const largestBatch = 10;

// tRPC leaves a request unanswered whose path it cannot decode, and makes no context for one it cannot read.
function beforeTrpc(request: express.Request, response: express.Response, next: express.NextFunction): void {
  const requestId = requestIdOf(request.headers['x-request-id']);
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('Cache-Control', 'no-store');
  // What tRPC refuses before it has found the procedure it sends as plain text, though it is JSON like the rest.
  const setHeader = response.setHeader.bind(response);
  response.setHeader = (name, value) =>
    setHeader(name, String(value).startsWith('text/plain') ? commonHeaders['Content-Type'] : value);
  decode(request.path);
  requestIds.run(requestId, next);
}

function trpcMiddleware(app: App, router: AppRouter) {
  return createExpressMiddleware({
    router,
    // So that a long query may come as a body.
    allowMethodOverride: true,
    maxBatchSize: largestBatch,
    maxBodySize: bodyLimits.batch,
    createContext: ({ req }): RequestContext => {
      return {
        app,
        requestId: requestIds.getStore() ?? requestIdOf(req.headers['x-request-id']),
        startedAt: performance.now(),
        apiVersion: 'v2',
        authorization: req.headers.authorization,
        headers: {},
      };
    },
    responseMeta: ({ ctx, errors }) => ({
      headers: new Headers(
        Object.assign({}, ctx?.headers, ...errors.map((error) => toApiError(error).headers)),
      ),
    }),
    onError: ({ error, path, type, ctx }) => {
      const refusal = toApiError(error);
      finishRequest(
        app,
        {
          requestId: ctx?.requestId ?? requestIds.getStore() ?? '',
          entrance: 'trpc',
          method: type,
          status: refusal.status,
          code: refusal.reason,
          // What is no operation of ours is the caller's text: it could be a key.
          ...(path !== undefined && Object.hasOwn(router._def.procedures, path) && { operation: path }),
          ...(refusal.limit !== undefined && { limit: refusal.limit }),
        },
        ctx === undefined ? 0 : performance.now() - ctx.startedAt,
        isFault(refusal) ? error : undefined,
      );
    },
  });
}
