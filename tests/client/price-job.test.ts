import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { useApi } from '../support/api.ts';
import { waitFor } from '../support/wait.ts';
import { install, usePublished } from './outside.ts';

// The job of the client's README, as it is shown there, in a process that is killed in the middle and run again.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const api = useApi();
const folder = usePublished(install);
const count = 300;
const running = new Set<ReturnType<typeof spawn>>();

beforeAll(async () => {
  const readme = readFileSync(join(repositoryRoot, 'packages/client/README.md'), 'utf8');
  const [, job = ''] = /^### Jobs\n+```ts\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  const { url, key } = { url: api.url, key: api.key.key };
  const given = `const url = ${JSON.stringify(url)}; const key = ${JSON.stringify(key)};`;
  writeFileSync(join(folder, 'job.mjs'), `${given}\n${job}`);
  for (let n = 0; n < count; n += 10)
    await Promise.all(Array.from({ length: 10 }, () => api.make.product({ price: 10 })));
});
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

function run() {
  const child = spawn(process.execPath, ['job.mjs'], {
    cwd: folder,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  running.add(child);
  return child;
}

const priced = async (price: number) => {
  const rows = await api.sql<{ count: number }>(
    'select count(*)::int from products where location_id = $1 and price = $2',
    [api.locationId, price],
  );
  return rows[0]?.count ?? 0;
};

it('killed in the middle and run again, the job raises each price once', async () => {
  const killed = run();
  await waitFor('some prices', async () => (await priced(11)) >= 20, { timeoutMs: 60_000, intervalMs: 10 });
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  expect(await priced(10)).toBeGreaterThan(0);
  for (let n = 0; n < 2; n += 1) {
    const [code] = (await once(run(), 'exit')) as [number | null];
    expect(code).toBe(0);
    expect(await priced(11)).toBe(count);
  }
});
