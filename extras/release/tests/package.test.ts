import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownBuild } from '../../../packages/db/src/release/build.ts';
import { repositoryRoot } from '../../../packages/db/src/root.ts';
import { recordingInto, spansOf } from '../../../tests/start/spans.ts';
import { useConsumer } from '../../../tests/support/consumer.ts';
import { createEmptyDatabase, type TestDatabase } from '../../../tests/support/database.ts';
import { startProcess } from '../../../tests/support/processes.ts';
import { waitFor } from '../../../tests/support/wait.ts';

// Away from the repository, so that nothing of its node_modules can help.
const folder = mkdtempSync(join(tmpdir(), 'comanda-package-'));
const root = join(folder, 'comanda');
const spans = join(folder, 'spans.jsonl');
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const consumer = useConsumer();

let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
  await node(join(repositoryRoot, 'extras/release/package.mjs'), '--out', root);
  // The first package of a clone installs the generator of the documents, and builds their site.
}, 600_000);
afterAll(async () => {
  await database?.drop();
  makeWritable(root, 0o755);
  rmSync(folder, { recursive: true, force: true });
});

const environment = () => ({
  DATABASE_URL: database.url,
  ENCRYPTION_KEY: 'tests-need-no-secret-that-is-secret',
  WEBHOOK_TARGETS: 'any',
});

const node = (...argv: string[]) =>
  promisify(execFile)(process.execPath, argv, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...(database && environment()) },
  });
const comanda = async (...argv: string[]) => {
  const { stdout } = await node(join(root, 'dist', 'comanda.js'), ...argv, '--json');
  return JSON.parse(stdout);
};

it('is small, and names no package that would have to be installed', () => {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  expect(bytes).toBeLessThan(80 * 1024 ** 2);
  expect(readdirSync(root).sort()).toEqual(
    ['.comanda-package', 'CHANGELOG.md', 'LICENSE', 'dist', 'node_modules', 'package.json', 'prisma'].sort(),
  );
});

it('says which build it is', async () => {
  const build = ownBuild();
  expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).toMatchObject(build);
  expect(await comanda('--version')).toEqual(build);
});

it('brings a database up, serves, works, and delivers to a consumer, from a read-only folder', async () => {
  makeWritable(root, 0o555);
  const { done } = await comanda('migrate');
  expect(done.applied).toContain('20261122000000_baseline');
  expect((await comanda('migrate', '--status')).plan).toMatchObject({ migrations: [], objects: [] });
  const { id: locationId } = await comanda('locations', 'create', '--name', 'Packed');
  const { key } = await comanda(
    'keys',
    'create',
    '--name',
    'ERP',
    '--permissions',
    '*',
    '--location',
    locationId,
  );
  const [api] = await Promise.all([
    startProcess({ entry: 'api', env: { ...environment(), ...recordingInto(spans) }, root }),
    startProcess({ entry: 'worker', env: { ...environment(), ...recordingInto(spans) }, root }),
  ]);
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${api.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': path,
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const hook = await call('POST', '/v2/webhook-endpoints', {
    url: consumer.url,
    events: ['product.created'],
  });
  expect(hook.status, hook.text).toBe(201);
  const job = await call('POST', '/v2/sync/products', {
    mode: 'upsert',
    items: [{ external_id: 'P-1', name: 'Packed coffee', price: 3, visible: true }],
  });
  expect(job.status, job.text).toBe(202);
  await waitFor('a webhook', () => consumer.received.length > 0);
  expect(consumer.received[0]?.body).toMatchObject({ type: 'product.created' });
  // An SDK that is preloaded from elsewhere records what bundles do, and what a call began goes on in the worker.
  const recorded = await waitFor('the spans of it', () => {
    const found = spansOf(spans, traceId);
    const each = ['POST /v2/sync/products', 'sync-products', 'webhook'].map((name) =>
      found.find((span) => span.name === name),
    );
    return each.every((span) => span !== undefined) && each;
  });
  const [sent, , delivered] = recorded;
  expect(recorded.map((span) => span?.parent)).toEqual(['00f067aa0ba902b7', sent?.spanId, sent?.spanId]);
  expect(consumer.received[0]?.headers.traceparent).toBe(`00-${traceId}-${delivered?.spanId}-01`);
  for (const path of [
    '/docs/',
    '/docs/reference/v2/orders-create',
    '/docs/comanda.mjs',
    '/docs/comanda.py',
    '/docs/Comanda.java',
    '/docs/Comanda.cs',
    '/docs/comanda.php',
    '/openapi-v2.json',
    '/healthz',
  ])
    expect({ path, ...(await call('GET', path)) }).toMatchObject({ path, status: 200 });
}, 120_000);

it('replaces an older package, and nothing else', async () => {
  makeWritable(root, 0o755);
  await node(join(repositoryRoot, 'extras/release/package.mjs'), '--out', root);
  const refused = await node(join(repositoryRoot, 'extras/release/package.mjs'), '--out', folder).catch(
    (error: { stderr: string }) => error,
  );
  expect(refused.stderr).toMatch(/--out: .* is not one of our packages/);
}, 120_000);

function makeWritable(path: string, mode: number): void {
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), mode);
  chmodSync(path, mode);
}
