import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tables } from '../../packages/db/src/tables/index.ts';
import { isAudited } from '../../packages/db/src/tables/table.ts';
import { operations } from '../support/documented.ts';

interface Known {
  sentences: Record<string, string>;
  tables: Record<string, unknown>;
}

// By a variable: the types of the app are those of a browser, and are checked apart.
const url = new URL('../../packages/app/src/desk/audit-texts.ts', import.meta.url).href;
const { auditTexts }: { auditTexts: Record<'en' | 'es', Known> } = await import(/* @vite-ignore */ url);

const resources = new URL('../../packages/api/src', import.meta.url).pathname;
const sources = readdirSync(resources, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(resources, file), 'utf8'));

/** What is recorded by name: the names of operations in the files that write entries. */
const recorded = sources
  .filter((text) => /\baudit(As)?\(/.test(text))
  .flatMap((text) => [...text.matchAll(/'([a-z]\w+\.[a-z]\w+)'/gi)].map(([, name = '']) => name));

/** Operations whose names are put together, or passed on by the caller of the file that writes the entry. */
const passedOn = operations
  .filter(({ kind }) => kind === 'mutation')
  .map(({ name }) => name)
  .filter((name) => /^(subselections|subselectionItems|locations|keys|menus|turns)\./.test(name));

test.each(['en', 'es'] as const)(
  'every recorded operation has a sentence, every table its name: %s',
  (language) => {
    const { sentences, tables: names } = auditTexts[language];
    expect(recorded).toEqual(expect.arrayContaining(['turns.close', 'keys.rotate', 'locations.move']));
    expect(passedOn).toEqual(expect.arrayContaining(['subselections.create', 'locations.pause']));
    const wanted = new Set([...recorded, ...passedOn]);
    expect([...wanted].filter((name) => sentences[name] === undefined)).toEqual([]);
    expect(
      tables
        .filter(isAudited)
        .map(({ name }) => name)
        .filter((name) => names[name] === undefined),
    ).toEqual([]);
    expect(Object.values(sentences).filter((text) => !text.startsWith('{who} '))).toEqual([]);
  },
);
