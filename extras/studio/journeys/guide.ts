import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';

const text = readFileSync(join(repositoryRoot, 'docs/admin.md'), 'utf8');

const [, inStudio = ''] = text.split('\n## Recipes in Studio\n');

/** The names of the recipes of the admin's guide that are for Studio, in their order. */
export const recipes = [...(inStudio.split('\n## ')[0] ?? '').matchAll(/^### (.+)$/gm)].map(
  ([, name = '']) => name,
);

/** The address of the first link, or of the one with such words, below a heading: `#schema=…`. */
export function linkOf(heading: string, words = ''): string {
  const [, section = ''] = text.split(`\n### ${heading}\n`);
  const links = [
    ...(section.split('\n#')[0] ?? '').matchAll(/\[([^\]]+)\]\(http:\/\/127\.0\.0\.1:5555\/(#[^)]+)\)/g),
  ];
  const hash = links.find(([, label = '']) => label.includes(words))?.[2];
  if (hash === undefined) throw new Error(`the guide has no link "${words}" below "${heading}"`);
  return hash;
}

/** Every address of Studio in the guide. */
export const links = [...text.matchAll(/\(http:\/\/127\.0\.0\.1:5555\/(#[^)]+)\)/g)].map(
  ([, hash = '']) => hash,
);

/** The refused actions, and their sentences up to the first …, as the guide's table has them. */
export const refusals = [...text.matchAll(/^\| (to .+?) \| (.+?) \|$/gm)].map(
  ([, what = '', sentence = '']) => ({ what, sentence: sentence.split('…')[0] ?? '' }),
);
