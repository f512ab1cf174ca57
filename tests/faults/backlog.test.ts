import { expect, test } from 'vitest';
import { startConsumer } from '../support/consumer.ts';
import { createLocation } from '../support/factories.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from '../worker/kit.ts';
import { createLedger, type Ledger } from './backlog/ledger.ts';

const kit = useWorkerKit({ lifetime: 'test' });

const changes = trials(2_000, 50_000);
const locationCount = 5;

/** The order in which what was written came out, location by location, with the times of each event. */
async function published(): Promise<Map<string, { resourceId: string; number: number }[]>> {
  const rows = await kit.sql<{ location: string; resourceId: string; number: number }>`
    select location_id as location, resource_id as "resourceId", number::int from events
    where type = 'product.updated' order by location_id, number`;
  const byLocation = new Map<string, { resourceId: string; number: number }[]>();
  for (const { location, ...event } of rows)
    byLocation.set(location, [...(byLocation.get(location) ?? []), event]);
  return byLocation;
}

test(`what was written while no worker ran, ${changes} changes, is published in order of commit within a minute`, async () => {
  const locations = [kit.locationId];
  while (locations.length < locationCount) locations.push(await createLocation(kit.database));
  const ledger: Ledger = await createLedger(kit.url, locations, changes);
  await ledger.write();
  const [waiting] = await kit.sql<{ count: number }>`
    select sum(cardinality(resource_ids))::int as count from internal.captured_changes`;
  expect(waiting?.count).toBeGreaterThanOrEqual(changes);

  const consumer = await startConsumer();
  await kit.createEndpoint({ url: consumer.url, events: ['turn.open'] });
  await kit.startProcess();
  const startedAt = performance.now();
  await waitFor(
    'everything to be published',
    async () => (await kit.sql('select 1 from internal.captured_changes limit 1')).length === 0,
    { timeoutMs: 60_000, intervalMs: 100 },
  );
  const tookMs = Math.round(performance.now() - startedAt);

  const out = await published();
  let pairs = 0;
  for (const location of locations) {
    const places = new Map<string, number[]>();
    for (const { resourceId, number } of out.get(location) ?? [])
      places.set(resourceId, [...(places.get(resourceId) ?? []), number]);
    pairs += ledger.check(location, (productId) => places.get(productId) ?? []);
  }
  const numbers = await kit.sql<{ gaps: number }>`select count(*)::int as gaps from (
      select number - lag(number, 1, 0::bigint) over (partition by location_id order by number) as step from events
    ) e where step <> 1`;
  expect(numbers).toEqual([{ gaps: 0 }]);
  expect(await kit.sql('select 1 from internal.captured_changes where failures > 0')).toEqual([]);
  await consumer.close();
  reportFault('backlog without a worker', {
    trials: changes,
    real: waiting?.count ?? 0,
    transactions: ledger.transactions(),
    orderedPairs: pairs,
    tookMs,
  });
}, 300_000);
