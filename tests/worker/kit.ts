import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createSecretBox,
  type Database,
  newId,
  newSigningSecret,
  openDatabase,
  parseEncryptionKeys,
  statement,
} from '@comanda/db';
import { type RunningWorker, startWorker, type WorkerOptions } from '@comanda/worker';
import { pino } from 'pino';
import { underDeed } from '../support/by-hand.ts';
import { createTestDatabase } from '../support/database.ts';
import { createLocation } from '../support/factories.ts';

/** A log that keeps quiet. */
export const silent = pino({ level: 'silent' });

/** A database of the test's own with one location, and whatever else it starts. */
export interface WorkerKit {
  url: string;
  database: Database;
  locationId: string;
  encryptionKey: string;
  /** Starts a worker with short delays; it is stopped with the kit. */
  startWorker(settings?: Partial<WorkerOptions>): Promise<RunningWorker>;
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
  sql<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Events as published, in the order of their numbers. */
  events(): Promise<PublishedEvent[]>;
  /** Asks every worker to stop and waits for it. */
  stopWorkers(): Promise<void>;
  close(): Promise<void>;
}

export interface TestEndpoint {
  id: string;
  secret: string;
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

/** Opens one; close it in `afterAll`. */
export async function createWorkerKit(timezone = 'UTC'): Promise<WorkerKit> {
  const test = await createTestDatabase();
  const database = openDatabase({ url: test.url, poolSize: 4 });
  const locationId = await createLocation(database, { timezone });
  const encryptionKey = randomBytes(32).toString('base64');
  const box = createSecretBox(parseEncryptionKeys(encryptionKey));
  const workers: RunningWorker[] = [];

  const storeSecret = async (location: string, endpointId: string) => {
    const secret = newSigningSecret();
    const { keyId, sealed } = box.seal(secret, { locationId: location, endpointId });
    await database.prisma.webhookSecret.create({
      data: { locationId: location, endpointId, encryptionKeyId: keyId, sealed: new Uint8Array(sealed) },
    });
    return secret;
  };

  const stopWorkers = async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  };

  return {
    url: test.url,
    database,
    locationId,
    encryptionKey,
    async startWorker(settings = {}) {
      const worker = await startWorker({
        databaseUrl: test.url,
        encryptionKey,
        webhookTimeoutMs: 10_000,
        webhookRetryDelaysSeconds: [0.05, 0.05, 0.05, 0.05],
        webhookTargets: 'any',
        webhookAllowCidrs: [],
        logLevel: 'silent',
        ...settings,
      });
      workers.push(worker);
      return worker;
    },
    async createEndpoint({ url, events, apiVersion = 'v2', locationId: location = locationId }) {
      const { id } = await database.prisma.webhookEndpoint.create({
        data: { locationId: location, url, events, apiVersion },
      });
      return { id, secret: await storeSecret(location, id) };
    },
    async addSecret(endpointId, expiresAt) {
      await database.prisma.webhookSecret.updateMany({
        where: { endpointId, expiresAt: null },
        data: { expiresAt },
      });
      return storeSecret(locationId, endpointId);
    },
    sql: (text, values) => underDeed(database.pool, 'repair: the scene of a test', text, values),
    async events() {
      const rows = await database.run(publishedEvents, []);
      return rows.map((row) => ({ ...row, body: JSON.parse(row.text) }));
    },
    stopWorkers,
    async close() {
      await stopWorkers();
      await database.close();
      await test.drop();
    },
  };
}

/** Makes an order with its payment by plain SQL; returns its id. */
export async function insertOrder(
  { sql, locationId, database }: Pick<WorkerKit, 'sql' | 'locationId' | 'database'>,
  { externalId = null }: { externalId?: string | null } = {},
): Promise<string> {
  const id = newId();
  await database.prisma.paymentMethod.upsert({
    where: { locationId_id: { locationId, id: locationId } },
    create: { locationId, id: locationId, name: 'Cash', type: 'cash' },
    update: {},
  });
  await sql(
    `with made as (
       insert into orders (location_id, id, number, external_id, total, payment_method_id)
       select $1, $2, coalesce(max(number), 0) + 1, $3, 12.5, $1 from orders where location_id = $1
       returning location_id, id
     ) insert into payments (location_id, order_id, payment_method_id, amount) select location_id, id, $1, 12.5 from made`,
    [locationId, id, externalId],
  );
  return id;
}

/** A delivery as a consumer saw it. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: Record<string, unknown>;
}

/** A consumer on loopback that keeps what it gets. */
export interface RecordingConsumer {
  url: string;
  received: Received[];
  close(): Promise<void>;
}

/** Starts one; `answer` answers, 200 unless given. */
export async function startConsumer(
  answer: (received: Received, response: ServerResponse, nth: number) => void = (_, response) =>
    response.end('ok'),
): Promise<RecordingConsumer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    const one = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) };
    received.push(one);
    answer(one, response, received.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const publishedEvents = statement<PublishedEvent>(
  'test_published_events',
  `select id, number::int, type, resource_id as "resourceId", body as text, body_v1 as "textV1", request_id as "requestId"
   from events order by location_id, number`,
);
