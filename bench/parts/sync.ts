import { setTimeout as sleep } from 'node:timers/promises';
import { fillWithOthers, letOthersWork } from '../company.ts';
import { processCpuMs, serverCpuMs } from '../cpu.ts';
import { median } from '../load.ts';
import { figureRow } from '../result.ts';
import { makeTenant, type Setup, type Tenant } from '../setup.ts';
import type { Part } from './part.ts';

const items = 500;

/**
 * `POST /v2/sync/products` with 500 items, in locations that were made after the database was filled, while others go on
 * ordering and the relay publishes: each location creates its products with one job and changes them with the next.
 */
export const sync: Part = {
  name: 'sync',
  summary: 'synchronize 500 products in new locations of a filled database, accept to completed',
  async run({ setup, small }) {
    const others = await fillWithOthers(setup, small);
    const api = await setup.startApi();
    const worker = await setup.startWorker();
    // The plans that the processes have made so far were made for others.
    for (const other of others) for (const round of [0, 1]) await synchronise(setup, api.url, other, round);
    const stopOthers = letOthersWork(others, api.url);
    const rounds = small ? 1 : 20;
    const jobs: { create: Spent; change: Spent }[] = [];
    const cpu = () => ({ server: serverCpuMs(setup.postmaster), worker: processCpuMs(worker.pid) });
    const before = cpu();
    for (let round = 0; round < rounds; round += 1) {
      const tenant = await makeTenant(setup);
      await listenForCompletion(api.url, tenant);
      jobs.push({
        create: await synchronise(setup, api.url, tenant, 0),
        change: await synchronise(setup, api.url, tenant, 1),
      });
    }
    await published(setup);
    const after = cpu();
    await stopOthers();
    await Promise.all([api.stop(), worker.stop()]);
    const of = (job: 'create' | 'change', name: keyof Spent) => median(jobs.map((one) => one[job][name]));
    const slower = (name: keyof Spent) => items / Math.max(of('create', name), of('change', name));
    const perProduct = (name: keyof typeof after) =>
      (((after[name] - before[name]) * 1000) / (rounds * 2 * items)).toFixed(0);
    const ms = (seconds: number) => `${(seconds * 1000).toFixed(0)} ms`;
    const why = 'product-sync.md';
    const rows = [
      figureRow(
        'sync',
        'POST /v2/sync/products, 500 items, new location of a filled database: products a second, accept to completed',
        { least: 15_000, unit: '/s' },
        slower('whole'),
        `creating ${ms(of('create', 'whole'))}, changing ${ms(of('change', 'whole'))}; CPU a product, accepting, events ` +
          `and the others' orders included: PostgreSQL ${perProduct('server')} µs, worker ${perProduct('worker')} µs`,
      ),
      figureRow(
        'sync',
        'the same: products a second in the job',
        { least: 15_000, unit: '/s' },
        slower('work'),
        `creating ${ms(of('create', 'work'))}, changing ${ms(of('change', 'work'))}`,
      ),
    ];
    return rows.map((row) => ({ ...row, why }));
  },
};

/** The duration of a job, in seconds: from its acceptance, and from its begin. */
interface Spent {
  whole: number;
  work: number;
}

// Every round changes name, price and stock of all.
async function synchronise(
  { comanda }: Setup,
  url: string,
  { key, locationId }: Tenant,
  round: number,
): Promise<Spent> {
  const accepted = await post(
    url,
    key,
    '/v2/sync/products',
    {
      items: Array.from({ length: items }, (_, index) => ({
        external_id: `synced-${index}`,
        name: `Product ${index} of ${round}`,
        price: 5 + ((round + index) % 100),
        stock: { enabled: true, quantity: index + round, min_stock_alarm: 0 },
      })),
    },
    { 'idempotency-key': `job-${round}` },
  );
  if (accepted.status !== 202) throw new Error(`sync answered ${accepted.status}: ${accepted.text}`);
  const { data } = JSON.parse(accepted.text) as { data: { job_id: string } };
  // On a connection that is kept: to open one costs PostgreSQL as much as a good part of a job.
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    const { rows } = await comanda.pool.query<Spent & { status: string; success_items: number }>(
      `select status::text, success_items, extract(epoch from completed_at - created_at)::float8 as whole,
         extract(epoch from completed_at - started_at)::float8 as work
       from sync_jobs where location_id = $1 and id = $2`,
      [locationId, data.job_id],
    );
    const [job] = rows;
    if (job?.status === 'failed') throw new Error('a sync job failed');
    if (job?.status === 'completed') {
      if (job.success_items !== items) throw new Error(`${job.success_items} of ${items} items were applied`);
      return { whole: job.whole, work: job.work };
    }
    await sleep(10);
  }
  throw new Error('a sync job took longer than a minute');
}

async function listenForCompletion(url: string, { key }: Tenant): Promise<void> {
  const { status } = await post(url, key, '/v2/webhook-endpoints', {
    url: 'http://127.0.0.1:9/none',
    events: ['sync.completed'],
  });
  if (status !== 201) throw new Error(`webhook endpoint answered ${status}`);
}

async function post(
  url: string,
  key: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

// The cost of changes that are not published yet has still to be paid. The others' orders come and go
// meanwhile.
async function published({ comanda }: Setup): Promise<void> {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    const { rows } = await comanda.pool.query<{ few: boolean }>(
      'select count(*) < 50 as few from internal.captured_changes',
    );
    if (rows[0]?.few) return;
    await sleep(50);
  }
  throw new Error('the events of the sync jobs took longer than a minute');
}
