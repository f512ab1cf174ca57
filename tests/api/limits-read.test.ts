import { openDatabase } from '@comanda/db';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Limits } from '../../packages/api/src/resources/limits/schema.ts';
import { dataOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import type { createKey } from '../support/factories.ts';
import { callerWith, standAt } from '../support/limits.ts';

const api = useApi();

async function kitchen(limits: Partial<Parameters<typeof createKey>[1]> = {}, timezone = 'UTC') {
  const { token: key } = await api.place({ location: { timezone }, key: { ...limits } });
  const read = async () => {
    const answer = await api.rest('GET /v2/limits', { key });
    return { headers: answer.headers, ...dataOf(answer, 200, Limits) };
  };
  return { key, read };
}

describe('GET /v2/limits answers 200', () => {
  test('what the key was granted and what it has left, this request counted', async () => {
    const limits = { perMinute: 1_000, monthly: 5_000, batchJobsPerHour: 9, maxItemsPerBatch: 70 };
    const { key, read } = await kitchen({ ...limits, permissions: ['orders:*', 'categories:read'] });
    await api.rest('GET /v2/categories', { key });
    const { headers, ...shown } = await read();
    const { remaining } = shown.per_minute;
    const resets_at = expect.any(String);
    expect({ ...shown, permissions: [...shown.permissions].sort() }).toEqual({
      permissions: ['categories:read', 'orders:*'],
      effective_permissions: [
        'orders:read',
        'orders:write',
        'orders:pause',
        'orders:export',
        'categories:read',
      ],
      per_minute: { limit: 1_000, used: 1_000 - remaining, remaining, resets_at },
      monthly: { limit: 5_000, used: 2, remaining: 4_998, resets_at },
      batch_jobs_per_hour: { limit: 9, used: 0, remaining: 9, resets_at },
      max_items_per_batch: 70,
    });
    const sent = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
    expect(sent).toEqual(['1000', `${remaining}`, `${Date.parse(shown.per_minute.resets_at) / 1_000}`]);
  });

  test('exactly what is left after every request and every batch job', async () => {
    const { key, read } = await kitchen({ batchJobsPerHour: 50 });
    for (let n = 1; n <= 3; n++) {
      const job = await api.rest('GET /v2/orders/export?from=2026-01-01&to=2026-01-01', { key });
      expect(job.status).toBe(200);
      const { monthly, batch_jobs_per_hour: jobs } = await read();
      expect(monthly.used).toBe(2 * n);
      // Unless the hour ended between the two.
      if (job.headers.get('x-ratelimit-batch-reset') !== String(Date.parse(jobs.resets_at) / 1_000)) continue;
      expect(String(jobs.remaining)).toBe(job.headers.get('x-ratelimit-batch-remaining'));
      expect(jobs.used + jobs.remaining).toBe(50);
    }
  });

  test('the defaults of a key without limits of its own', async () => {
    const { read } = await kitchen({ perMinute: 600 });
    const batch = { batch_jobs_per_hour: { limit: 30 }, max_items_per_batch: 500 };
    expect(await read()).toMatchObject({ monthly: { limit: 1_000_000 }, ...batch });
  });

  test('to a key without any permission, in the time of its location', async () => {
    const { read } = await kitchen({ permissions: [] }, 'America/Sao_Paulo');
    const { permissions, effective_permissions, per_minute, monthly } = await read();
    expect([permissions, effective_permissions]).toEqual([[], []]);
    expect(per_minute.resets_at).toMatch(/:00\.000-03:00$/);
    expect(monthly.resets_at).toMatch(/T21:00:00\.000-03:00$/);
  });
});

describe('what a limiter says is used', () => {
  test('starts over with each window', async () => {
    await standAt(api.app.database, '2026-01-31T23:58:59.500Z', async ({ limiter, move }) => {
      const caller = callerWith({ perMinute: 10, monthly: 100, batchJobsPerHour: 4 });
      const used = async () => {
        const { minute, month, batchHour } = await limiter.usage(caller);
        return [minute.used, month.used, batchHour.used];
      };
      for (let n = 0; n < 3; n++) await limiter.admit(caller);
      await limiter.startBatch(caller);
      expect(await used()).toEqual([3, 3, 1]);
      move('2026-01-31T23:59:00Z');
      expect(await used()).toEqual([0, 3, 1]);
      await limiter.admit(caller);
      expect(await used()).toEqual([1, 4, 1]);
      const month = { limit: 100, used: 4, remaining: 96, resetsAt: new Date('2026-02-01T00:00:00Z') };
      expect((await limiter.usage(caller)).month).toEqual(month);
      move('2026-02-01T00:00:00Z');
      expect(await used()).toEqual([0, 0, 0]);
    });
  });

  test('never says more is left than is, with another process running', async () => {
    const elsewhere = openDatabase({ url: api.databaseUrl, poolSize: 2 });
    const now = '2026-03-01T10:00:00Z';
    onTestFinished(() => elsewhere.close());
    await standAt(api.app.database, now, async ({ limiter: one }) => {
      await standAt(elsewhere, now, async ({ limiter: other }) => {
        const caller = callerWith({ perMinute: 200, monthly: 1_000 });
        let admitted = 0;
        for (const limiter of [one, other, other, one, other]) {
          await limiter.admit(caller);
          admitted += 1;
          for (const asked of [one, other]) {
            const { minute } = await asked.usage(caller);
            expect(minute.remaining).toBeLessThanOrEqual(200 - admitted);
            expect(minute.used + minute.remaining).toBe(200);
          }
        }
      });
    });
  });
});
