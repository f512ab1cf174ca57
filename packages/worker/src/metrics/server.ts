import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { metricsContentType } from '@comanda/api/services';
import { listenError, ownBuild } from '@comanda/db';

/** The health and metrics of a worker, over HTTP, for monitoring. */
export interface WorkerMetrics {
  /** Whether it works; `draining`, or what keeps it from it. */
  readiness(): Promise<{
    status: string;
    database?: string;
    heartbeat?: string;
    publishing?: string;
    changes_set_aside?: number;
  }>;
  /** In the text format of Prometheus. */
  metrics(): Promise<string>;
}

/** It listens until it is closed. */
export interface MetricsServer {
  /** `http://127.0.0.1:9090` */
  url: string;
  close(): Promise<void>;
}

/**
 * Answers `/healthz`, `/readyz` and `/metrics` as the API does, so that one configuration of probes and scrapes fits both.
 * @throws {SettingsError} the port or the address cannot be used.
 */
export async function startMetricsServer(
  worker: WorkerMetrics,
  { host, port }: { host: string; port: number },
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 5_000, headersTimeout: 5_000 }, (request, response) => {
    void answer(worker, request, response);
  });
  server.maxConnections = 64;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, { variable: 'WORKER_PORT', host, port })));
    server.listen(port, host, resolve);
  });
  const listening = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  worker: WorkerMetrics,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const send = (status: number, type: string, text: string) => {
    const headers = {
      'Content-Type': type,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    };
    response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) });
    response.end(request.method === 'HEAD' ? undefined : text);
  };
  const sendJson = (status: number, value: object) => send(status, 'application/json', JSON.stringify(value));
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return sendJson(405, { status: 'method not allowed' });
  }
  try {
    if (request.url === '/healthz') return sendJson(200, { status: 'ok', ...ownBuild() });
    if (request.url === '/metrics') return send(200, metricsContentType, await worker.metrics());
    if (request.url !== '/readyz') return sendJson(404, { status: 'not found' });
    const found = await worker.readiness();
    if (found.status !== 'ok') response.setHeader('Retry-After', '5');
    sendJson(found.status === 'ok' ? 200 : 503, found);
  } catch {
    sendJson(500, { status: 'failed' });
  }
}
