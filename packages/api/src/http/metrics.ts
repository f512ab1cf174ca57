import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../call/context.ts';
import { metricsContentType } from '../metrics/metrics.ts';

/**
 * `GET /metrics` for Prometheus. No API call: no credential, no envelope, no limit. It holds numbers by
 * operation and process, and of locations the ids of those with most to do: no name, URL or key.
 */
export function metricsHandler({ metrics, log }: App) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const common = { 'Cache-Control': 'no-store' };
    try {
      const text = await metrics.text();
      response.writeHead(200, {
        ...common,
        'Content-Type': metricsContentType,
        'Content-Length': Buffer.byteLength(text),
      });
      response.end(request.method === 'HEAD' ? undefined : text);
    } catch (error) {
      log.error({ err: error }, 'the metrics cannot be read');
      response.writeHead(500, common).end();
    }
  };
}
