import type { IncomingMessage, ServerResponse } from 'node:http';
import { statement } from '@comanda/db';
import type { App } from './context.ts';

/**
 * `/healthz`: 200 while the process lives. `/readyz`: 200 once requests can be served; 503 while the database
 * cannot be reached or the server drains. Neither is an API call: no credential, no envelope, no limit.
 */
export function healthHandler(app: App, draining: () => boolean) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const ready = request.url === '/healthz' || (!draining() && (await databaseAnswers(app)));
    response.writeHead(ready ? 200 : 503, {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
    });
    response.end(JSON.stringify({ status: ready ? 'ok' : draining() ? 'draining' : 'database unreachable' }));
  };
}

const ping = statement<{ one: number }>('ping', 'select 1 as one');

async function databaseAnswers(app: App): Promise<boolean> {
  try {
    await app.database.run(ping, []);
    return true;
  } catch {
    return false;
  }
}
