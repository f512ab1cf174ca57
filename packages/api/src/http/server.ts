import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { localUrl, repositoryRoot, stopping } from '@comanda/db';
import type { App } from '../call/context.ts';
import { requestIdOf } from '../call/request-id.ts';
import { plainSite } from '../documents/site/plain-site.ts';
import { builtSite, siteServers } from '../documents/site-files.ts';
import { ApiError, methodNotAllowed } from '../errors.ts';
import { appRouter } from '../router.ts';
import { type Bounds, defaultBounds } from './bounds.ts';
import { boundConnections } from './connections.ts';
import { awaitsContinue } from './continue.ts';
import { createDrain } from './drain.ts';
import { healthHandler } from './health.ts';
import { mcpHandler } from './mcp/handler.ts';
import { metricsHandler } from './metrics.ts';
import { restHandler } from './rest/adapter.ts';
import { safeHeaders, sendError } from './rest/answer.ts';
import { streamHandler } from './rest/event-stream.ts';
import { siteHandler } from './site.ts';
import { trpcHandler } from './trpc/handler.ts';
import { answerUnparsed, unknownCoding } from './unparsed.ts';

/** A server that answers requests. */
export interface RunningServer {
  /** Where it is reached on this machine: `http://127.0.0.1:3000`, also where it listens on every address. */
  url: string;
  /** Accepts no more connections, answers what comes on those that are open (at most `graceMs`), closes. */
  drain(graceMs?: number): Promise<void>;
}

/**
 * Serves an app: `/v1`, `/v2`, the calls of tRPC and `/mcp` straight from the HTTP server's callback, as well as health,
 * and everything else (subscriptions of tRPC, documents) through Express. Rejects with the listen error when the port is taken.
 * @param siteFolder of the built documents; plain pages are served while they are not there
 */
export async function startServer(
  app: App,
  address: { host: string; port: number },
  bounds: Bounds = defaultBounds,
  siteFolder = builtSite,
): Promise<RunningServer> {
  const rest = restHandler(app, appRouter);
  const streams = streamHandler(app, appRouter);
  const trpc = trpcHandler(app, appRouter);
  const pages = siteServers(siteFolder, () => plainSite(repositoryRoot));
  const mcp = mcpHandler(app, appRouter, pages);
  const site = siteHandler(app, appRouter, pages);
  const health = healthHandler(app, () => drain.begun());
  const probes = new Map([
    ['/healthz', health],
    ['/readyz', health],
    ['/metrics', metricsHandler(app)],
  ]);
  const server = createServer(serverOptions(bounds));
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    answering(response);
    drain.track(response);
    const refusal = refusalOfHead(request, bounds.headers);
    const path = request.url ?? '';
    if (refusal !== undefined) refuse(request, response, refusal);
    else if (isOptionsOfAll(request)) answerOptionsOfAll(request, response);
    else if (streams(request, response)) return;
    else if (path.startsWith('/v1/') || path.startsWith('/v2/')) rest(request, response);
    else if (!trpc(request, response) && !mcp(request, response)) {
      setSafeHeaders(request, response);
      const probe = probes.get(path);
      if (probe !== undefined && !isRead(request))
        refuse(request, response, methodNotAllowed(request.method ?? '', 'GET, HEAD'));
      else if (probe !== undefined) void probe(request, response);
      else if (path.startsWith('/')) site(request, response);
      else refuse(request, response, new ApiError('unknown_path', 'There is nothing at this address.'));
    }
  };
  server.on('request', serve);
  server.on('checkExpectation', serve);
  server.on('checkContinue', (request, response) => {
    awaitsContinue(request, response);
    serve(request, response);
  });
  server.timeout = bounds.silenceMs;
  boundConnections(server, bounds.connections, app.log);
  const answering = answerUnparsed(server, serve);
  const drain = createDrain(server, () => app.live.drain());
  await listen(server, address);
  const { port } = server.address() as AddressInfo;
  return {
    url: localUrl({ host: address.host, port }),
    drain: (graceMs = stopping.requestsMs) => drain.run(graceMs),
  };
}

