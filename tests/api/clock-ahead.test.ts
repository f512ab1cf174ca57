import { afterEach, expect, test, vi } from 'vitest';
import { useApi } from '../support/api.ts';
import { idOf, nextOf } from '../support/changes.ts';

const api = useApi();

afterEach(() => {
  vi.useRealTimers();
});

const lists = ['/v2/products', '/v2/stock'];
const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

/** Begins to read a list from a moment on, then changes a product, then reads on; what the first answer says of the moment. */
async function readAcross(list: string, since: string): Promise<string | null> {
  const id = await api.make.product({ stock: { quantity: 5 } });
  const first = await api.rest(`GET ${list}?limit=200&updated_since=${encodeURIComponent(since)}`);
  expect(first.status, first.text).toBe(200);
  const renamed = await api.rest(`PATCH /v2/products/${id}`, { body: { name: `Tea ${id}` } });
  expect(renamed.status, renamed.text).toBe(200);
  const { body } = await api.rest<{ data: Record<string, unknown>[] }>(`GET ${nextOf(first)}`);
  expect(body.data.map(idOf)).toContain(id);
  return first.headers.get('x-read-as-now');
}

test.each(lists)('who is 20 seconds ahead misses no change of %s', async (list) => {
  expect(await readAcross(list, secondsFromNow(20))).toMatch(/^updated_since=/);
});

test.each(lists)('nor does who agrees with a process that is ahead of the database: %s', async (list) => {
  const since = secondsFromNow(100);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 });
  expect(await readAcross(list, since)).toBeNull();
});

test('the link to the next page has the cursor in place of the moment', async () => {
  const first = await api.rest(`GET /v2/products?updated_since=${encodeURIComponent(secondsFromNow(20))}`);
  expect(nextOf(first)).not.toContain('updated_since');
  const next = await api.rest(`GET ${nextOf(first)}`);
  expect([next.status, next.headers.get('x-read-as-now')]).toEqual([200, null]);
});

test('each call of a batch has its own moment', async () => {
  const input = { 0: { updated_since: secondsFromNow(20) }, 1: { since: secondsFromNow(30) } };
  const path = `/trpc/products.list,events.list?batch=1&input=${encodeURIComponent(JSON.stringify(input))}`;
  const { status, headers } = await api.rest(`GET ${path}`);
  expect(status).toBe(200);
  const names = headers
    .get('x-read-as-now')
    ?.split(', ')
    .map((pair) => pair.split('=')[0]);
  expect(names?.sort()).toEqual(['since', 'updated_since']);
});

test('a replay that is refused is done by the same key once the clock is set', async () => {
  const endpoint = { url: 'https://erp.example/hooks', events: ['order.created'] };
  const made = await api.rest<{ data: { id: string } }>('POST /v2/webhook-endpoints', { body: endpoint });
  const replay = (seconds: number) =>
    api.rest(`POST /v2/webhook-endpoints/${made.body.data.id}/replay`, {
      body: { since: secondsFromNow(seconds) },
      headers: { 'idempotency-key': 'clock' },
    });
  expect((await replay(301)).headers.get('x-error-reason')).toBe('clock_ahead');
  expect((await replay(20)).status).toBe(202);
});
