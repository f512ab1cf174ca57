import { repositoryRoot } from '@comanda/db';
import express from 'express';
import type { Deprecations } from '../deprecations.ts';
import { methodNotAllowed } from '../errors.ts';
import type { App } from '../request/context.ts';
import type { AppRouter } from '../router.ts';
import { meantAddress } from './addresses.ts';
import { downloads } from './downloads.ts';
import { openApiDocument } from './openapi.ts';
import { type Served, serverOf } from './served.ts';
import { plainSite } from './site/plain-site.ts';
import { builtSite } from './site-files.ts';
import { type SiteServers, siteServers } from './site-servers.ts';
import { webhookAddresses } from './webhook-addresses.ts';

/**
 * Serves the documents: the site at `/docs/`, `/openapi-v1.json`, `/openapi-v2.json`,
 * `/llms.txt`, what integrators download, the addresses that webhooks come from; a browser is led there from `/`, and gets a page where it is lost. None of them
 * is an API call: no credential, no envelope, no limit. Contract: documents.
 * @param siteFolder of the built site; plain pages are served while it is not there
 */
export function documentRoutes(
  router: AppRouter,
  { deprecations, webhookSourceAddresses }: Pick<App, 'deprecations' | 'webhookSourceAddresses'>,
  siteFolder = builtSite,
): express.Router {
  const others = [
    ...downloads(),
    ...webhookAddresses(webhookSourceAddresses),
    ...documents(router, deprecations),
  ];
  const fixed = new Map(others.map(([path, each]) => [path, serverOf(each)]));
  const site = siteServers(siteFolder, () => plainSite(repositoryRoot));
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

const none: SiteServers = { byPath: new Map() };

function documents(router: AppRouter, deprecations: Deprecations): [string, Served][] {
  return (['v1', 'v2'] as const).map((version) => [
    `/openapi-${version}.json`,
    {
      type: 'application/json; charset=utf-8',
      make: async () => JSON.stringify(await openApiDocument(router, version, deprecations), null, 2),
    },
  ]);
}
