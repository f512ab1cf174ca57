import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { expect, test } from 'vitest';
import { checkNames } from '../../packages/api/src/resources/certifications/schema.ts';
import { checks } from '../../packages/worker/src/certification/checks.ts';

test('the guide to certification names every check in its order, and the checks that it depends on', () => {
  const guide = readFileSync(join(repositoryRoot, 'docs/guides/certify.md'), 'utf8');
  const rows = [...guide.matchAll(/^\| `(\w+)` \|.* \| ([^|]*) \|$/gm)].map(([, name, leansOn]) => [
    name,
    leansOn,
  ]);
  const wanted = checkNames.map((name) => {
    const names = checks[name].leansOn.map((other) => `\`${other}\``);
    return [name, names.join(', ') || 'none'];
  });
  expect(rows.filter(([name]) => checkNames.some((known) => known === name))).toEqual(wanted);
});

test('the guide shows the report of a run that passed, with every check by its title', () => {
  const guide = readFileSync(join(repositoryRoot, 'docs/guides/certify.md'), 'utf8');
  for (const name of checkNames)
    expect(guide).toMatch(new RegExp(`^## ${checks[name].title}: (passed|does not apply)$`, 'm'));
});
