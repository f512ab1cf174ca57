import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { readBundle } from './bundle.ts';
import type { Query, StudioDatabase } from './database.ts';
import { deskScript } from './desk.ts';
import type { Door } from './door.ts';

// The page talks to this server alone.
const policy = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const maxBodyBytes = 4 * 1024 * 1024;

/** What is served. */
export interface Studio {
  bundle: ReturnType<typeof readBundle>;
  database: StudioDatabase;
  door: Door;
  /** In the title of the page. */
  title: string;
  /** The address of the desk, where it is known. */
  desk: string | null;
}

/**
 * Listens on the loopback address.
 * @throws the error of `listen`, as EADDRINUSE.
 */
export async function serveStudio(port: number, studio: Studio): Promise<Server> {
  const server = createServer((request, response) => {
    answer(studio, request, response).catch((error: unknown) => {
      if (response.headersSent) return response.destroy();
      send(response, 500, 'text/plain', error instanceof Error ? error.message : String(error));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function answer(studio: Studio, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const cookie = studio.door.cookieFor(request);
  if (cookie !== null) {
    // The browser keeps what stands behind the # of the address.
    response.writeHead(303, { location: '/', 'set-cookie': cookie, 'referrer-policy': 'no-referrer' }).end();
    return;
  }
  const refusal = studio.door.refusal(request);
  if (refusal !== null) return send(response, 403, 'text/plain', `${refusal}\n`);
  const { pathname } = new URL(request.url ?? '/', 'http://studio');
  switch (`${request.method} ${pathname}`) {
    case 'GET /':
      return send(response, 200, 'text/html', page(studio));
    case 'GET /studio.js':
      return send(response, 200, 'text/javascript', studio.bundle.script);
    case 'GET /studio.css':
      return send(response, 200, 'text/css', studio.bundle.styles);
    case 'POST /bff': {
      const asked = JSON.parse(await bodyOf(request)) as Asked;
      return send(response, 200, 'application/json', JSON.stringify(await procedure(studio.database, asked)));
    }
    // What the page tells of itself is read by nobody.
    case 'POST /telemetry':
      return send(response, 200, 'text/plain', '');
    default:
      return send(response, 404, 'text/plain', 'not found\n');
  }
}

/** What Studio's page asks for. */
interface Asked {
  procedure: string;
  query?: Query;
  sequence?: Query[];
  queries?: Query[];
}

/** Answers as Prisma's own server does: pairs of an error or null, and a result. */
async function procedure(database: StudioDatabase, asked: Asked): Promise<unknown> {
  const { query, sequence, queries } = asked;
  if (asked.procedure === 'query' && query !== undefined) {
    if (isIntrospection(query)) return [null, await database.tables()];
    const result = await database.run([query]);
    return 'refusal' in result ? [result.refusal] : [null, result.rows[0]];
  }
  if (asked.procedure === 'transaction' && queries !== undefined) {
    const result = await database.run(queries);
    return 'refusal' in result ? [result.refusal] : [null, result.rows];
  }
  if (asked.procedure === 'sequence' && sequence !== undefined) {
    const result = await database.run(sequence);
    return 'refusal' in result ? [[result.refusal]] : result.rows.map((rows) => [null, rows]);
  }
  // Studio then checks what is typed by EXPLAIN.
  return [{ name: 'Error', message: `${asked.procedure} is not supported` }];
}

const isIntrospection = ({ sql }: Query): boolean => sql.includes('"fk_con"."confkey"');

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Error('the request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(body);
}

// __PDPCP__ keeps the page from announcing each start to its makers, which the policy would refuse anyway.
const page = ({ title, desk }: Studio): string => `<!doctype html>
<html lang="en" style="height: 100%">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title.replace(/[<&]/g, '')}</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/studio.css">
<style>body { margin: 0; height: 100% } #root { height: 100% }</style>
</head>
<body>
<div id="root"></div>
<script>window.__PDPCP__ = true; window.__STUDIO_CONFIG__ = { adapter: 'postgres' };</script>
<script>${deskScript(desk)}</script>
<script type="module" src="/studio.js"></script>
</body>
</html>`;
