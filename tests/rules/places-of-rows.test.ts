import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/**
 * Files with a statement that locks a row and changes it by the place (ctid) that the lock found. Under READ COMMITTED a row that another
 * transaction changed while the lock was waited for has a place that the statement's snapshot does not show: the change is left out.
 * Each states why nothing is lost.
 */
const leavesOut: Readonly<Record<string, string>> = {
  'packages/api/src/resources/bulk/writes.statements.ts':
    'rows were locked by an earlier statement of the transaction; links are never updated',
  'packages/worker/src/deliveries/clearing.ts':
    'locked rows are skipped until a later run (docs/design/database.md, "Plans")',
  'packages/worker/src/deliveries/record.statements.ts': 'the recorder asks again for what was not recorded',
  'packages/worker/src/deliveries/statements.ts':
    'a delivery that is changed meanwhile is recorded, dropped or sent again: it is no claim any more',
  'prisma/sql/declaring.sql': 'the next call removes ended declarations',
  'prisma/sql/webhooks.sql': 'what is due stays due, and the next claim finds it',
};

it('a change is not left out because its row was changed at that moment', () => {
  const files = ['packages', 'prisma/sql'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(
        (name) => /\.(ts|sql)$/.test(name) && !/node_modules|generated|\bdist\b|db\/src\/made/.test(name),
      )
      .map((name) => `${folder}/${name}`),
  );
  expect(files.length).toBeGreaterThan(500);
  const byPlace = files.filter((file) => texts(file).some(locksAndChangesByPlace)).sort();
  expect(byPlace).toEqual(Object.keys(leavesOut));
});

/** SQL statement by statement; of TypeScript the whole file, since its statements are put together from parts. Generated code is read as SQL. */
function texts(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return file.endsWith('.sql') ? text.replaceAll(/--.*$/gm, '').split(';') : [text];
}

const locks = /\bfor (no key )?update\b/gi;
const locksAndChangesByPlace = (text: string): boolean =>
  text.includes('ctid') &&
  text.search(locks) !== -1 &&
  /\bupdate [a-z]|\bdelete from\b/i.test(text.replaceAll(locks, ''));
