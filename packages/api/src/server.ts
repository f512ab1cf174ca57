import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { App } from './context.ts';
import { ApiError } from './errors.ts';
import { healthHandler } from './health.ts';
import { requestIdOf } from './request-id.ts';
import { restHandler } from './rest/adapter.ts';
import { commonHeaders, sendError } from './rest/answer.ts';
import { appRouter } from './router.ts';
import { siteHandler } from './site.ts';

/** A server that answers requests. */
export interface RunningServer {
  /** `http://127.0.0.1:3000` */
  url: string;
  /** Stops accepting, finishes what is in flight (at most `graceMs`), closes. */
  drain(graceMs?: number): Promise<void>;
}

/**
 * Serves an app: `/v1` and `/v2` straight from the HTTP server's callback, health beside it, and everything else
 * (tRPC, documents) through Express. Rejects with the listen error when the port is taken.
 */
export async function startServer(app: App, address: { host: string; port: number }): Promise<RunningServer> {
  const rest = restHandler(app, appRouter);
  const site = siteHandler(app, appRouter);
  let draining = false;
  const health = healthHandler(app, () => draining);
  const server = createServer({ ...timeouts, ...parsing }, (request, response) => {
    const path = request.url ?? '';
    if (draining) response.setHeader('Connection', 'close');
    if (request.httpVersion === '1.1' && request.headers.host === undefined) noHost(request, response);
    else if (path.startsWith('/v1/') || path.startsWith('/v2/')) rest(request, response);
    else if (path === '/healthz' || path === '/readyz') void health(request, response);
    else if (path.startsWith('/')) site(request, response);
    else notFound(request, response);
  });
  server.on('clientError', answerClientError);
  await listen(server, address);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${port}`,
    drain(graceMs = 30_000) {
      draining = true;
      return close(server, graceMs);
    },
  };
}

// A request must arrive in time: slow senders are cut off, idle ones do not hold a connection for long.
const timeouts = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
};

// Node would answer a request without Host by itself, without a body.
const parsing = { maxHeaderSize: 16 * 1024, requireHostHeader: false };

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function notFound(request: IncomingMessage, response: ServerResponse): void {
  const error = new ApiError('resource_not_found', 'There is nothing at this address.');
  sendError(request, response, error, requestIdOf(request.headers['x-request-id']));
}

function noHost(request: IncomingMessage, response: ServerResponse): void {
  const error = new ApiError('invalid_request', 'The request names no Host.');
  sendError(request, response, error, requestIdOf(request.headers['x-request-id']));
}

// What Node's parser refuses never becomes a request; it is answered in the same form all the same.
function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, message] = clientErrors[error.code ?? ''] ?? [
    '400 Bad Request',
    'The request cannot be read.',
  ];
  const requestId = requestIdOf(undefined);
  const body = JSON.stringify({ error: { code: 'invalid_request', message, request_id: requestId } });
  const headers = {
    ...commonHeaders,
    'X-Request-Id': requestId,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
}

const clientErrors: Record<string, [string, string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};
