import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { runComanda } from '../support/command.ts';

// Prisma was a third of the time that a command takes to start.
test('no command loads Prisma, and only what migrates the queue loads that', {
  timeout: 120_000,
}, async () => {
  // It builds what has changed.
  expect((await runComanda({}, '--help')).code).toBe(0);
  const dist = join(repositoryRoot, 'dist');
  const texts = readdirSync(dist)
    .filter((name) => /^comanda(-[A-Z0-9]+)?\.js$/.test(name))
    .map((name) => readFileSync(join(dist, name), 'utf8'));
  const loading = (name: string) =>
    texts.filter((text) => new RegExp(`^(import .*|} from )"${name}[/"]`, 'm').test(text)).length;
  expect(loading('@prisma')).toBe(0);
  expect(loading('graphile-worker')).toBe(1);
  expect(loading('pg')).toBeGreaterThan(0);
});
