import { webhookAddresses } from '../../packages/api/src/documents/routes.ts';
import type { Served } from '../../packages/api/src/documents/served.ts';

/** Paths that are served next to the site, and may be linked to. */
const beside = [...webhookAddresses([]).map(([path]) => path), '/openapi-v1.json', '/openapi-v2.json'];

/** The pages among the files of the documents, as HTML by the path they are served at. */
export async function htmlPages(served: ReadonlyMap<string, Served>): Promise<Map<string, string>> {
  const pages = [...served].filter(([, { type }]) => type.startsWith('text/html'));
  const made = pages.map(async ([path, { make }]): Promise<[string, string]> => [path, String(await make())]);
  return new Map(await Promise.all(made));
}

/** Of the links on the page `from` those that lead to no page, or to no anchor of it; what other hosts have is not asked for. */
export function deadLinksOf({
  pages,
  served,
  from,
  links,
}: {
  pages: ReadonlyMap<string, string>;
  served: ReadonlyMap<string, Served>;
  from: string;
  links: readonly string[];
}): string[] {
  const isDead = (link: string): boolean => {
    const { origin, pathname, hash } = new URL(link.replaceAll('&amp;', '&'), `http://here${from}`);
    if (origin !== 'http://here') return false;
    if (!served.has(pathname)) return !beside.includes(pathname);
    const page = pathname.replace(/index\.md$/, '').replace(/\.md$/, '');
    return hash !== '' && !pages.get(page)?.includes(`id="${decodeURIComponent(hash.slice(1))}"`);
  };
  return links.filter(isDead).map((link) => `${from}: ${link}`);
}
