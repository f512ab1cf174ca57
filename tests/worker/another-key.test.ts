import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { sweep } from '../../packages/worker/src/sweeper.ts';
import type { RecordingConsumer } from '../support/consumer.ts';
import { createProduct } from '../support/factories.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from './kit.ts';

const kit = useWorkerKit({ lifetime: 'test' });
let consumer: RecordingConsumer;
beforeEach(async () => {
  consumer = await kit.consumer();
  await kit.createEndpoint({ url: consumer.url, events: ['product.created'] });
});

const delivered = () => kit.count(`webhook_deliveries where status = 'delivered'`);

const startStranger = () =>
  kit.startProcess({ ENCRYPTION_KEY: randomBytes(32).toString('base64'), LOG_LEVEL: 'info' });

test('a worker with another key leaves every delivery to the one that can sign it', async () => {
  const stranger = await startStranger();
  await kit.startWorker();
  for (let made = 1; made <= 12; made += 1) {
    await createProduct(kit.database, { locationId: kit.locationId });
    await waitFor(`delivery ${made}`, async () => (await delivered()) === made);
  }
  expect(consumer.received).toHaveLength(12);
  expect(stranger.output().match(/left to others/g)?.length ?? 0).toBeLessThanOrEqual(1);
  await stranger.stop();
}, 120_000);

test('alone it says so once, in the log and to doctor, and the next worker delivers', async () => {
  const stranger = await startStranger();
  await createProduct(kit.database, { locationId: kit.locationId });
  await waitFor('the line in the log', () => stranger.output().includes('left to others'));
  for (let round = 0; round < 3; round += 1) {
    await sweep(kit.database, undefined);
    await createProduct(kit.database, { locationId: kit.locationId });
    await new Promise((resolve) => setTimeout(resolve, 1_200));
  }
  expect(stranger.output().match(/left to others/g)).toHaveLength(1);
  const { checks } = await diagnose({ DATABASE_URL: kit.url, ENCRYPTION_KEY: kit.encryptionKey });
  expect(checks.find(({ name }) => name === 'signing')).toMatchObject({
    outcome: 'wrong',
    found: expect.stringContaining(`:${stranger.pid} cannot sign for 1 endpoint`),
  });
  await kit.startWorker();
  await waitFor('all four', async () => (await delivered()) === 4);
  await stranger.stop();
}, 120_000);
