import { randomBytes } from 'node:crypto';
import {
  createSecretBox,
  type Database,
  newId,
  newSigningSecret,
  openDatabase,
  parseEncryptionKeys,
  statement,
} from '@comanda/db';
import type { RunningWorker, WorkerOptions } from '@comanda/worker';
import { pino } from 'pino';
import { afterEach, beforeEach } from 'vitest';
import { publishRound } from '../../packages/worker/src/relay/round.ts';
import { underDeed } from '../support/by-hand.ts';
import { type Answerer, type RecordingConsumer, startConsumer } from '../support/consumer.ts';
import { createTestDatabase } from '../support/database.ts';
import { createLocation } from '../support/factories.ts';
import { prismaOf } from '../support/prisma.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { startTestWorker } from '../support/run-worker.ts';
import { type Sql, sqlBy } from '../support/sql.ts';
import { type Lifetime, useClosed } from '../support/use.ts';
import { waitFor } from '../support/wait.ts';

/** A log that keeps quiet. */
export const silent = pino({ level: 'silent' });

/** A database of the test's own with one location, and other parts that it starts. */
export interface WorkerKit {
  url: string;
  database: Database;
  locationId: string;
  encryptionKey: string;
  /** Starts a worker with short delays; it is stopped with the kit. */
  startWorker(settings?: Partial<WorkerOptions>): Promise<RunningWorker>;
  /** Starts one as a process, with these settings on top of its own. */
  startProcess(env?: Readonly<Record<string, string>>, readyTimeoutMs?: number): Promise<TestProcess>;
  /** Makes an endpoint with a signing secret. */
  createEndpoint(endpoint: {
    url: string;
    events: string[];
    apiVersion?: 'v1' | 'v2';
    locationId?: string;
  }): Promise<TestEndpoint>;
  /** Adds a second signing secret; the older ones expire at `expiresAt`. */
  addSecret(endpointId: string, expiresAt: Date): Promise<string>;
  /** Runs plain SQL past the guards, to make a scene. */
  sql: Sql;
  /** How many rows there are in `from`: a table, and a condition after `where`. */
  count(from: string): Promise<number>;
  /** Events as published, in the order of their numbers. */
  events(): Promise<PublishedEvent[]>;
  /** Publishes every change that waits; all events, as `events` has them. */
  publish(): Promise<PublishedEvent[]>;
  /** Publishes what waits, and forgets every event. */
  forget(): Promise<void>;
  /** Starts a consumer; it is closed with the kit. */
  consumer(answer?: Answerer): Promise<RecordingConsumer>;
  /** The attempts at an endpoint, as their log has them. */
  attempts(endpointId: string): Promise<LoggedAttempt[]>;
  /** The statuses of all deliveries, in the order of their ids. */
  statuses(): Promise<string[]>;
  /** Leaves behind what tests before made: a new location, no endpoint, event or job, nothing to publish. */
  begin(): Promise<void>;
  /** Waits until the first delivery has that status. */
  settled(status: string): Promise<unknown>;
  /** Closes every consumer: what still hangs fails at once. */
  closeConsumers(): Promise<void>;
  /** Asks every worker to stop and waits for it. */
  stopWorkers(): Promise<void>;
  close(): Promise<void>;
}

export interface TestEndpoint {
  id: string;
  secret: string;
}

export interface LoggedAttempt {
  attempt: number;
  status: string;
  response_code: number | null;
  error: string | null;
  response_body: string | null;
}

export interface PublishedEvent {
  id: string;
  number: number;
  type: string;
  resourceId: string;
  body: { data: Record<string, unknown> } & Record<string, unknown>;
  text: string;
  textV1: string | null;
  requestId: string | null;
}

/** One for the tests of a file, or a new one for each test. */
export const useWorkerKit = ({
  timezone,
  lifetime,
}: {
  timezone?: string;
  lifetime?: Lifetime;
} = {}): WorkerKit => useClosed(() => createWorkerKit(timezone), lifetime);

