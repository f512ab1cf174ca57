import { describe, expect, onTestFinished, test } from 'vitest';
import { createLimiter } from '../../packages/api/src/limits/limiter.ts';
import { useApi } from '../support/api.ts';
import { createKey, createLocation, createPaymentMethod, createProduct } from '../support/factories.ts';
import { callerWith } from '../support/limits.ts';
import { recordOrder } from '../support/money.ts';
import { reportFault, thorough } from '../support/trials.ts';

const api = useApi();

/** Zones that change their clocks: by day, at midnight, by half an hour, and one that skipped a whole day. */
const zones = [
  ['America/Santiago', 2023],
  ['Europe/Madrid', 2023],
  ['America/Asuncion', 2023],
  ['Africa/Cairo', 2023],
  ['Pacific/Apia', 2011],
  ...(thorough
    ? ([
        ['Asia/Beirut', 2022],
        ['America/Havana', 2023],
        ['Australia/Lord_Howe', 2023],
        ['America/New_York', 2023],
        ['Asia/Kolkata', 2023],
      ] as const)
    : []),
] as const;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The local day of a moment, as ICU knows it: Postgres has tables of its own. */
function localDay(timezone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
  return (at) => format.format(at);
}

/** The moments of the year at which the zone's clock was set, to the hour. */
function changesOf(timezone: string, year: number): number[] {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' });
  const offset = (at: number) =>
    format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const found: number[] = [];
  const end = Date.UTC(year + 1, 0, 2);
  for (let at = Date.UTC(year, 0, 1); at < end; at += hourMs)
    if (offset(at) !== offset(at + hourMs)) found.push(at + hourMs);
  return found;
}

describe.each(zones)('in %s, around every change of the clock in %i', (timezone, year) => {
  test('each order is on one day of the list, of the report and of the export, and it is the local day', async () => {
    const { database } = api.app;
    const changes = changesOf(timezone, year);
    if (timezone !== 'Asia/Kolkata') expect(changes.length).toBeGreaterThan(0);
    const dayOf = localDay(timezone);
    const locationId = await createLocation(database, { timezone });
    const { key } = await createKey(database, { locationId, batchJobsPerHour: 10_000 });
    const methodId = await createPaymentMethod(database, { locationId });
    const productId = await createProduct(database, { locationId });
    const expected = new Map<string, number>();
    for (const change of changes.length > 0 ? changes : [Date.UTC(year, 2, 26)]) {
      // Each half hour of the day around it, and the last millisecond before the change.
      for (const at of [
        ...steps(change - 0.75 * dayMs, change + 0.75 * dayMs, thorough ? 48 : 18),
        change - 1,
      ]) {
        const lines = [{ productId, milli: 1000n, cents: 100n }];
        await recordOrder(database, { locationId }, { at: new Date(at), methodId, lines });
        expected.set(dayOf(at), (expected.get(dayOf(at)) ?? 0) + 1);
      }
    }
    const total = (route: string) =>
      api
        .rest<{ data: { total?: number; rows?: { orders: number }[] }; pagination?: { total: number } }>(
          route,
          { key },
        )
        .then(({ status, body }) => {
          expect(status).toBe(200);
          const counted = body.pagination?.total ?? body.data.total;
          return counted ?? body.data.rows?.reduce((sum, { orders }) => sum + orders, 0) ?? 0;
        });
    const days = [...expected.keys()].sort();
    for (const day of days) {
      const range = `from=${day}&to=${day}`;
      const seen = {
        list: await total(`GET /v2/orders?${range}&limit=1`),
        report: await total(`GET /v2/sales-reports?${range}&group_by=day`),
        export: await total(`GET /v2/orders/export?${range}&limit=1`),
      };
      const count = expected.get(day);
      expect({ day, ...seen }).toEqual({ day, list: count, report: count, export: count });
    }
    const all = [...expected.values()].reduce((sum, count) => sum + count, 0);
    expect(await total(`GET /v2/orders?from=${days[0]}&to=${days.at(-1)}&limit=1`)).toBe(all);
    reportFault(`days in ${timezone}`, { trials: changes.length, real: changes.length, orders: all });
  }, 120_000);

  test('the windows of the limits stay whole minutes and months of UTC in any zone of the session', async () => {
    const { database } = api.app;
    const [change = Date.UTC(year, 2, 26)] = changesOf(timezone, year);
    const client = await database.pool.connect();
    await client.query(`set timezone = '${timezone}'`);
    onTestFinished(() => client.release(true));
    const on = {
      run: async <Row>({ text }: { text: string }, values: readonly unknown[]) =>
        (await client.query(text, [...values])).rows as Row[],
    };
    for (const at of [change - 1, change, change + 1]) {
      const limiter = createLimiter(on, { clock: { now: () => at } });
      const minute = await limiter.admit(callerWith({ perMinute: 5 }));
      expect(minute['X-RateLimit-Reset']).toBe(String((Math.floor(at / 60_000) + 1) * 60));
      const month = await limiter.admit(callerWith({ monthly: 5 }));
      const when = new Date(at);
      expect(month['X-RateLimit-Reset']).toBe(
        String(Date.UTC(when.getUTCFullYear(), when.getUTCMonth() + 1) / 1_000),
      );
      await limiter.close();
    }
  });
});

function steps(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => Math.floor(from + ((to - from) / (count - 1)) * index));
}
