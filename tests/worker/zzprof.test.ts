import { test } from 'vitest';
import { createWorkerKit, silent } from './kit.ts';
import { drainChanges } from '../../packages/worker/src/relay/drain.ts';
test('prof', async () => {
  const kit = await createWorkerKit();
  await kit.createEndpoint({ url: 'http://127.0.0.1:1/', events: ['product.created', 'product.updated', 'stock.updated'] });
  for (let i = 0; i < 10_000; i += 500)
    await kit.sql(`insert into products (location_id, sku, name, price, description) select $1, 's' || n, 'p' || n, 1, repeat('x', 300) from generate_series($2::int, $3::int) n`, [kit.locationId, i, i + 499]);
  const sums: Record<string, number> = {};
  const db = { ...kit.database, transaction: (id: undefined, work: any) => kit.database.transaction(id, (tx) => work({ run: async (s: any, v: any) => { const t = performance.now(); const r = await tx.run(s, v); sums[s.name] = (sums[s.name] ?? 0) + performance.now() - t; return r; } })) };
  const t = performance.now();
  for (;;) { const d = await drainChanges(db as any, silent); if (!d?.changes) break; }
  console.log(performance.now() - t, JSON.stringify(sums, null, 1));
  await kit.close();
}, 100_000);
