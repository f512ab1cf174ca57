import { issueKey } from '@comanda/api/services';
import { type Database, openDatabase } from '@comanda/db';
import type { Other } from '../company.ts';
import type { BenchProcess } from '../processes.ts';
import type { Setup } from '../setup.ts';
import { cpuOf, type Spent } from './cpu.ts';
import { encryptionKey } from './database.ts';

/** A filled database with an API process and a worker of its own. */
export interface Service {
  name: 'few' | 'many';
  url: string;
  database: Database;
  api: BenchProcess;
  worker: BenchProcess;
  /** Locations drawn at random, each with a key without bounds. */
  drawn: readonly Other[];
  /** CPU until both were ready. */
  start: Spent;
}

/** Points every endpoint of the database to the consumer, starts API and worker, and draws locations. */
export async function startService(
  setup: Setup,
  { name, url, hook, count }: { name: Service['name']; url: string; hook: string; count: number },
): Promise<Service> {
  const database = openDatabase({ url, poolSize: 2, applicationName: 'comanda-bench' });
  await database.pool.query('update webhook_endpoints set url = $1 where url <> $1', [hook]);
  // The changes that this update captured are not published.
  await database.pool.query('truncate internal.captured_changes');
  const drawn = await draw(database, count);
  const settings = { DATABASE_URL: url, ENCRYPTION_KEY: encryptionKey };
  const [api, worker] = [await setup.startApi(settings), await setup.startWorker(settings)];
  const service = { name, url, database, api, worker, drawn };
  const spent = await cpuOf(service);
  return { ...service, start: { api: spent.api, worker: spent.worker, ...spent.postgres() } };
}

async function draw(database: Database, count: number): Promise<Other[]> {
  const { rows } = await database.pool.query<{ id: string; method: string; products: string[] }>(
    `select l.id, m.id as method, array(select p.id from products p where p.location_id = l.id order by substr(p.external_id, 2)::int limit 30) as products
     from (select id from locations order by random() limit $1) l join payment_methods m on m.location_id = l.id`,
    [count],
  );
  const made: Other[] = [];
  for (const { id, method, products } of rows) {
    const { key } = await issueKey(database, {
      ...{ name: 'bench', permissions: ['*'], location_id: id },
      ...{ per_minute: 1_000_000_000, monthly: 1_000_000_000 },
    });
    made.push({ locationId: id, key, paymentMethodId: method, productIds: products });
  }
  return made;
}

/** Ends both processes. */
export async function stopService({ api, worker, database }: Service): Promise<void> {
  await Promise.all([api.stop(), worker.stop()]);
  await database.close();
}
