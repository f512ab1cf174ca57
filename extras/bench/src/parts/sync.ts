import { setTimeout as sleep } from 'node:timers/promises';
import { sessionNamed } from '@comanda/db';
import pg from 'pg';
import { type Place, send, settled, subscribe } from '../calls.ts';
import { processMs } from '../cpu.ts';
import { type Figure, median } from '../figure.ts';
import { fillWithCompany, letCompanyWork, makeEmptyPlace, makeShop } from '../fill.ts';
import { sendLoad } from '../load.ts';
import type { Part } from '../part.ts';
import { runSql, type Subject } from '../subject.ts';

const items = 500;
const prices = 250;

/** What an ERP sends in bulk: products jobs in new locations while the company orders, 250 prices, and a catalog that it has already. */
export const sync: Part = {
  name: 'sync',
  summary: 'products jobs of 500, accept to completed; 250 prices; the catalog unchanged',
  rounds: 11,
  async open({ subject, small }) {
    const company = await fillWithCompany(subject, small);
    const [api, , reference] = await Promise.all([
      subject.startApi(),
      subject.startWorker(),
      subject.startReference(),
    ]);
    const shop = await makeShop(subject, api.url, small ? 300 : 10_000);
    const jobs = async (): Promise<Figure[]> => {
      const stop = letCompanyWork(company, api.url);
      const place = await makeEmptyPlace(subject);
      await subscribe(api.url, place.key, 'http://127.0.0.1:9/none', ['sync.completed']);
      const created = await synchronize(subject, api.url, place, 0);
      const changed = await synchronize(subject, api.url, place, 1);
      await stop();
      await settled(subject);
      const slower = (name: keyof Spent) => items / Math.max(created[name], changed[name]);
      const note = (name: keyof Spent) =>
        `creating ${(created[name] * 1_000).toFixed(0)} ms, changing ${(changed[name] * 1_000).toFixed(0)} ms`;
      const work = `POST /v2/sync/products, ${items} items, new location`;
      const goal = { least: 15_000 };
      const why = 'product-sync.md';
      return [
        {
          work: `${work}: accept to completed`,
          value: slower('whole'),
          unit: '/s',
          goal,
          why,
          note: note('whole'),
        },
        {
          work: `${work}: in the job`,
          value: slower('work'),
          unit: '/s',
          goal,
          why,
          note: note('work'),
        },
      ];
    };
    return async () => [
      ...(await jobs()),
      await changePrices(subject, shop, small),
      ...(await unchanged(subject, { api, reference, key: shop.key, small })),
    ];
  },
};

/** The duration of a job in seconds: from its acceptance, and from its begin. */
interface Spent {
  whole: number;
  work: number;
}

// Every round changes name, price and stock of all.
async function synchronize(
  { database }: Subject,
  url: string,
  { key, locationId }: Place,
  round: number,
): Promise<Spent> {
  const body = {
    items: Array.from({ length: items }, (_, index) => ({
      external_id: `synced-${index}`,
      name: `Product ${index} of ${round}`,
      price: 5 + ((round + index) % 100),
      stock: { enabled: true, quantity: index + round, min_stock_alarm: 0 },
    })),
  };
  const accepted = await send(url, key, { method: 'POST', path: '/v2/sync/products', body });
  const { job_id } = accepted as { job_id: string };
  // On a connection that is kept: to open one costs PostgreSQL as much as a good part of a job.
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    const { rows } = await database.pool.query<Spent & { status: string; success_items: number }>(
      `select status::text, success_items, extract(epoch from completed_at - created_at)::float8 as whole,
         extract(epoch from completed_at - started_at)::float8 as work
       from sync_jobs where location_id = $1 and id = $2`,
      [locationId, job_id],
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

/** CPU of one statement that changes 250 prices, with all that follows in its transaction, against the same without triggers. */
async function changePrices(subject: Subject, shop: Place, small: boolean): Promise<Figure> {
  const ids = shop.productIds.slice(0, prices);
  const spentMs = async (triggers: boolean) => {
    const client = new pg.Client(sessionNamed(subject.databaseUrl, 'comanda-bench'));
    await client.connect();
    if (!triggers) await client.query('set session_replication_role = replica');
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const pid = rows[0]?.pid ?? 0;
    const spent: number[] = [];
    for (let time = 0; time < (small ? 2 : 20); time += 1) {
      const before = processMs(pid);
      const { rowCount } = await client.query({
        name: 'change',
        text: 'update products set price = price + 0.01 where location_id = $1::uuid and id = any ($2::uuid[])',
        values: [shop.locationId, ids],
      });
      spent.push(processMs(pid) - before);
      if (rowCount !== ids.length) throw new Error(`${rowCount} prices of ${ids.length} changed`);
    }
    await client.end();
    return median(spent);
  };
  const withTriggers = await spentMs(true);
  const without = await spentMs(false);
  await settled(subject);
  // The dead rows would slow down the next round.
  await runSql(subject.databaseUrl, 'vacuum products');
  return {
    work: `${prices} prices in one statement: CPU ÷ the same without triggers`,
    unit: '×',
    value: withTriggers / without,
    goal: { most: 2.5 },
    note: `${withTriggers.toFixed(1)} ms against ${without.toFixed(1)}`,
  };
}

async function etagOf(url: string, key: string): Promise<string> {
  const answer = await fetch(`${url}/v2/catalog`, { headers: { authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.headers.get('etag') ?? '';
}

interface Unchanged {
  api: { url: string };
  reference: { url: string; pid: number };
  key: string;
  small: boolean;
}

/** `GET /v2/catalog` for a caller that has it, against the same bytes from memory. */
async function unchanged({ cpuMs }: Subject, { api, reference, key, small }: Unchanged): Promise<Figure[]> {
  const load = { connections: small ? 4 : 32, until: small ? { amount: 16 } : { seconds: 3 } };
  const headers = { authorization: `Bearer ${key}`, 'if-none-match': await etagOf(api.url, key) };
  const ours = await sendLoad(
    { ...load, url: api.url, requests: [{ method: 'GET', path: '/v2/catalog', headers }] },
    cpuMs,
  );
  const memory = await sendLoad(
    { ...load, url: reference.url, requests: [{ method: 'GET', path: '/unchanged' }] },
    () => ({ ...cpuMs(), api: processMs(reference.pid) }),
  );
  const failed = ours.failed ?? memory.failed;
  return [
    {
      work: 'GET /v2/catalog unchanged (304): CPU of API',
      value: ours.cpuUs.api,
      unit: ' µs',
      goal: { most: 30 },
      why: 'catalog.md',
      note: `${ours.perSecond.toFixed(0)}/s; the same bytes from memory ${memory.perSecond.toFixed(0)}/s and ${memory.cpuUs.api.toFixed(0)} µs`,
      ...(failed !== undefined && { failed }),
    },
  ];
}
