import { expect, test } from 'vitest';
import { createWorkerKit, startConsumer } from './kit.ts';
import { waitFor } from '../support/wait.ts';

test('perf', async () => {
  const kit = await createWorkerKit();
  const erp = await startConsumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created', 'product.updated', 'stock.updated'] });
  const gen = async (from: number, count: number) => {
    for (let i = from; i < from + count; i += 500)
      await kit.sql(`insert into products (location_id, sku, name, price, description) select $1, 's' || n, 'p' || n, 1, repeat('x', 300) from generate_series($2::int, $3::int) n`, [kit.locationId, i, i + 499]);
  };
  await gen(0, 50_000);
  const { drainChanges } = await import('../../packages/worker/src/relay/drain.ts');
  const { silent } = await import('./kit.ts');
  let t = performance.now();
  let n = 0;
  for (;;) {
    const t1 = performance.now();
    const d = await drainChanges(kit.database, silent);
    if (n < 5) console.log(d, performance.now() - t1);
    n++;
    if (!d || d.changes === 0) break;
  }
  console.log('relay 50k in', performance.now() - t, 'ms');
  await kit.sql(`update products set description = 'y'`);
  t = performance.now();
  while (((await drainChanges(kit.database, silent))?.changes ?? 0) > 0);
  console.log('relay one tx of 50k in', performance.now() - t, 'ms');
  await kit.sql('delete from webhook_deliveries where event_id in (select id from events where number > 20000)');
  t = performance.now();
  await kit.startWorker();
  await waitFor('all', async () => ((await kit.sql<{ n: number }>(`select count(*)::int n from webhook_deliveries where status <> 'delivered'`))[0]?.n === 0), { timeoutMs: 200_000, intervalMs: 250 });
  console.log('deliveries', erp.received.length, 'in', performance.now() - t, 'ms');
  t = performance.now();
  const lat: number[] = [];
  for (let i = 0; i < 30; i++) {
    const before = erp.received.length;
    const s = performance.now();
    await kit.sql(`update products set description = $1 where sku = 's1'`, [`z${i}`]);
    await kit.sql('notify comanda_changes');
    await waitFor('x', () => erp.received.length > before, { intervalMs: 1 });
    lat.push(performance.now() - s);
  }
  lat.sort((a, b) => a - b);
  console.log('latency ms p50', lat[15], 'max', lat[29]);
  await erp.close();
  await kit.close();
  expect(1).toBe(1);
}, 600_000);
