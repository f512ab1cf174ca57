import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { useDownload } from './comanda-mjs.ts';
import { startFront } from './front.ts';

const api = usePublishingApi();
const rowsOfAll = 60;
const atOnce = 10;
const tool = useDownload(api, { maxItemsPerBatch: atOnce, batchJobsPerHour: 1_000 });

const range = Array.from({ length: rowsOfAll }, (_, index) => index);

/** Runs a push, and kills it when the service has done so many batches, the last of them without its answer. */
async function killedAfter(batches: number, words: readonly string[], path: string): Promise<void> {
  // A connection that is lost is tried once more at once, with the key of the call.
  const taken = new Set<unknown>();
  const front = await startFront(api.url, ({ method, url = '', headers }) => {
    if (method !== 'POST' || !url.startsWith(path)) return undefined;
    taken.add(headers['idempotency-key']);
    return taken.size < batches ? undefined : { drop: true };
  });
  const child = tool.start(words, { env: { COMANDA_URL: front.url } });
  await child.says(/connection closed without an answer; asking again/);
  expect((await child.stop('SIGKILL')).code).toBe(null);
  expect(taken.size).toBe(batches);
  await front.close();
}

test.each([1, 3, 6])(
  'stock that is adjusted is adjusted once, killed at batch %i and given again',
  async (batches) => {
    const name = `C${batches}`;
    for (const index of range)
      await api.make.product({ externalId: `${name}-${index}`, stock: { quantity: 100 } });
    const file = join(tool.folder, 'stock.csv');
    tool.save(
      'stock.csv',
      ['external_id;adjust', ...range.map((index) => `${name}-${index};${index + 1}`)].join('\n'),
    );
    const words = ['push', 'stock.csv', '--yes'];
    await killedAfter(batches, words, '/v2/stock/sync');
    const quantities = async () => {
      const { body } = await api.rest<{ data: { external_id: string; stock: { quantity: number } }[] }>(
        `GET /v2/products?limit=200&search=${name}-`,
      );
      const found = new Map(body.data.map(({ external_id, stock }) => [external_id, stock.quantity]));
      return range.map((index) => found.get(`${name}-${index}`));
    };
    const once = range.map((index) => 101 + index);
    expect(await quantities()).toEqual(once.map((value, index) => (index < batches * atOnce ? value : 100)));
    expect(await tool.run(words)).toMatchObject({
      code: 0,
      stdout: `60 rows pushed, ${batches * atOnce} of them before, from this same file: nothing was done again for these\n`,
    });
    expect(await quantities()).toEqual(once);
    expect((await tool.run(words)).stdout).toContain('60 of them before');
    expect(await quantities()).toEqual(once);
    // Written again it is a new delivery, even with the same contents.
    const { atimeMs, mtimeMs } = statSync(file);
    utimesSync(file, atimeMs / 1000, mtimeMs / 1000 + 60);
    expect((await tool.run(words)).stdout).toBe('60 rows pushed\n');
    expect(await quantities()).toEqual(once.map((value, index) => value + index + 1));
  },
);

test.each([2, 5])(
  'products are synced by one job for each part, killed at part %i and given again',
  async (batches) => {
    const jobs = () => api.prisma.syncJob.count();
    const before = await jobs();
    tool.save(
      'products.csv',
      ['external_id,name,price', ...range.map((index) => `P${batches}-${index},Tea,1.${index + 10}`)].join(
        '\n',
      ),
    );
    const words = ['push', 'products.csv', '--yes'];
    await killedAfter(batches, words, '/v2/sync/products');
    expect(await tool.run(words)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^60 rows pushed, /),
    });
    expect((await jobs()) - before).toBe(rowsOfAll / atOnce);
    const { body } = await api.rest<{ pagination: { total: number } }>(
      `GET /v2/products?search=P${batches}-`,
    );
    expect(body.pagination.total).toBe(rowsOfAll);
  },
);

test('a service that goes away in the middle is waited for, else the same command goes on', async () => {
  tool.save(
    'products.csv',
    ['external_id,name,price', ...range.map((index) => `W-${index},Tea,1`)].join('\n'),
  );
  let calls = 0;
  const front = await startFront(api.url, ({ method }) => {
    if (method !== 'POST') return undefined;
    calls += 1;
    if (calls === 2) return { status: 503, retryAfter: 1 };
    return calls === 4 ? { status: 429, retryAfter: 9_999 } : undefined;
  });
  const words = ['push', 'products.csv', '--yes'];
  const { code, stderr } = await tool.run(words, { env: { COMANDA_URL: front.url } });
  expect(code).toBe(1);
  expect(stderr).toContain('asking again in 1 s');
  expect(stderr).toContain('give the same command again, and it goes on');
  expect(await tool.run(words, { env: { COMANDA_URL: front.url } })).toMatchObject({
    code: 0,
    stdout: '60 rows pushed, 20 of them before, from this same file: nothing was done again for these\n',
  });
  await front.close();
});
