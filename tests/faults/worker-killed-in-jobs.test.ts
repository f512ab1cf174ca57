import { expect, it } from 'vitest';
import { itemsPerChunk } from '../../packages/api/src/resources/sync-jobs/apply.store.ts';
import { createChance } from '../support/chance.ts';
import { prismaOf } from '../support/prisma.ts';
import type { TestProcess } from '../support/processes.ts';
import { isQuiet } from '../support/restaurant.ts';
import { reportFault, seedOf, thorough } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { digestOf } from './support/digest.ts';
import { type Batch, createBatch, gatesOf, upsertBatch } from './takeover/batches.ts';
import { type Kill, killInTheMiddle, openShop, type Shop } from './takeover/shop.ts';

const seed = seedOf(11);
const chance = createChance(seed);

// Shops run side by side, the kills of one after one another. On another machine a dead worker is believed dead after
// 20 s of silence, which the full form alone waits for.
const shops: { kills: number; elsewhere: boolean }[] = thorough
  ? [true, false, true, false, true].map((elsewhere) => ({ kills: 4, elsewhere }))
  : [{ kills: 1, elsewhere: false }];

it('jobs whose worker is killed in the middle are taken over, and apply every item once', async () => {
  const kills = (await Promise.all(shops.map(runShop))).flat();
  const real = kills.filter(({ hit }) => hit > 0).length;
  reportFault('worker killed (-9) in the middle of sync jobs', {
    trials: kills.length,
    real,
    seed,
    'running jobs hit': kills.reduce((sum, { hit }) => sum + hit, 0),
    'their positions': kills
      .map(({ jobs }) => jobs.map((job) => `${job.processed_items}/${job.total_items}`).join(' and '))
      .join('; '),
  });
  // The first kill of every shop comes while the gate is shut; of the others some find the jobs just ended.
  expect(real, `seed ${seed}`).toBeGreaterThanOrEqual(Math.ceil(kills.length * 0.6));
}, 1_200_000);

async function runShop({ kills: count, elsewhere }: (typeof shops)[number]): Promise<Kill[]> {
  const batches = [createBatch(), upsertBatch()];
  const shop = await openShop(batches);
  try {
    const ids = await Promise.all(batches.map((batch) => shop.start(batch)));
    const kills: Kill[] = [];
    let worker: TestProcess | undefined;
    for (let kill = 0; kill < count; kill++) {
      // Every chunk that comes after the gates that were passed has one, so one of them stops the job.
      const gates = batches.map((batch, index) => {
        const processed = kills.at(-1)?.jobs[index]?.processed_items ?? 0;
        const ahead = gatesOf(batch).filter(({ chunkStart }) => chunkStart >= processed);
        return ahead.slice(chance.between(0, Math.max(0, ahead.length - 1 - (count - kill))));
      });
      const jobs = ids.map((id, index) => ({ id, gates: gates[index] ?? [] }));
      // The first before the gate opens, which surely hits; the others at a random moment after.
      const afterGateMs = kill === 0 ? undefined : chance.between(0, 250);
      const met = await killInTheMiddle(shop, jobs, { worker, elsewhere, afterGateMs });
      kills.push(met.kill);
      worker = met.next;
    }
    await finish(shop, ids, worker ?? (await shop.startWorker()));
    for (const [index, batch] of batches.entries()) await requireOutcome(shop, batch, ids[index] ?? '');
    await requireEvents(shop, batches, ids);
    return kills;
  } finally {
    await shop.close();
  }
}

async function finish(shop: Shop, ids: readonly string[], worker: TestProcess): Promise<void> {
  const { app, locationId } = shop.api;
  await waitFor(
    'the jobs to end and every event to be delivered',
    async () => {
      const jobs = await Promise.all(ids.map((id) => shop.job(id)));
      if (jobs.some(({ status }) => status === 'queued' || status === 'processing')) return false;
      return isQuiet(app.database, locationId);
    },
    { timeoutMs: 240_000, intervalMs: 250 },
  );
  expect((await worker.stop()).code).toBe(0);
}

async function requireOutcome({ api, job }: Shop, batch: Batch, id: string): Promise<void> {
  const { items, failures } = batch;
  const shown = await job(id);
  expect(shown).toMatchObject({
    status: 'completed',
    total_items: items.length,
    processed_items: items.length,
    success_items: items.length - failures.length,
    failed_items: failures.length,
  });
  expect(shown.errors.map(({ index, code }) => ({ index, code }))).toEqual(failures);
  const rows = await prismaOf(api.app.database).product.findMany({
    where: { externalId: { startsWith: `${batch.name}-` } },
    select: { externalId: true, name: true, price: true },
  });
  const failed = new Set(failures.map(({ index }) => index));
  const expected = items.flatMap(({ external_id, name, price }, index) => {
    if (!failed.has(index)) return [[external_id, name, price]];
    return batch.there.includes(index) ? [[external_id, 'Old', 9_999]] : [];
  });
  const found = rows.map(({ externalId, name, price }) => [externalId, name, price.toNumber()]);
  expect(found.sort()).toEqual(expected.sort());
}

// A chunk that was applied twice would be published twice.
async function requireEvents(
  { consumer, api }: Shop,
  batches: readonly Batch[],
  ids: readonly string[],
): Promise<void> {
  const published = await api.sql<{ id: string; body: string }>('select id, body from events');
  expect(consumer.faults).toEqual([]);
  expect(new Map([...consumer.receipts.values()].map(({ eventId, digest }) => [eventId, digest]))).toEqual(
    new Map(published.map(({ id, body }) => [id, digestOf(body)])),
  );
  const events = published.map(({ body }) => JSON.parse(body) as HeardEvent);
  const countOf = (type: string) => events.filter((event) => event.type === type).length;
  const products = await prismaOf(api.app.database).product.findMany({ select: { id: true, name: true } });
  const idsOf = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data.id);
  expect(idsOf('product.created').sort()).toEqual(products.map(({ id }) => id).sort());
  const updated = batches.flatMap(({ mode, items, there }) =>
    mode === 'upsert' ? there.map((index) => items[index]?.name) : [],
  );
  expect(idsOf('product.updated').sort()).toEqual(
    products.flatMap(({ id, name }) => (updated.includes(name) ? id : [])).sort(),
  );
  const completed = events.filter(({ type }) => type === 'sync.completed').map(({ data }) => data);
  expect(completed.sort((one, other) => Number(one.total_items) - Number(other.total_items))).toEqual(
    batches.map(({ items, failures }, index) => ({
      job_id: ids[index],
      status: 'completed',
      total_items: items.length,
      success_items: items.length - failures.length,
      failed_items: failures.length,
    })),
  );
  // Once for each chunk, which has something in a category, and once for the category.
  const chunks = batches.reduce((sum, { items }) => sum + items.length / itemsPerChunk, 0);
  expect([countOf('catalog.updated'), countOf('sync.failed')]).toEqual([chunks + 1, 0]);
}

interface HeardEvent {
  type: string;
  data: Record<string, unknown>;
}
