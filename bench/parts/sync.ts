import { setTimeout as sleep } from 'node:timers/promises';
import { processCpuMs, serverCpuMs } from '../cpu.ts';
import { median } from '../load.ts';
import { makeTenant, type Place } from '../place.ts';
import { figureRow } from '../result.ts';
import type { Part } from './part.ts';

/** `POST /v2/sync/products` with 500 items, events included: how fast the job is. */
export const sync: Part = {
  name: 'sync',
  summary: 'synchronise 500 products, accept to completed',
  async run({ place, small }) {
    const api = await place.startApi();
    const worker = await place.startWorker();
    const tenant = await makeTenant(place);
    const endpoint = await post(api.url, tenant.key, '/v2/webhook-endpoints', {
      url: 'http://127.0.0.1:9/none',
      events: ['sync.completed'],
    });
    if (endpoint.status !== 201) throw new Error(`webhook endpoint answered ${endpoint.status}`);
    const jobs = small ? 2 : 40;
    const cpu = () => ({ server: serverCpuMs(place.postmaster), worker: processCpuMs(worker.pid) });
    const before = cpu();
    for (let job = 0; job < jobs; job += 1) {
      // Half of the products are new, the others change.
      const items = Array.from({ length: 500 }, (_, index) => ({
        external_id: `p${job * 250 + index}`,
        name: `Product ${index} of ${job}`,
        price: 5 + ((job + index) % 100),
        stock: { enabled: true, quantity: index, min_stock_alarm: 0 },
      }));
      const accepted = await post(
        api.url,
        tenant.key,
        '/v2/sync/products',
        { items },
        { 'idempotency-key': `job-${job}` },
      );
      if (accepted.status !== 202) throw new Error(`sync answered ${accepted.status}: ${accepted.text}`);
      const { data } = JSON.parse(accepted.text) as { data: { job_id: string } };
      await completed(place, data.job_id);
    }
    await published(place);
    const after = cpu();
    const { rows } = await place.comanda.pool.query<{ whole: number; work: number }>(
      `select extract(epoch from completed_at - created_at)::float8 as whole,
         extract(epoch from completed_at - started_at)::float8 as work
       from sync_jobs where status = 'completed' and success_items = 500 order by created_at`,
    );
    if (rows.length !== jobs) throw new Error(`${rows.length} of ${jobs} jobs applied every item`);
    await Promise.all([api.stop(), worker.stop()]);
    const [whole, work] = [median(rows.map((row) => row.whole)), median(rows.map((row) => row.work))];
    const perProduct = (name: keyof typeof after) =>
      (((after[name] - before[name]) * 1000) / (jobs * 500)).toFixed(0);
    return [
      figureRow(
        'sync',
        'POST /v2/sync/products, 500 items: products a second in the job',
        { least: 15_000, unit: '/s' },
        500 / work,
        `job ${(work * 1000).toFixed(0)} ms, accept to completed ${(whole * 1000).toFixed(0)} ms; CPU a product, accepting ` +
          `and events included: PostgreSQL ${perProduct('server')} µs, worker ${perProduct('worker')} µs`,
      ),
    ];
  },
};

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

// What is not published yet has still to be paid for.
async function published({ comanda }: Place): Promise<void> {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    const { rows } = await comanda.pool.query('select from captured_changes limit 1');
    if (rows.length === 0) return;
    await sleep(50);
  }
  throw new Error('the events of the sync jobs took longer than a minute');
}

// On a connection that is kept: to open one costs PostgreSQL as much as a good part of a job.
async function completed({ comanda }: Place, jobId: string): Promise<void> {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    const { rows } = await comanda.pool.query<{ status: string }>(
      'select status::text from sync_jobs where id = $1',
      [jobId],
    );
    if (rows[0]?.status === 'completed') return;
    if (rows[0]?.status === 'failed') throw new Error('a sync job failed');
    await sleep(10);
  }
  throw new Error('a sync job took longer than a minute');
}
