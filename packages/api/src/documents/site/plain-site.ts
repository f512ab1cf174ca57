import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Served } from '../served.ts';
import { addressOf, typeOf } from '../site-files.ts';
import { makeSite, type Sidebar } from './pages.ts';
import { plainPage } from './plain-page.ts';
import { plainStyle } from './plain-style.ts';

/**
 * The documents by the paths they are served at, without their generator: every page as HTML without script and as Markdown, `llms.txt`,
 * the feed of changes and the Postman collections. Made of the sources below `root` (docs/guides, CHANGELOG.md), and of the tables of the code.
 * @throws {Error} where the sources are not there, as in a package.
 */
export async function plainSite(root: string): Promise<Map<string, Served>> {
  const { plain, descriptions, sidebar, index, feed, collections } = await makeSite(root);
  const page = (path: string, markdown: string) =>
    plainPage({
      path,
      markdown,
      description: descriptions[path] ?? '',
      sections: sectionsFor(path, sidebar),
    });
  const files: [name: string, make: Served['make']][] = [
    ...[...plain].flatMap(([path, text]): [string, Served['make']][] => [
      [`${path}.html`, () => page(path, text)],
      [`${path}.md`, () => text],
    ]),
    ['404.html', () => page('404', lost)],
    ['plain.css', () => plainStyle],
    ['icon.svg', () => readFileSync(join(root, 'docs/site/icon.svg'))],
    ['llms.txt', () => index],
    ['changelog.xml', () => feed],
    ...[...collections].map(([name, text]): [string, Served['make']] => [name, () => text]),
  ];
  return new Map(files.map(([name, make]) => [addressOf(name), { type: typeOf(name), make }]));
}

/** The longest beginning that has a list: `/` has one. */
function sectionsFor(path: string, sidebar: Sidebar): Sidebar[string] {
  const beginnings = Object.keys(sidebar).filter((each) => `/${path}`.startsWith(each));
  return sidebar[beginnings.sort((one, other) => other.length - one.length)[0] ?? '/'] ?? [];
}

const lost = `# Page not found

The documents have no page at this address.

[Overview](/docs/), [quick start](/docs/guides/quick-start), [API reference](/docs/reference/v2/), [errors](/docs/errors)
`;
