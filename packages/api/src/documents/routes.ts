import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import express from 'express';
import type { App } from '../call/context.ts';
import type { Deprecations } from '../deprecations.ts';
import { methodNotAllowed } from '../errors.ts';
import type { AppRouter } from '../router.ts';
import { openApiDocument } from './openapi.ts';
import { type Served, serverOf } from './served.ts';
import type { SiteServers } from './site-files.ts';

/**
 * Serves the documents: the site at `/docs/`, `/openapi-v1.json`, `/openapi-v2.json`,
 * `/llms.txt`, what integrators download, the addresses that webhooks come from; a browser is led there from `/`, and gets a page where it is lost. None of them
 * is an API call: no credential, no envelope, no limit. Contract: documents.
 * @param site the pages as they are at the moment
 */
export function documentRoutes(
  router: AppRouter,
  { deprecations, webhookSourceAddresses }: Pick<App, 'deprecations' | 'webhookSourceAddresses'>,
  site: () => Promise<SiteServers>,
): express.Router {
  const others = [
    ...downloads(),
    ...webhookAddresses(webhookSourceAddresses),
    ...documents(router, deprecations),
  ];
  const fixed = new Map(others.map(([path, each]) => [path, serverOf(each)]));
  const routes = express.Router({ caseSensitive: true });
  routes.use(async (request, response, next) => {
    const { method, path } = request;
    const isOpened = /^(GET|HEAD)$/.test(method) && request.accepts(['json', 'html']) === 'html';
    if (path === '/' && isOpened) {
      response.set({ 'Cache-Control': 'no-cache', Vary: 'Accept' }).redirect(302, '/docs/');
      return;
    }
    const isOfSite = !fixed.has(path) && /^\/(docs(\/|$)|llms\.txt$)/.test(path);
    const { byPath, lost } = isOfSite ? await site() : none;
    const serve = fixed.get(path) ?? byPath.get(path);
    const elsewhere = meantAddress(request.url, (each) => fixed.has(each) || byPath.has(each));
    if (serve === undefined && elsewhere === undefined) {
      if (path.startsWith('/docs/') && isOpened && lost !== undefined) return lost(request, response);
      return next();
    }
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, 'GET, HEAD');
    // Public, and no key is in them: pages of any origin may read them, and no other response.
    if (/^\/(docs\/|openapi-)/.test(path)) response.set('Access-Control-Allow-Origin', '*');
    if (serve !== undefined) return serve(request, response);
    response.set('Cache-Control', 'no-cache').redirect(301, elsewhere ?? '/docs/');
  });
  return routes;
}

const none: Pick<SiteServers, 'byPath' | 'lost'> = { byPath: new Map() };

function documents(router: AppRouter, deprecations: Deprecations): [string, Served][] {
  return (['v1', 'v2'] as const).map((version) => [
    `/openapi-${version}.json`,
    {
      type: 'application/json; charset=utf-8',
      make: async () => JSON.stringify(await openApiDocument(router, version, deprecations), null, 2),
    },
  ]);
}

const folder = join(repositoryRoot, 'dist/docs');

/** The downloads for integrators (`extras/integrator`): the file, and its media type. */
export const downloadTypes = {
  'comanda.mjs': 'text/javascript; charset=utf-8',
  'comanda.py': 'text/x-python; charset=utf-8',
  'Comanda.java': 'text/x-java; charset=utf-8',
  'Comanda.cs': 'text/x-csharp; charset=utf-8',
  // Not as application/x-httpd-php: a server in front could run it.
  'comanda.php': 'text/plain; charset=utf-8',
} as const;

/** Each that was built, as it is served, and next to it its SHA-256 as `sha256sum -c` reads it. */
export const downloads = (): [string, Served][] =>
  Object.entries(downloadTypes).flatMap(([name, type]) =>
    existsSync(join(folder, name)) ? download(name, type) : [],
  );

function download(name: string, type: string): [string, Served][] {
  // Read once: it may be built again while this runs, and the digest must fit.
  let bytes: Buffer | undefined;
  const read = () => {
    bytes ??= readFileSync(join(folder, name));
    return bytes;
  };
  const digest = () => `${createHash('sha256').update(read()).digest('hex')}  ${name}\n`;
  return [
    [`/docs/${name}`, { type, make: read }],
    [`/docs/${name}.sha256`, { type: 'text/plain; charset=utf-8', make: digest }],
  ];
}

/**
 * The addresses that webhooks come from, as the operator publishes them (WEBHOOK_SOURCE_ADDRESSES): lines for firewalls and people,
 * JSON for programs. Where none are published both say so: an empty list alone could be taken for "from nowhere".
 */
export function webhookAddresses(addresses: readonly string[]): [string, Served][] {
  const published = addresses.length > 0;
  const heading = published
    ? 'Webhooks come from these addresses alone. Verify their signatures nevertheless.'
    : 'The operator has published no fixed addresses: webhooks may come from any. Verify their signatures.';
  const lines = [`# ${heading}`, ...addresses];
  return [
    [
      '/docs/webhook-addresses.txt',
      { type: 'text/plain; charset=utf-8', make: () => `${lines.join('\n')}\n` },
    ],
    [
      '/docs/webhook-addresses.json',
      { type: 'application/json; charset=utf-8', make: () => JSON.stringify({ published, addresses }) },
    ],
  ];
}

/**
 * The address at which the documents have the page that another address means: with a slash too many or too few,
 * `.html`, `index.html`, of a folder without a page, of a page that is gone. `undefined` where no page is meant, and
 * for an address that is served. The answer is always a path that `has` knows, for any request.
 * @param url path and query of a request
 * @param has whether something is served at a path
 */
function meantAddress(url: string, has: (path: string) => boolean): string | undefined {
  const [path = '', query = ''] = url.split('?', 2);
  if (has(path) || !/^\/docs(\/|$)/.test(path)) return undefined;
  const bare = path.replace(/\/$/, '').replace(/\/index(\.html)?$|(?<=[^/])\.html$/, '');
  const listed = withoutPage(new URLSearchParams(query).get('version') === 'v1' ? 'v1' : 'v2')[bare];
  return [bare, `${bare}/`, listed].find((each) => each !== undefined && has(each));
}

/** Where the pages of a folder without one of its own are listed, and where the calls are tried that were at `/docs/try`. */
const withoutPage = (version: 'v1' | 'v2'): Record<string, string> => ({
  '/docs/guides': '/docs/',
  '/docs/reference': '/docs/reference/v2/',
  '/docs/try': `/docs/reference/${version}/`,
});
