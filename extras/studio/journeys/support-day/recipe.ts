import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';

/** Where a recipe is carried out. */
export type Where = 'the desk' | 'the command line' | 'Studio';

/** A recipe of the admin's guide. */
export interface Recipe {
  title: string;
  where: Where;
  /** Why it is not at the desk; empty where it is. */
  why: string;
  /** The numbered steps. */
  steps: readonly string[];
  text: string;
}

const guide = readFileSync(join(repositoryRoot, 'docs/admin.md'), 'utf8');

/** The groups of recipes, in the order of the guide. */
export const groups = [
  'Orders',
  'Stock',
  'Menu and prices',
  'Money',
  'Webhooks and keys',
  'Persons and privacy',
  'The service',
] as const;

/** The recipes of a group. Throws {Error} where one does not say where it is carried out. */
export function recipesOf(group: (typeof groups)[number]): Recipe[] {
  const [, section = ''] = guide.split(`\n## ${group}\n`);
  const [own = ''] = section.split('\n## ');
  return own.split('\n### ').slice(1).map(read);
}

function read(text: string): Recipe {
  const [title = ''] = text.split('\n', 1);
  const [, where, why = ''] =
    /^(?:At|In) (the desk|the command line|Studio)(?:, because (.+)\.$|\b)/m.exec(text) ?? [];
  if (where === undefined) throw new Error(`the recipe "${title}" does not say where it is carried out`);
  const steps = text.match(/^\d\. .+$/gm) ?? [];
  return { title, where: where as Where, why, steps, text };
}

/** Every recipe, in the order of the guide. */
export const supportRecipes: readonly Recipe[] = groups.flatMap(recipesOf);

/** The questions that the table of contents leads to, with their anchors. */
export const contents: readonly { title: string; anchor: string }[] = [
  ...(guide.split('\n## Questions\n')[1]?.split('\n## ')[0] ?? '').matchAll(
    /^ {2}- \[([^\]]+)\]\(#([^)]+)\)$/gm,
  ),
].map(([, title = '', anchor = '']) => ({ title, anchor }));

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');

/** The lines of the recipe's code that are for a shell, or its statements of SQL. */
export const codeOf = ({ text }: Recipe, language: 'sh' | 'sql' = 'sh'): string =>
  [...text.matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'))]
    .map(([, code = '']) => code.replaceAll(/^ {3}/gm, ''))
    .join('');