async function createWorkerKit(timezone = 'UTC'): Promise<WorkerKit> {
  const test = await createTestDatabase();
  const database = openDatabase({ url: test.url, poolSize: 4 });
  let locationId = await createLocation(database, { timezone });
  const encryptionKey = randomBytes(32).toString('base64');
  const box = createSecretBox(parseEncryptionKeys(encryptionKey));
  const workers: RunningWorker[] = [];
  const consumers: RecordingConsumer[] = [];
  const sql = sqlBy((text, values) => underDeed(database.pool, 'repair: the scene of a test', text, values));
  const events = async () => {
    const rows = await database.run(publishedEvents, []);
    return rows.map((row) => ({ ...row, body: JSON.parse(row.text) }));
  };

  const publish = async () => {
    while ((await publishRound(database, silent)).changes > 0);
    return events();
  };

  const storeSecret = async (location: string, endpointId: string) => {
    const secret = newSigningSecret();
    const { keyId, sealed } = box.seal(secret, { locationId: location, endpointId });
    await prismaOf(database).webhookSecret.create({
      data: { locationId: location, endpointId, encryptionKeyId: keyId, sealed: new Uint8Array(sealed) },
    });
    return secret;
  };

  const closeConsumers = async () => {
    await Promise.all(consumers.splice(0).map((consumer) => consumer.close()));
  };

  const stopWorkers = async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  };

  return {
    url: test.url,
    database,
    get locationId() {
      return locationId;
    },
    encryptionKey,
    async startWorker(settings = {}) {
      const worker = await startTestWorker(test.url, encryptionKey, {
        webhookRetryDelaysSeconds: [0.05, 0.05, 0.05, 0.05],
        ...settings,
      });
      workers.push(worker);
      return worker;
    },
    startProcess: (env = {}, readyTimeoutMs = 30_000) =>
      startProcess({
        entry: 'worker',
        readyTimeoutMs,
        env: { DATABASE_URL: test.url, ENCRYPTION_KEY: encryptionKey, WEBHOOK_TARGETS: 'any', ...env },
      }),
    async createEndpoint({ url, events, apiVersion = 'v2', locationId: location = locationId }) {
      const { id } = await prismaOf(database).webhookEndpoint.create({
        data: { locationId: location, url, events, apiVersion },
      });
      return { id, secret: await storeSecret(location, id) };
    },
    async addSecret(endpointId, expiresAt) {
      await prismaOf(database).webhookSecret.updateMany({
        where: { endpointId, expiresAt: null },
        data: { expiresAt },
      });
      return storeSecret(locationId, endpointId);
    },
    sql,
    async count(from) {
      const [row] = await sql<{ count: number }>(`select count(*)::int as count from ${from}`);
      return row?.count ?? 0;
    },
    events,
    publish,
    async forget() {
      await publish();
      await sql('delete from events');
    },
    async consumer(answer) {
      const consumer = await startConsumer(answer);
      consumers.push(consumer);
      return consumer;
    },
    attempts: (endpointId) =>
      sql`select attempt, status, response_code, error, response_body from webhook_attempts
        where endpoint_id = ${endpointId} order by attempt`,
    async statuses() {
      const rows = await sql<{ status: string }>('select status from webhook_deliveries order by id');
      return rows.map(({ status }) => status);
    },
    async begin() {
      for (const table of ['webhook_endpoints', 'events', ...leftBehind]) await sql(`delete from ${table}`);
      locationId = await createLocation(database, { timezone });
      await sql('delete from internal.captured_changes');
    },
    settled: (status) =>
      waitFor(`a delivery that is ${status}`, async () => {
        const [row] = await sql<{ status: string }>('select status from webhook_deliveries');
        return row?.status === status;
      }),
    closeConsumers,
    stopWorkers,
    async close() {
      // Consumers first: what still hangs then fails at once.
      await closeConsumers();
      await stopWorkers();
      await database.close();
      await test.drop();
    },
  };
}

/** One for the tests of a file, each of which has a location of its own and finds nothing of the others to publish or to deliver. */
export function useSharedKit(): WorkerKit {
  const kit = useWorkerKit();
  beforeEach(() => kit.begin());
  afterEach(() => kit.closeConsumers());
  return kit;
}

/** Tables with rows that the deletion of endpoints and events leaves. */
const leftBehind = ['internal.endpoint_clearings', 'sync_jobs', 'graphile_worker._private_jobs'];

/** One for the tests of a file, each of which begins with nothing to publish. */
export function useTellingKit(): WorkerKit {
  const kit = useWorkerKit({ timezone: 'America/Argentina/Buenos_Aires' });
  afterEach(async () => {
    await kit.forget();
    await kit.sql('delete from internal.captured_changes');
  });
  return kit;
}

/** The types of events, in their order. */
export const typesOf = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type);

/** Makes an order with its payment by plain SQL; returns its id. */
export async function insertOrder(
  { sql, locationId, database }: Pick<WorkerKit, 'sql' | 'locationId' | 'database'>,
  { externalId = null }: { externalId?: string | null } = {},
): Promise<string> {
  const id = newId();
  await prismaOf(database).paymentMethod.upsert({
    where: { locationId_id: { locationId, id: locationId } },
    create: { locationId, id: locationId, name: 'Cash', type: 'cash' },
    update: {},
  });
  await sql`with made as (
      insert into orders (location_id, id, number, external_id, total, payment_method_id)
      select ${locationId}, ${id}, coalesce(max(number), 0) + 1, ${externalId}, 12.5, ${locationId} from orders where location_id = ${locationId}
      returning location_id, id
    ) insert into payments (location_id, order_id, payment_method_id, amount) select location_id, id, ${locationId}, 12.5 from made`;
  return id;
}

const publishedEvents = statement<PublishedEvent>(
  'test_published_events',
  `select id, number::int, type, resource_id as "resourceId", body as text, body_v1 as "textV1", request_id as "requestId"
   from events order by location_id, number`,
);
