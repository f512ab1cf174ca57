import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Served } from '../../packages/api/src/documents/served.ts';
import { siteServers } from '../../packages/api/src/documents/site-files.ts';
import { waitFor } from '../support/wait.ts';

const folder = mkdtempSync(join(tmpdir(), 'comanda-site-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const link = join(folder, 'site');
const plain = async () =>
  new Map<string, Served>([['/docs/plain', { type: 'text/plain', make: () => 'here' }]]);

test('plain pages are served until a site is built, then each build that takes its place', async () => {
  const servers = siteServers(link, plain);
  const serves = (...paths: string[]) =>
    waitFor(paths.join(), async () => [...(await servers()).byPath.keys()].sort().join() === paths.join());
  await serves('/docs/plain');
  publish('one');
  await serves('/docs/', '/docs/only-one');
  expect((await servers()).lost).toBeDefined();
  publish('two');
  await serves('/docs/', '/docs/only-two');
  rmSync(link);
  await serves('/docs/plain');
});

test('pages that could not be made are made by the next request', async () => {
  let asked = 0;
  const servers = siteServers(join(folder, 'never'), async () => {
    asked += 1;
    if (asked === 1) throw new Error('no guides');
    return plain();
  });
  await expect(servers()).rejects.toThrow('no guides');
  expect([...(await servers()).byPath.keys()]).toEqual(['/docs/plain']);
  await servers();
  expect(asked).toBe(2);
});

/** Puts a build where the link leads, in one step, as the build of the site does. */
function publish(name: string): void {
  mkdirSync(join(folder, name));
  for (const page of ['index', '404', `only-${name}`])
    writeFileSync(join(folder, name, `${page}.html`), `<!doctype html><title>${page} of ${name}</title>`);
  symlinkSync(name, `${link}.new`);
  renameSync(`${link}.new`, link);
}
