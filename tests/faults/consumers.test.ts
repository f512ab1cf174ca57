import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweep } from '../../packages/worker/src/sweeper.ts';
import { startConsumer } from '../support/consumer.ts';
import { createProduct } from '../support/factories.ts';
import type { TestProcess } from '../support/processes.ts';
import { reportFault, thorough, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { type Consumer, httpConsumer } from '../webhooks/consumers.ts';
import { useWorkerKit } from '../worker/kit.ts';
import { badConsumers } from './consumers/bad-consumers.ts';
import { residentMiB } from './consumers/memory.ts';

/** The time limit of an attempt: short, or what it is out in the world. */
const limitMs = thorough ? 30_000 : 1_500;
const limit = thorough ? '30 s' : '1.5 s';
/** Recording and a busy machine; what counts is that no consumer can draw an attempt out. */
const slackMs = 10_000;
const events = trials(2, 5);

interface Case {
  endpointId: string;
  consumer: Consumer;
}

interface Attempt {
  attempt: number;
  status: string;
  error: string | null;
  duration: number;
}

const kit = useWorkerKit();
let worker: TestProcess;
let internal: Consumer;
let good: Awaited<ReturnType<typeof startConsumer>>;
let cases: Map<string, Case>;
let before: number;
let most = 0;

beforeAll(async () => {
  internal = await httpConsumer((_, response) => void response.end('the keys of the kingdom'));
  good = await startConsumer();
  await kit.createEndpoint({ url: good.url, events: ['product.created'] });
  worker = await kit.startProcess({
    WEBHOOK_TIMEOUT_MS: String(limitMs),
    WEBHOOK_RETRY_DELAYS: '0.2,0.2,0.2,0.2',
  });
  await warmUp();
  before = residentMiB(worker.pid);
  cases = new Map();
  for (const { does, start } of badConsumers) {
    const consumer = await start(internal.url);
    const { id: endpointId } = await kit.createEndpoint({
      url: consumer.url,
      events: ['settlement.created'],
    });
    cases.set(does, { endpointId, consumer });
  }
  // All of them at once, for that is how they come.
  await kit.sql(`update webhook_endpoints set events = '{product.created}'`);
  for (let event = 0; event < events; event += 1)
    await createProduct(kit.database, { locationId: kit.locationId });
  await waitFor(
    'every delivery to be delivered or dead',
    async () => {
      most = Math.max(most, residentMiB(worker.pid));
      const [row] = await kit.sql<{ open: number; all: number }>`
        select count(*) filter (where next_attempt_at is not null)::int as open, count(*)::int as all
        from webhook_deliveries where endpoint_id = any (${[...cases.values()].map(({ endpointId }) => endpointId)})`;
      return row?.open === 0 && row.all === events * badConsumers.length;
    },
    { timeoutMs: 5 * (limitMs + slackMs) * 2, intervalMs: 50 },
  );
}, 900_000);
afterAll(async () => {
  // Before its database goes: it would wait for that to come back.
  await worker?.stop();
  for (const { consumer } of cases?.values() ?? []) await consumer.close();
  await Promise.all([internal.close(), good.close()]);
});

/** The work that every process does once: connections, compiled code, the first hundreds of deliveries. */
async function warmUp(): Promise<void> {
  for (let round = 1; round <= 3; round += 1) {
    await kit.sql`
      insert into products (location_id, sku, name, price) select ${kit.locationId}, 'warm-' || uuid_v7(), 'p', 1 from generate_series(1, 300)`;
    await waitFor('the deliveries before', () => good.received.length === 300 * round, { timeoutMs: 60_000 });
  }
}

const attemptsOf = (endpointId: string) =>
  kit.sql<Attempt & { deliveryId: string }>`
    select delivery_id as "deliveryId", attempt, status::text, error, duration_ms as duration from webhook_attempts
    where endpoint_id = ${endpointId} order by delivery_id, attempt`;

describe.each(badConsumers.map(({ does, report }) => [does, report] as const))(
  'a consumer that %s',
  (does, report) => {
    test('gets exactly five attempts, each ended by the limit and reported in plain words, then the delivery is dead', async () => {
      const known = cases.get(does);
      if (known === undefined) throw new Error('it was never started');
      const attempts = await attemptsOf(known.endpointId);
      expect(attempts.map(({ attempt }) => attempt)).toEqual(
        Array.from({ length: events }, () => [1, 2, 3, 4, 5]).flat(),
      );
      for (const { attempt, status, error, duration } of attempts) {
        expect(status).toBe(attempt === 5 ? 'dead' : 'failed');
        const expected = report(limit);
        if (typeof expected === 'string') expect(error).toBe(expected);
        else expect(error).toMatch(expected);
        expect(error).not.toMatch(/127\.0\.0\.1|ECONN|UND_|stack|node_modules/);
        expect(duration).toBeLessThan(limitMs + slackMs);
      }
      const deliveries = await kit.sql`
        select status, attempts, next_attempt_at from webhook_deliveries where endpoint_id = ${known.endpointId}`;
      expect(deliveries).toEqual(
        Array.from({ length: events }, () => ({ status: 'dead', attempts: 5, next_attempt_at: null })),
      );
    });
  },
);

test('while all of them misbehave at once the worker keeps within 32 MiB, and reaches nothing internal', async () => {
  reportFault('consumers that misbehave', {
    trials: badConsumers.length * events,
    real: badConsumers.length * events,
    mibBefore: before,
    mibMost: most,
    internalContacts: internal.connections,
  });
  expect(internal.connections).toBe(0);
  expect(most - before).toBeLessThanOrEqual(32);
});

test('what is dead is never sent again, and the others go on', async () => {
  const received = good.received.length;
  expect(await sweep(kit.database, undefined)).toMatchObject({ claims: 0, endpoints: 0 });
  expect(await kit.count(`graphile_worker.jobs where task_identifier = 'deliver-webhooks'`)).toBe(0);
  await createProduct(kit.database, { locationId: kit.locationId });
  await waitFor('the next event', () => good.received.length > received);
});
