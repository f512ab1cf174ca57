import { openDatabase } from '@comanda/db';
import { test } from 'vitest';
import { createProduct } from '../support/factories.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from '../worker/kit.ts';

const kit = useWorkerKit({ lifetime: 'test' });

test('a runner that lost the database while it asked for its tasks goes on, and does not keep that failure', {
  timeout: 180_000,
}, async () => {
  const erp = await kit.consumer((_, response) => response.end());
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  const waiting = `select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%_private_tasks%'`;
  const held = openDatabase({ url: kit.url, poolSize: 1 });
  const client = await held.pool.connect();
  await client.query('begin');
  await client.query('lock table graphile_worker._private_tasks in access exclusive mode');
  const worker = await kit.startWorker();
  await waitFor('both runners to ask', async () => (await kit.sql(waiting)).length === 2);
  await kit.sql(`select pg_terminate_backend(pid) from (${waiting}) w`);
  await waitFor('both to have failed', async () => (await kit.sql(waiting)).length === 0);
  await client.query('rollback');
  client.release();
  await held.close();
  await createProduct(kit.database, { locationId: kit.locationId });
  await waitFor('the event', () => erp.received.length > 0, { timeoutMs: 120_000 });
  await worker.stop();
});
