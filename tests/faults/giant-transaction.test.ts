import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { useHand } from '../support/by-hand.ts';
import { createCategory, createLocation, createProduct } from '../support/factories.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from '../worker/kit.ts';
import { residentMiB } from './consumers/memory.ts';

// One transaction of very many rows: `npm test -- --suite faults` takes a million.

vi.setConfig({ testTimeout: 900_000 });

const kit = useWorkerKit();
const hand = useHand(kit);

interface Counted {
  type: string;
  events: number;
  resources: number;
  lastly: boolean;
}

/**
 * The events of a location after an event number: how many of each type, of how many resources, and which came last.
 */
const counted = (locationId: string, after: number) =>
  kit.sql<Counted>`select type, count(*)::int as events, count(distinct resource_id)::int as resources,
      max(number) = max(max(number)) over () as lastly
    from events where location_id = ${locationId} and number > ${after} group by type order by type`;

const lastNumber = async (locationId: string) =>
  (
    await kit.sql<{ last: number }>`
      select coalesce(max(number), 0)::int as last from events where location_id = ${locationId}`
  )[0]?.last ?? 0;

/** Copies so many products in one transaction, 100 of them into a category. */
async function copyProducts(categoryId: string, batch: string, size: number): Promise<void> {
  const lines = Array.from({ length: size }, (_, at) => `${kit.locationId},${batch}-${at},Copied,1`);
  await hand.sql('begin');
  await hand.copy('copy products (location_id, sku, name, price) from stdin (format csv)', lines);
  await hand.sql(
    `insert into product_categories (location_id, product_id, category_id)
     select location_id, id, $2 from products where location_id = $1 and sku = any ($3)`,
    [kit.locationId, categoryId, Array.from({ length: 100 }, (_, at) => `${batch}-${at}`)],
  );
  await hand.sql('commit');
}

test('a transaction of very many rows is published once each, others in between, in bounded memory', async () => {
  const [size, less] = [trials(12_000, 1_000_000), trials(4_000, 100_000)];
  const other = await createLocation(kit.database);
  const categoryId = await createCategory(kit.database, { locationId: kit.locationId });
  const worker = await kit.startProcess({ LOG_LEVEL: 'warn' });
  await waitFor('the category to be published', async () => (await lastNumber(kit.locationId)) > 0);
  let peak = 0;
  let between = 0;

  /** Copies, and waits until nothing is left to publish; the other location makes a product meanwhile. */
  const copyAndTell = async (batch: string, many: number) => {
    const before = await lastNumber(kit.locationId);
    peak = 0;
    await copyProducts(categoryId, batch, many);
    for (;;) {
      peak = Math.max(peak, residentMiB(worker.pid));
      const left = await kit.sql<{ location: string }>`
        select location_id as location from internal.captured_changes group by 1`;
      if (left.length === 0) break;
      const numberBefore = await lastNumber(other);
      await createProduct(kit.database, { locationId: other });
      await waitFor(
        'the other location to be published',
        async () => (await lastNumber(other)) > numberBefore,
        { timeoutMs: 30_000 },
      );
      if (left.some(({ location }) => location === kit.locationId)) between += 1;
      await sleep(100);
    }
    return counted(kit.locationId, before);
  };

  const expected = (many: number) => [
    { type: 'catalog.updated', events: 1, resources: 1, lastly: true },
    { type: 'product.created', events: many, resources: many, lastly: false },
  ];
  expect(await copyAndTell('less', less)).toEqual(expected(less));
  const peakOfLess = peak;
  between = 0;
  expect(await copyAndTell('whole', size)).toEqual(expected(size));
  expect(between).toBeGreaterThan(0);
  // The limit of V8's heap, at any size; a million changes held at once would take more than that.
  expect(peak).toBeLessThan(500);
  const numbers = await kit.sql<{ gaps: number }>`
    select (max(number) - count(*))::int as gaps from events where location_id = ${kit.locationId}`;
  expect(numbers).toEqual([{ gaps: 0 }]);
  reportFault('one transaction of very many rows', {
    trials: 1,
    real: 1,
    rows: size,
    'others published meanwhile': between,
    'worker MiB': peak,
    [`worker MiB with ${less}`]: peakOfLess,
  });
  expect((await worker.stop()).code).toBe(0);
});
