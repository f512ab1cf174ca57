import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeSite } from './pages.ts';

/** Writes the Markdown of the site, its sidebar, `llms.txt` and the feed of changes into `folder`, in place of what was there. */
export async function main(root: string, folder: string): Promise<void> {
  const { pages, sidebar, index, feed } = await makeSite(root);
  rmSync(folder, { recursive: true, force: true });
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [path, text] of pages) write(`${path}.md`, text);
  write('sidebar.json', JSON.stringify(sidebar));
  write('llms.txt', index);
  write('changelog.xml', feed);
}
