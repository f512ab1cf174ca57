import { randomBytes } from 'node:crypto';
import { addJob } from '@comanda/db';
import { expect, it } from 'vitest';
import { diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { judgeSettings } from '../../packages/api/src/doctor/setup-checks.ts';
import { readSettings } from '../../packages/db/src/settings/settings.ts';
import { startTestApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { useConsumer } from '../support/consumer.ts';
import { startTestWorker } from '../support/run-worker.ts';
import { useClosed } from '../support/use.ts';
import { waitFor } from '../support/wait.ts';

const encryptionKey = randomBytes(32).toString('base64');
const consumer = useConsumer();
const api = useClosed(() => startTestApi({ encryptionKey }));
const hand = useHand(api);

const worker = (deliveries: 'on' | 'paused') =>
  startTestWorker(api.databaseUrl, encryptionKey, { deliveries, webhookRetryDelaysSeconds: [1, 1, 1, 1] });
const count = async (table: string, where = 'true') => {
  const [row] = await api.sql<{ n: number }>(`select count(*)::int as n from ${table} where ${where}`);
  return row?.n ?? 0;
};

const stuck = async (environment: Record<string, string>) =>
  (await diagnose(environment)).checks.find(({ name }) => name === 'stuck deliveries');

it('a restored copy sends nothing while deliveries are paused, and loses nothing (operations, F6)', async () => {
  const events = ['product.created'];
  await api.rest('POST /v2/webhook-endpoints', { body: { url: consumer.url, events } });
  await api.rest('POST /v2/products', { body: { name: 'Tea', description: '', price: 1 } });

  const paused = await worker('paused');
  await waitFor('its delivery', async () => (await count('webhook_deliveries')) === 1);
  // Its runner works, in the order of the queue, and leaves the delivery alone.
  const probe = await addJob(api.app.database, 'probe-deliveries', {});
  await waitFor(
    'the probe',
    async () => (await count('graphile_worker.jobs', `id = ${Number(probe)}`)) === 0,
  );
  expect(consumer.received).toEqual([]);
  expect(await count('webhook_attempts')).toBe(0);
  await hand.deed(
    'repair: a test',
    `update webhook_deliveries set next_attempt_at = now() - interval '1 hour'`,
  );
  const settings = { DATABASE_URL: api.databaseUrl, ENCRYPTION_KEY: encryptionKey };
  expect(await stuck({ ...settings, DELIVERIES: 'paused' })).toMatchObject({ outcome: 'warning' });
  // Doctor has it from the worker, under any environment of its own.
  expect(await stuck(settings)).toMatchObject({ outcome: 'warning' });
  const { checks } = await diagnose(settings);
  expect(checks.find(({ name }) => name === 'workers')).toMatchObject({
    outcome: 'warning',
    found: expect.stringMatching(/with DELIVERIES=paused: \S+:\d+$/),
  });
  await paused.stop();
  expect(await stuck(settings)).toMatchObject({ outcome: 'wrong' });

  const resumed = await worker('on');
  await waitFor('the webhook', () => consumer.received.length === 1);
  await resumed.stop();
});

it('doctor says that deliveries are paused', () => {
  const settings = readSettings({ DELIVERIES: 'paused' });
  expect(judgeSettings(settings)).toMatchObject({
    outcome: 'warning',
    found: expect.stringContaining('no webhook is sent'),
  });
});
