import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import type { Request, Response } from 'express';
import { type Served, serverOf } from './served.ts';

/** Where `npm run site` puts the built site: a link to the folder of the newest build; in a package the folder itself. */
export const builtSite = join(repositoryRoot, 'dist/site');

/** The folder that holds the site at the moment, `undefined` while there is none. Each build has a folder of its own. */
function currentSite(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}

/**
 * Every file of a built site, by the path it is served at: `/docs/guides/orders` for `guides/orders.html`,
 * `/docs/guides/orders.md`, `/docs/assets/…`, `/llms.txt`. The list is read once: no path of a request reaches the disk.
 */
export function siteFiles(folder: string): Map<string, Served> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file): [string, Served] => {
        const name = file.slice(folder.length + 1);
        const immutable = name.startsWith('assets/');
        return [addressOf(name), { type: typeOf(name), immutable, make: () => readFileSync(file) }];
      }),
  );
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.xml': 'application/atom+xml; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The media type of a file of the site. Throws for an ending that has none. */
export function typeOf(name: string): string {
  const type = types[name.slice(name.lastIndexOf('.'))];
  if (type === undefined)
    throw new Error(`${name}, a file of the documents' site: no media type is known for it`);
  return type;
}

/** The path that a file of the site is served at. */
export function addressOf(name: string): string {
  if (name === 'llms.txt') return '/llms.txt';
  return `/docs/${name.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '')}`;
}

type Serve = (request: Request, response: Response) => Promise<void>;

/** The pages of the documents as they are at the moment. */
export interface SiteServers {
  /** Every file, by the path that it is served at. */
  files: ReadonlyMap<string, Served>;
  /** By the path of a request. */
  byPath: ReadonlyMap<string, Serve>;
  /** The page that a browser gets with a 404. */
  lost?: Serve;
}

/** How often it is looked whether there is a newer build. */
const lookMs = 1_000;

/**
 * Gives the pages of the site that is in `folder`, and `makePlain`'s while none is built. A site that is built meanwhile is served from
 * the next second on. A build is read when it is first asked for; before that it costs nothing.
 */
export function siteServers(
  folder: string,
  makePlain: () => Promise<Map<string, Served>>,
): () => Promise<SiteServers> {
  let known: { build: string | undefined; servers: Promise<SiteServers> } | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (known !== undefined && now - lookedAt < lookMs) return known.servers;
    lookedAt = now;
    const build = currentSite(folder);
    if (known !== undefined && known.build === build) return known.servers;
    const read = build === undefined ? makePlain() : Promise.resolve(siteFiles(build));
    const servers = read.then(serversOf);
    known = { build, servers };
    // A failed start is tried again by the next request.
    servers.catch(() => {
      if (known?.servers === servers) known = undefined;
    });
    return servers;
  };
}

const lostPage = '/docs/404';

function serversOf(files: Map<string, Served>): SiteServers {
  const lost = files.get(lostPage);
  const others = [...files].filter(([path]) => path !== lostPage);
  return {
    files,
    byPath: new Map(others.map(([path, each]) => [path, serverOf(each)])),
    ...(lost && { lost: serverOf(lost, 404) }),
  };
}
