import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { copyTree } from '../../scripts/recipes/copy.mjs';
import { childrenOf, runsBundle } from '../soak/process-tree.ts';
import { waitFor } from '../support/wait.ts';
import { finish, serving, startRun, unusedPort } from './run.ts';

// The bundler and what the demo data loads once stayed as long as the service ran.
it('npm start that has built and made demo data keeps API, worker and PostgreSQL alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'comanda-rest-'));
  onTestFinished(() => rmSync(folder, { recursive: true, maxRetries: 5 }));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(folder, 0o711);
  copyTree(repositoryRoot, folder);
  // Where a suite has installed it, the site is built for a while.
  rmSync(join(folder, 'extras/site/generator/node_modules'), { recursive: true, force: true });
  const run = startRun({
    root: folder,
    dataDir: join(folder, 'data'),
    port: await unusedPort(),
    env: { SEED_DEMO: 'true' },
  });
  await serving(run);
  expect(run.output()).toMatch(/Demo key {2}cmd_live_\w+/);
  const started = () => childrenOf(run.process.pid ?? 0);
  const names = ['api', 'worker'];
  const others = () => started().filter((pid) => !names.some((name) => runsBundle(pid, name)));
  // It looks for a generator of the site a moment after the start, and says so; PostgreSQL is no child of the start.
  await waitFor('the look', () => run.output().includes('/docs shows plain pages'), { timeoutMs: 60_000 });
  await waitFor('nothing else to run', () => others().length === 0);
  expect(started()).toHaveLength(names.length);
  expect(await finish(run, 'SIGTERM')).toBe(0);
}, 240_000);
