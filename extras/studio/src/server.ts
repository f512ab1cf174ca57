import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buildPage, type readBundle } from './bundle.ts';
import type { Query } from './database.ts';
import { deskLinks } from './desk-links.ts';
import { type Door, notIn } from './door.ts';
import type { Grids } from './grids.ts';
import { keptRows } from './layout.ts';
import type { PageSession } from './page/session.ts';

// The page talks to this server alone.
const policy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const maxBodyBytes = 4 * 1024 * 1024;

/** The served files. */
export interface Studio {
  bundle: ReturnType<typeof readBundle>;
  grids: Grids;
  /** Names of the locations that are shown, by their ids. */
  locations(): Promise<Record<string, string>>;
  door: Door;
  /** In the title of the page. */
  title: string;
  /** The address of the desk, where it is known. */
  desk: string | null;
  /** A tab came in: its address is used. */
  entered(): void;
}

/**
 * Listens on the loopback address.
 * @throws the error of `listen`, as EADDRINUSE.
 */
export async function serveStudio(port: number, studio: Studio): Promise<Server> {
  // By its content: a browser keeps it compiled, which takes it longer than all else of a page.
  const version = createHash('sha256').update(studio.bundle.script).digest('hex').slice(0, 16);
  const script = await buildPage(`/studio.js?v=${version}`);
  const server = createServer((request, response) => {
    answer({ ...studio, script }, request, response).catch((error: unknown) => {
      if (response.headersSent) return response.destroy();
      send(response, 500, 'text/plain', error instanceof Error ? error.message : String(error));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/**
 * Files of the page are open to every client: they hold no data. A response with data requires the token of a tab
 * that is in.
 */
async function answer(
  studio: Studio & { script: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { door, bundle, grids } = studio;
  const refusal = door.refusal(request);
  if (refusal !== null) return send(response, 403, 'text/plain', `${refusal}\n`);
  const { pathname } = new URL(request.url ?? '/', 'http://studio');
  const route = `${request.method} ${pathname}`;
  switch (route) {
    case 'GET /':
      return send(response, 200, 'text/html', page);
    case 'GET /comanda.js':
      return send(response, 200, 'text/javascript', studio.script);
    case 'GET /studio.js':
      return send(response, 200, 'text/javascript', bundle.script, 'private, max-age=31536000, immutable');
    case 'GET /studio.css':
      return send(response, 200, 'text/css', bundle.styles);
    case 'POST /enter': {
      const { code } = JSON.parse(await bodyOf(request)) as { code?: unknown };
      const token = door.enter(String(code));
      if (token === null) return send(response, 403, 'text/plain', used);
      studio.entered();
      return send(response, 200, 'application/json', JSON.stringify({ token }));
    }
  }
  if (!door.isIn(request)) return send(response, 401, 'text/plain', notIn);
  switch (route) {
    case 'POST /session':
      return send(response, 200, 'application/json', JSON.stringify(await sessionOf(studio)));
    case 'POST /bff': {
      const asked = JSON.parse(await bodyOf(request)) as Asked;
      return send(response, 200, 'application/json', JSON.stringify(await procedure(grids, asked)));
    }
    default:
      return send(response, 404, 'text/plain', 'not found\n');
  }
}

const used =
  'this address was used, or is not the last one: open the last address that npm run studio printed';

async function sessionOf({ title, desk, grids, locations }: Studio): Promise<PageSession> {
  const [named, rowNames] = [await locations(), await grids.rowNames()];
  const only = grids.scope?.name ?? null;
  return { title, desk, deskLinks, kept: keptRows, locations: named, only, rowNames };
}

/** The requests of Studio's page. */
interface Asked {
  procedure: string;
  query?: Query;
  queries?: Query[];
}

/** Answers as Prisma's own server does: pairs of an error or null, and a result. */
async function procedure(grids: Grids, asked: Asked): Promise<unknown> {
  const { query, queries } = asked;
  if (asked.procedure === 'query' && query !== undefined) {
    if (isIntrospection(query)) return [null, await grids.tables()];
    const result = await grids.run([query]);
    return 'refusal' in result ? [result.refusal] : [null, result.rows[0]];
  }
  if (asked.procedure === 'transaction' && queries !== undefined) {
    const result = await grids.run(queries);
    return 'refusal' in result ? [result.refusal] : [null, result.rows];
  }
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

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  caching = 'no-store',
): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': caching,
  });
  response.end(body);
}

const page = `<!doctype html>
<html lang="en" style="height: 100%">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Studio</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/studio.css">
<style>
body { margin: 0; height: 100% } #root { height: 100% }
[data-testid="studio-navigation"] a[href*="view=sql"], [cmdk-item][data-value="view:sql"] { display: none }
.entrance { position: fixed; inset: 0; z-index: 1000; padding: 3rem; background: #fff; color: #111; font: 1rem/1.6 sans-serif; pointer-events: auto }
.entrance p { max-width: 40rem; margin: 0 0 1rem } .entrance input { width: 24rem; border: 1px solid #777; padding: 0.25rem }
.entrance button { margin-left: 0.5rem; border: 1px solid #777; padding: 0.25rem 0.75rem }
</style>
</head>
<body>
<div id="root"></div>
<script type="module" src="/comanda.js"></script>
</body>
</html>`;
