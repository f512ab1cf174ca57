import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeSite } from '@comanda/api/site-pages';

/**
 * Writes the generator's input into `pages`: the Markdown, the sidebar and the descriptions. Writes the files served
 * next to its HTML into `beside`: plain Markdown, `llms.txt`, the feed of changes and the collections. Both
 * folders lose their former content.
 */
export async function main(root: string, pages: string, beside: string): Promise<void> {
  const site = await makeSite(root);
  const named = (texts: Map<string, string>) =>
    [...texts].map(([path, text]) => [`${path}.md`, text] as const);
  write(pages, [
    ...named(site.pages),
    ['sidebar.json', JSON.stringify(site.sidebar)],
    ['descriptions.json', JSON.stringify(site.descriptions)],
  ]);
  write(beside, [
    ...named(site.plain),
    ['llms.txt', site.index],
    ['changelog.xml', site.feed],
    ...site.collections,
  ]);
}

function write(folder: string, files: readonly (readonly [name: string, text: string])[]): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
