import { spawnSync } from 'node:child_process';
import { repositoryRoot } from '@comanda/db';
import { expect, test } from 'vitest';

test('the committed site is, byte for byte, what npm run site makes', { timeout: 300_000 }, () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/site.mjs', '--check'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