function serverOptions(bounds: Bounds): ServerOptions {
  return {
    headersTimeout: bounds.headersTimeoutMs,
    requestTimeout: bounds.requestTimeoutMs,
    keepAliveTimeout: bounds.keepAliveMs,
    connectionsCheckingInterval: bounds.checkEveryMs,
    maxHeaderSize: bounds.headerBytes,
    // Node would answer a request without Host by itself, without a body.
    requireHostHeader: false,
  };
}

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function refuse(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
  sendError(request, response, error, requestIdOf(request.headers['x-request-id']));
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

// RFC 9110, 9.3.7: asked of the server as a whole, it says that it is there.
const isOptionsOfAll = ({ method, url }: IncomingMessage): boolean => url === '*' && method === 'OPTIONS';

function answerOptionsOfAll(request: IncomingMessage, response: ServerResponse): void {
  setSafeHeaders(request, response);
  response.writeHead(204, { Allow: 'GET, HEAD, POST, PATCH, DELETE', 'Cache-Control': 'no-store' }).end();
}

// REST sets them with the rest of its headers, at once; everything else may add to them.
function setSafeHeaders(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('X-Request-Id', requestIdOf(request.headers['x-request-id']));
  for (const [name, value] of Object.entries(safeHeaders)) response.setHeader(name, value);
}

/**
 * Checks the head of a request before any entrance reads it, and brings an absolute target into origin form. Node's parser
 * accepts more than RFC 9110 and RFC 9112 do. Returns the refusal, if there is one:
 * - 431: more than `mostHeaders` headers
 * - 400: a repeated `Authorization`, `Content-Type`, `Host` or `Idempotency-Key`; a `Host` that is invalid or, in HTTP/1.1,
 *   missing; an absolute target with an invalid authority
 * - 505: a version of HTTP other than 1.0 and 1.1
 * - 501: a transfer coding other than `chunked`
 * - 417: an expectation other than `100-continue`
 */
function refusalOfHead(request: IncomingMessage, mostHeaders: number): ApiError | undefined {
  const { rawHeaders, headers, httpVersion } = request;
  if (rawHeaders.length > 2 * mostHeaders)
    return new ApiError('headers_too_large', 'The request has too many headers.');
  if (!httpVersion.startsWith('1.'))
    return new ApiError('unknown_http_version', 'The request must be of HTTP/1.1 or HTTP/1.0.', {
      headers: { Connection: 'close' },
    });
  const repeated = repeatedName(rawHeaders);
  if (repeated !== undefined) return unreadable(`The header ${repeated} must be given once.`);
  if (headers.host === undefined && httpVersion === '1.1') return unreadable('The request has no Host.');
  if (headers.host !== undefined && !isHost(headers.host)) return unreadable('The Host is not valid.');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return unknownCoding();
  if (headers.expect !== undefined && httpVersion === '1.1' && !isContinue(headers.expect))
    return new ApiError('expectation_failed', 'No expectation but 100-continue is met.');
  return request.url?.startsWith('/') ? undefined : useOriginForm(request);
}

const unreadable = (message: string) => new ApiError('unreadable_request', message);

// Found by their lengths, which differ: every header of every request is compared.
const singleByLength: readonly string[] = Object.assign(
  [],
  ...['host', 'content-type', 'authorization', 'idempotency-key'].map((name) => ({ [name.length]: name })),
);

function repeatedName(rawHeaders: readonly string[]): string | undefined {
  // One bit for each length.
  let seen = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const single = singleByLength[name.length];
    if (single === undefined || name.toLowerCase() !== single) continue;
    if (seen & (1 << name.length)) return name;
    seen |= 1 << name.length;
  }
  return undefined;
}

// No character that ends the authority of a URL; the rest is read as clients read it.
const isHost = (text: string): boolean =>
  /^[\w.~!$&'()*+,;=%:[\]-]+$/.test(text) && URL.canParse(`http://${text}`);

const isContinue = (expect: string): boolean =>
  expect.split(',').every((each) => each.trim().toLowerCase() === '100-continue');

// RFC 9112, 3.2.2: the authority of an absolute target replaces Host.
function useOriginForm(request: IncomingMessage): ApiError | undefined {
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(request.url ?? '') ?? [];
  if (authority === undefined) return undefined;
  if (!isHost(authority)) return unreadable('The authority of the target is not valid.');
  request.headers.host = authority;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return undefined;
}
