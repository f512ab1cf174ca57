import { expect, test } from 'vitest';
import { createPace, fullWidth } from '../../packages/worker/src/deliveries/limits.ts';
import { useSteppedWorker } from '../support/stepped-worker.ts';
import { waitFor } from '../support/wait.ts';
import { useSharedKit } from './kit.ts';

const kit = useSharedKit();
const worker = useSteppedWorker(kit);

const count = (where: string) => kit.count(`webhook_deliveries where ${where}`);

test('what was claimed ahead for an endpoint that stops answering goes back, and is sent once it answers', async () => {
  const waiting: (() => void)[] = [];
  let hanging = false;
  const consumer = await kit.consumer((_, response, nth) => {
    hanging ||= nth === 300;
    if (hanging) waiting.push(() => response.end());
    else response.end();
  });
  const { id } = await kit.createEndpoint({ url: consumer.url, events: ['product.created'] });
  await kit.sql`insert into products (location_id, sku, name, price)
    select ${kit.locationId}, 's-' || n, 'p', 1 from generate_series(1, 600) n`;
  await worker.begin();
  await consumer.arrived(300 + fullWidth - 1);
  await waitFor(
    'the rest to be given back',
    async () => (await count('leased_by is not null')) === fullWidth,
  );
  expect(await count(`endpoint_id = '${id}' and status = 'pending'`)).toBeGreaterThan(fullWidth);
  hanging = false;
  for (const answer of waiting) answer();
  await worker.turn();
  expect(await count(`status = 'delivered'`)).toBe(600);
  expect(consumer.received).toHaveLength(600);
});

test('only an endpoint that takes many has deliveries claimed ahead', () => {
  const pace = createPace(0);
  expect(pace.ahead(0)).toBe(0);
  for (let ended = 0; ended < 100; ended += 1) pace.count();
  expect(pace.ahead(50)).toBe(50);
  for (let ended = 0; ended < 1_000; ended += 1) pace.count();
  expect(pace.ahead(100)).toBe(100);
  expect(pace.ahead(1_100)).toBe(0);
});
