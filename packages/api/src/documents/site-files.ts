import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import type { Served } from './served.ts';

/** Where `npm run site` puts the built site: a link to the folder of the newest build; in a package the folder itself. */
export const builtSite = join(repositoryRoot, 'dist/site');

/** The folder that holds the site at the moment, `undefined` while there is none. Each build has a folder of its own. */
export function currentSite(folder: string): string | undefined {
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
