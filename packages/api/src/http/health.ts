import type { IncomingMessage, ServerResponse } from 'node:http';
import { ownBuild } from '@comanda/db';
import type { App } from '../call/context.ts';
import { publishingFields } from '../metrics/readiness.ts';

/**
 * `/healthz`: 200 while the process lives, with the version and the commit that it runs. `/readyz`: 200 once requests
 * can be served; 503 while the database cannot be reached or written to, or the server drains. It also says whether a
 * worker beats and whether publishing is stalled: requests are served even so, so that alone is no 503. The two are no API calls: no credential,
 * no envelope, no limit.
 */
export function healthHandler(app: Pick<App, 'readiness'>, draining: () => boolean) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, ...found } = await look(request.url === '/healthz');
    response.writeHead(status === 'ok' ? 200 : 503, {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...(status !== 'ok' && { 'Retry-After': '5' }),
    });
    response.end(JSON.stringify({ status, ...found }));
  };

  async function look(alive: boolean) {
    if (alive) return { status: 'ok', ...ownBuild() };
    if (draining()) return { status: 'draining' };
    const { publishing, ...found } = await app.readiness();
    const status = found.database === 'ok' ? 'ok' : `database ${found.database}`;
    return { status, ...found, ...publishingFields(publishing) };
  }
}
