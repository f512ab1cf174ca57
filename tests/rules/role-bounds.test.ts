import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { boundedRoles, mostLocks, repositoryRoot, roleBounds, wardenLooks } from '@comanda/db';
import { expect, test } from 'vitest';

const operations = readFileSync(join(repositoryRoot, 'docs/operations/roles.md'), 'utf8');
const shown = new Map(
  [...operations.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| [^|]+ \|$/gm)].map(
    ([, bound, admin, reader]) => [bound, { admin, reader }],
  ),
);

const each = (text: (bounds: (typeof roleBounds)['admin']) => string) =>
  Object.fromEntries(boundedRoles.map((role) => [role, text(roleBounds[role])]));

test.each([
  ['sessions at once', each(({ connections }) => `${connections}`)],
  ['temporary files of a session', each(({ temporaryFiles }) => `${temporaryFiles} GB`)],
  ['only reads', each(({ readOnly }) => (readOnly ? 'yes' : 'no'))],
  ['waits for a lock', each(({ lockWait }) => `${lockWait} s`)],
  ['the service waits for a lock that it holds', each(() => `${wardenLooks.waitMs / 1_000} s`)],
  ['a statement runs', each(({ statement }) => `${statement} s`)],
  ['a transaction lies idle', each(({ idleInTransaction }) => `${idleInTransaction} s`)],
  ['a transaction is open', each(({ transaction }) => `${transaction} s`)],
  ['an advisory lock is held', each(({ advisoryLock }) => `${advisoryLock} s`)],
  ['locks at once', each(() => mostLocks.toLocaleString('en'))],
])('docs/operations/roles.md has the bound of both roles: %s', (bound, limits) => {
  expect(shown.get(bound)).toEqual(limits);
});
