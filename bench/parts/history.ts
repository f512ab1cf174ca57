import { type History, makeHistory } from '../history.ts';
import { type Measure, measure, medians } from '../load.ts';
import type { BenchProcess } from '../processes.ts';
import { figureRow, type Row } from '../result.ts';
import { measureExports } from './export.ts';
import type { Part, PartContext } from './part.ts';

/** Filters of the orders list; each is asked for its first and its last page. */
const filters = [
  { name: 'no filter', query: '', share: 1 },
  { name: 'status=closed', query: '&status=closed', share: 0.7 },
  { name: 'a month', query: '&from=2025-06-01&to=2025-06-30', share: 30 / 364 },
  {
    name: 'status and half a year',
    query: '&status=closed&from=2025-03-01&to=2025-08-31',
    share: (0.7 * 184) / 364,
  },
];

/** Lists and exports as a location's history grows. */
export const history: Part = {
  name: 'history',
  summary: 'orders list and export: 1,000 orders against 1,000,000',
  async run(context) {
    const { setup, small, log } = context;
    log('making histories');
    const few = await makeHistory(setup, 1_000, 1);
    const rich = await makeHistory(setup, small ? 1_000 : 100_000, 5);
    const middle = await makeHistory(setup, small ? 2_000 : 100_000, 1);
    const many = await makeHistory(setup, small ? 5_000 : 1_000_000, 1);
    await setup.comanda.pool.query('vacuum analyze');
    const api = await setup.startApi();
    const rows: Row[] = [];
    for (const filter of small ? filters.slice(-1) : filters) {
      for (const page of ['first', 'last'] as const)
        rows.push(await compare(context, api, filter, page, few, many));
    }
    await api.stop();
    rows.push(...(await measureExports(context, { rich, middle, many })));
    return rows;
  },
};

async function compare(
  { setup, effort, log }: PartContext,
  api: BenchProcess,
  filter: (typeof filters)[number],
  page: 'first' | 'last',
  few: History,
  many: History,
): Promise<Row> {
  log(`${filter.name}, ${page} page`);
  const found: Record<'few' | 'many', Measure[]> = { few: [], many: [] };
  for (let repeat = 0; repeat < effort.repeats; repeat += 1) {
    for (const [name, location] of [
      ['few', few],
      ['many', many],
    ] as const) {
      const offset = page === 'first' ? 0 : await lastPage(api.url, location, filter.query);
      const path = `/v2/orders?limit=50&offset=${offset}${filter.query}`;
      const requests = [
        { method: 'GET' as const, path, headers: { authorization: `Bearer ${location.key}` } },
      ];
      const side = { name: 'comanda' as const, url: api.url, pid: api.pid, requests };
      found[name].push(
        await measure(side, { ...effort, seconds: Math.min(3, effort.seconds) }, setup.postmaster),
      );
    }
  }
  const [ofFew, ofMany] = [medians(found.few), medians(found.many)];
  const failures = ofFew.failures + ofMany.failures;
  if (failures > 0)
    throw new Error(`${failures} requests failed: ${ofMany.firstFailure ?? ofFew.firstFailure}`);
  return figureRow(
    'history',
    `orders list, ${filter.name}, ${page} page: 1,000,000 orders ÷ 1,000`,
    { most: 1.3, unit: '×' },
    ofFew.perSecond / ofMany.perSecond,
    `${ofMany.perSecond.toFixed(0)}/s against ${ofFew.perSecond.toFixed(0)}/s; PostgreSQL ${ofMany.postgresUs.toFixed(0)} µs against ${ofFew.postgresUs.toFixed(0)} µs`,
  );
}

async function lastPage(url: string, { key }: History, query: string): Promise<number> {
  const response = await fetch(`${url}/v2/orders?limit=1${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { pagination } = (await response.json()) as { pagination: { total: number } };
  return Math.max(0, pagination.total - 50);
}
