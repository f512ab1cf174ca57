import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import type { App } from '../call/context.ts';
import { requestIdOf, requestIds } from '../call/request-id.ts';
import { appRoutes } from '../documents/app-routes.ts';
import { documentRoutes } from '../documents/routes.ts';
import type { SiteServers } from '../documents/site-files.ts';
import { ApiError, toApiError } from '../errors.ts';
import type { AppRouter } from '../router.ts';
import { packWhole } from './packing.ts';
import { commonHeaders, sendError } from './rest/answer.ts';
import { decode } from './rest/decode.ts';
import { trpcMiddleware } from './trpc/adapter.ts';

/**
 * Everything that is no call: subscriptions at `/trpc`, the OpenAPI documents, `/docs`.
 * @param pages of the documents as they are at the moment
 */
export function siteHandler(
  app: App,
  router: AppRouter,
  pages: () => Promise<SiteServers>,
): (request: IncomingMessage, response: ServerResponse) => void {
  const site = express();
  site.disable('x-powered-by');
  site.disable('etag');
  site.use('/trpc', beforeTrpc, trpcMiddleware(app, router));
  if (app.policy.app === 'on') site.use(appRoutes());
  site.use(documentRoutes(router, app, pages));
  site.use((request, response) => {
    const error = new ApiError('unknown_path', `There is nothing at ${request.path.slice(0, 200)}.`);
    sendError(request, response, error, requestIdOf(request.headers['x-request-id']));
  });
  site.use(
    (error: unknown, request: express.Request, response: express.Response, _next: express.NextFunction) => {
      sendError(request, response, toApiError(error), requestIdOf(request.headers['x-request-id']));
    },
  );
  return site;
}

// tRPC leaves a request unanswered whose path it cannot decode, and makes no context for one it cannot read.
function beforeTrpc(request: express.Request, response: express.Response, next: express.NextFunction): void {
  const requestId = requestIdOf(request.headers['x-request-id']);
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('Cache-Control', 'no-store');
  // A refusal of tRPC before it has found the procedure is sent as plain text, though it is JSON like the rest; and
  // it has no header for what else an answer depends on.
  const setHeader = response.setHeader.bind(response);
  response.setHeader = (name, value) => {
    if (name === 'vary') return setHeader(name, `${value}, accept-encoding`);
    return setHeader(name, String(value).startsWith('text/plain') ? commonHeaders['Content-Type'] : value);
  };
  packWhole(request, response);
  decode(request.path);
  requestIds.run(requestId, next);
}
