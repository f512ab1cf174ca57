import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import express from 'express';
import type { Deprecations } from '../deprecations.ts';
import { ApiError } from '../errors.ts';
import type { App } from '../request/context.ts';
import type { AppRouter } from '../router.ts';
import { downloads } from './downloads.ts';
import { openApiDocument } from './openapi.ts';
import { pageAssets, pageHtml, pageScript, pageStyle } from './page.ts';
import { type Served, serverOf } from './served.ts';
import { siteFiles } from './site-files.ts';
import { webhookAddresses } from './webhook-addresses.ts';

/**
 * Serves the documents: the site at `/docs/`, Swagger UI at `/docs/try`, `/openapi-v1.json`, `/openapi-v2.json`,
 * `/llms.txt`, what integrators download, the addresses that webhooks come from; a browser is led there from `/`. None of them is an API call: no credential, no
 * envelope, no limit. Contract: documents.
 */
export function documentRoutes(
  router: AppRouter,
  { deprecations, webhookSourceAddresses }: Pick<App, 'deprecations' | 'webhookSourceAddresses'>,
): express.Router {
  const served = new Map([
    ...siteFiles(),
    ...swagger(),
    ...downloads,
    ...webhookAddresses(webhookSourceAddresses),
    ...documents(router, deprecations),
  ]);
  const servers = new Map([...served].map(([path, each]) => [path, serverOf(each)]));
  const routes = express.Router({ caseSensitive: true });
  routes.use(async (request, response, next) => {
    const { method, path } = request;
    const serve = servers.get(path);
    const elsewhere = servers.has(`${path}/`) ? `${path}/` : toDocs(request) ? '/docs/' : undefined;
    if (serve === undefined && elsewhere === undefined) return next();
    if (method !== 'GET' && method !== 'HEAD') {
      throw new ApiError('method_not_allowed', `${method} is not allowed here.`, {
        headers: { Allow: 'GET, HEAD' },
      });
    }
    // Public, and no key is in them: pages of any origin may read them, and nothing else of ours.
    if (/^\/(docs\/|openapi-)/.test(path)) response.set('Access-Control-Allow-Origin', '*');
    if (serve !== undefined) return serve(request, response);
    response.set({ 'Cache-Control': 'no-cache', Vary: 'Accept' }).redirect(302, elsewhere ?? '/docs/');
  });
  return routes;
}

/** A person has typed the base address; what asks for JSON gets the error that it knows. */
const toDocs = ({ method, path, headers }: express.Request): boolean =>
  path === '/' && /^(GET|HEAD)$/.test(method) && (headers.accept ?? '').includes('text/html');

function documents(router: AppRouter, deprecations: Deprecations): [string, Served][] {
  return (['v1', 'v2'] as const).map((version) => [
    `/openapi-${version}.json`,
    {
      type: 'application/json; charset=utf-8',
      make: async () => JSON.stringify(await openApiDocument(router, version, deprecations), null, 2),
    },
  ]);
}

function swagger(): [string, Served][] {
  return [
    ['/docs/try', { type: 'text/html; charset=utf-8', make: () => pageHtml }],
    ['/docs/init.js', { type: 'text/javascript; charset=utf-8', make: () => pageScript }],
    ['/docs/page.css', { type: 'text/css; charset=utf-8', make: () => pageStyle }],
    ...Object.entries(pageAssets).map(([name, type]): [string, Served] => [
      `/docs/${name}`,
      { type, make: () => readFileSync(join(assetFolder(), name)) },
    ]),
  ];
}

const assetFolder = () => dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
