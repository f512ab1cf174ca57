import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import express from 'express';
import { methodNotAllowed } from '../errors.ts';
import { serverOf } from './served.ts';

/**
 * Serves the in-house app: its page at `/app` and at every address below it, what the page loads at `/app/assets/`. The
 * list is read once: no path of a request reaches the disk. None of it is an API call.
 * @throws {Error} where the app was not built.
 */
export function appRoutes(folder = join(repositoryRoot, 'dist/app')): express.Router {
  if (!existsSync(join(folder, 'index.html')))
    throw new Error('dist/app is not there: npm run build makes it, or set APP=off');
  const assets = new Map(
    readdirSync(join(folder, 'assets')).flatMap((name) => {
      const type = types[name.slice(name.lastIndexOf('.'))];
      const make = () => readFileSync(join(folder, 'assets', name));
      return type === undefined ? [] : [[`/app/assets/${name}`, serverOf({ type, immutable: true, make })]];
    }),
  );
  const page = serverOf({
    type: 'text/html; charset=utf-8',
    showsPictures: true,
    make: () => readFileSync(join(folder, 'index.html')),
  });
  const routes = express.Router({ caseSensitive: true });
  routes.use((request, response, next) => {
    const { method, path } = request;
    if (path !== '/app' && !path.startsWith('/app/')) return next();
    const serve = path.startsWith('/app/assets/') ? assets.get(path) : page;
    if (serve === undefined) return next();
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, 'GET, HEAD');
    return serve(request, response);
  });
  return routes;
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
