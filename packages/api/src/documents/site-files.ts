import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import type { Served } from './served.ts';

/**
 * Every file of the documents' site, by the path it is served at: `/docs/guides/orders` for `guides/orders.html`,
 * `/docs/guides/orders.md`, `/docs/assets/…`, `/llms.txt`. The list is read once: no path of a request reaches the disk.
 */
export function siteFiles(folder = join(repositoryRoot, 'docs/site/built')): Map<string, Served> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file): [string, Served] => {
        const name = file.slice(folder.length + 1);
        const type = types[name.slice(name.lastIndexOf('.'))];
        if (type === undefined) throw new Error(`docs/site/built/${name}: no media type is known for it`);
        return [
          addressOf(name),
          { type, immutable: name.startsWith('assets/'), make: () => readFileSync(file) },
        ];
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

function addressOf(name: string): string {
  if (name === 'llms.txt') return '/llms.txt';
  return `/docs/${name.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '')}`;
}
