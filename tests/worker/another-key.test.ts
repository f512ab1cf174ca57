import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { diagnose } from '../../packages/api/src/doctor/doctor.ts';
import type { RecordingConsumer } from '../support/consumer.ts';
import { createProduct } from '../support/factories.ts';
import { recordLog } from '../support/recorded-log.ts';
import { stepWorker, useSteppedWorker } from '../support/stepped-worker.ts';
import { useSharedKit } from './kit.ts';

const kit = useSharedKit();
const worker = useSteppedWorker(kit);
let consumer: RecordingConsumer;
beforeEach(async () => {
  consumer = await kit.consumer();
  await kit.createEndpoint({ url: consumer.url, events: ['product.created'] });
});

const delivered = () => kit.count(`webhook_deliveries where status = 'delivered'`);

/** A worker with another key, and how often it has logged that it leaves an endpoint to others. */
async function stranger() {
  const { log, lines } = recordLog();
  const encryptionKey = randomBytes(32).toString('base64');
  const stepped = await stepWorker({ url: kit.url, encryptionKey }, { log });
  return { ...stepped, said: () => lines.filter(({ msg }) => msg.includes('left to others')).length };
}

test('a worker with another key leaves every delivery to the one that can sign it', async () => {
  const other = await stranger();
  for (let made = 1; made <= 12; made += 1) {
    await createProduct(kit.database, { locationId: kit.locationId });
    await other.turn();
    expect(await delivered()).toBe(made - 1);
    await worker.turn();
    expect(await delivered()).toBe(made);
  }
  expect(consumer.received).toHaveLength(12);
  expect(other.said()).toBe(1);
});

test('alone it says so once, in the log and to doctor, and the next worker delivers', async () => {
  const other = await stranger();
  for (let made = 1; made <= 4; made += 1) {
    await createProduct(kit.database, { locationId: kit.locationId });
    await other.turn();
  }
  expect(other.said()).toBe(1);
  expect(consumer.received).toEqual([]);
  const environment = { DATABASE_URL: kit.url, ENCRYPTION_KEY: kit.encryptionKey };
  // No runner takes its probe.
  const { checks } = await diagnose(environment, { thresholds: { probeSeconds: 0 } });
  expect(checks.find(({ name }) => name === 'signing')).toMatchObject({
    outcome: 'wrong',
    found: expect.stringContaining(`:${process.pid} cannot sign for 1 endpoint`),
  });
  await worker.turn();
  expect(await delivered()).toBe(4);
});
