import { type ComandaClient, comandaError, createClient, type RetrySeen } from '@comanda/client';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type DatabaseClock, putClock } from '../faults/clock/database-clock.ts';
import { useApi } from '../support/api.ts';
import { waitFor } from '../support/wait.ts';

vi.setConfig({ testTimeout: 60_000 });

const api = useApi();
let id: string;
let clock: DatabaseClock;
beforeAll(async () => {
  clock = await putClock(api.databaseUrl);
  await waitFor('a connection', () => api.app.database.pool.query('select 1'));
  id = await api.make.product({ name: 'Flat White', price: 12.5 });
});
// No minute of the service ends within a test.
beforeEach(async () =>
  clock.set(new Date(Math.ceil(Number(await clock.now()) / 60_000) * 60_000).toISOString()),
);

/**
 * A client whose minute ends `seconds` after it is used up: a key with requests of its own is taken then. The answers are those of
 * the service, except the seconds to wait.
 */
async function limited(perMinute: number, seconds: number, timeoutMs?: number) {
  const keys: string[] = [];
  for (let window = 0; window < 6; window++) keys.push((await api.make.key({ perMinute })).key);
  const refused: number[] = [];
  const retries: RetrySeen[] = [];
  let window = 0;
  let endsAt = Number.POSITIVE_INFINITY;
  const send: typeof fetch = async (url, init) => {
    if (performance.now() >= endsAt) {
      window += 1;
      endsAt = Number.POSITIVE_INFINITY;
    }
    const sentIn = window;
    const headers = { ...(init?.headers as object), authorization: `Bearer ${keys[sentIn]}` };
    const answer = await fetch(url, { ...init, headers });
    if (answer.status !== 429) return answer;
    refused.push(sentIn);
    endsAt = Math.min(endsAt, performance.now() + seconds * 1_000);
    const text = (await answer.text()).replace(/("retryAfterSeconds":)\d+/, `$1${seconds}`);
    return new Response(text, answer);
  };
  const key = keys[0] ?? expect.fail();
  const comanda = createClient({
    url: api.url,
    key,
    waitForLimits: true,
    fetch: send,
    timeoutMs,
    onRetry: (retry) => retries.push(retry),
  });
  return { comanda, refused, retries };
}

const make = (comanda: ComandaClient, name: string) =>
  comanda.products.create.mutate({ name, description: '', price: 1 });

describe('a client that waits for its limits', () => {
  it('ends a loop of more calls than a minute has, with one refusal a minute at most', async () => {
    const { comanda, refused, retries } = await limited(12, 6, 5_900);
    for (let index = 0; index < 20; index++) await comanda.products.get.query({ id });
    expect(refused).toEqual([0]);
    expect(retries.map(({ attempt, waitMs }) => [attempt, waitMs >= 6_000])).toEqual([[1, true]]);
    expect(comandaError(retries[0]?.error)?.reason).toBe('minute_limit');
  });

  it('makes everything that is begun at once, without a storm of refusals', async () => {
    const { comanda, refused } = await limited(8, 1);
    const names = Array.from({ length: 30 }, (_, index) => `at once ${index}`);
    const made = await Promise.all(names.map((name) => make(comanda, name)));
    expect(made.map(({ name }) => name)).toEqual(names);
    // Three minutes are used up. Every call would be refused once and again without the wait.
    expect(refused.length).toBeGreaterThanOrEqual(3);
    expect(refused.length).toBeLessThanOrEqual(6);
  });

  it('lets go at the signal of a call, and the next one takes its place', async () => {
    const { comanda } = await limited(8, 1);
    const ending = new AbortController();
    const given = [1, 2, 3].map(() => comanda.products.get.query({ id }, { signal: ending.signal }));
    const others = [1, 2, 3].map(() => comanda.products.get.query({ id }));
    ending.abort();
    const all = await Promise.allSettled([...given, ...others]);
    expect(all.map(({ status }) => status)).toEqual([
      ...Array(3).fill('rejected'),
      ...Array(3).fill('fulfilled'),
    ]);
  });

  it('does not wait for the next month', async () => {
    // Before its last hour, which would be waited for.
    const middle = new Date(Number(await clock.now()));
    middle.setUTCMonth(middle.getUTCMonth() + 1, 15);
    await clock.set(middle.toISOString());
    const { key } = await api.make.key({ monthly: 1 });
    const comanda = createClient({ url: api.url, key, waitForLimits: true });
    await comanda.products.get.query({ id });
    const error: unknown = await comanda.products.get.query({ id }).catch((thrown) => thrown);
    expect(comandaError(error)?.reason).toBe('month_limit');
  });
});
