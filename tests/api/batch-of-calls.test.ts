import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { useApi } from '../support/api.ts';
import { openHand } from '../support/by-hand.ts';
import { waitFor } from '../support/wait.ts';

const api = useApi();

/** The names of the sessions that wait for a lock on a table that another session holds. */
const waiting = async (): Promise<string[]> => {
  // Not by the hand that holds the lock: a transaction sees the sessions as they were when it first looked.
  const rows = await api.sql<{ name: string }>`select application_name as name from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return rows.map(({ name }) => name);
};

/** Holds a lock on a table during `work`, and returns the sessions that waited for it. */
async function whileLocked(table: string, work: () => Promise<Response>): Promise<[string[], Response]> {
  const hand = await openHand(api.databaseUrl);
  onTestFinished(() => hand.close());
  await hand.sql('begin');
  await hand.sql(`lock table ${table}`);
  const answer = work();
  await waitFor('a session to wait', async () => (await waiting()).length > 0);
  await setTimeout(200);
  const seen = await waiting();
  await hand.sql('commit');
  return [seen, await answer];
}

const post = (path: string, body: unknown) =>
  fetch(`${api.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api.token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(body),
  });

it('ten calls in one request take one place of the database, not ten', async () => {
  const calls = Array.from({ length: 10 }, (_, at) => [at, { limit: 2, offset: at }]);
  const [seen, answer] = await whileLocked('products', () =>
    post(`/trpc/${calls.map(() => 'products.list').join(',')}?batch=1`, Object.fromEntries(calls)),
  );
  expect(seen).toHaveLength(1);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toHaveLength(10);
});

it('a catalog sync is performed in the thread for large bodies however small it is, as it may replace a large catalog', async () => {
  const sync = () =>
    whileLocked('categories', () =>
      post('/v2/catalog/sync', { mode: 'replace', categories: [{ external_id: 'c', name: 'C' }] }),
    );
  // The first does not wait until the thread has started.
  expect((await sync())[0]).toEqual([expect.not.stringContaining('large')]);
  await expect.poll(() => api.app.large?.isReady(), { timeout: 20_000 }).toBe(true);
  const [seen, answer] = await sync();
  expect(seen).toEqual([expect.stringContaining('large')]);
  expect(answer.status).toBe(200);
});
