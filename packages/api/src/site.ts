import type { IncomingMessage, ServerResponse } from 'node:http';
import { createExpressMiddleware } from '@trpc/server/adapters/express';
import express from 'express';
import type { App, RequestContext } from './context.ts';
import { documentRoutes } from './documents/routes.ts';
import { ApiError, toApiError } from './errors.ts';
import { requestIdOf } from './request-id.ts';
import { logRequest } from './request-log.ts';
import { sendError } from './rest/answer.ts';
import { bodyLimits } from './rest/body.ts';
import type { AppRouter } from './router.ts';

/** Everything that is not a REST path: tRPC at `/trpc`, the OpenAPI documents, `/docs`. */
export function siteHandler(
  app: App,
  router: AppRouter,
): (request: IncomingMessage, response: ServerResponse) => void {
  const site = express();
  site.disable('x-powered-by');
  site.disable('etag');
  site.use('/trpc', trpcMiddleware(app, router));
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

function trpcMiddleware(app: App, router: AppRouter) {
  return createExpressMiddleware({
    router,
    maxBatchSize: largestBatch,
    maxBodySize: bodyLimits.batch,
    createContext: ({ req, res }): RequestContext => {
      const requestId = requestIdOf(req.headers['x-request-id']);
      res.setHeader('X-Request-Id', requestId);
      res.setHeader('Cache-Control', 'no-store');
      res.setHeader('X-Content-Type-Options', 'nosniff');
      return {
        app,
        requestId,
        entrance: 'trpc',
        apiVersion: 'v2',
        authorization: req.headers.authorization,
        reply: { headers: {} },
      };
    },
    responseMeta: ({ ctx, errors }) => ({
      headers: new Headers(
        Object.assign({}, ctx?.reply.headers, ...errors.map((error) => toApiError(error).headers)),
      ),
    }),
    onError: ({ error, path, type, ctx }) => {
      const refusal = toApiError(error);
      logRequest(
        app.log,
        {
          requestId: ctx?.requestId ?? '',
          entrance: 'trpc',
          method: type,
          status: refusal.status,
          code: refusal.reason,
          ...(path !== undefined && { operation: path }),
          ...(refusal.reason === 'internal_error' && { error }),
        },
        0,
      );
    },
  });
}
