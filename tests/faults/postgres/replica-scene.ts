import { randomUUID } from 'node:crypto';
import { openDatabase } from '@comanda/db';
import pg from 'pg';
import { type Answer, callRest } from '../../support/api.ts';
import { createKey, createLocation, createPaymentMethod } from '../../support/factories.ts';
import { createManyOrders } from '../../support/many-orders.ts';
import { orderBody } from '../../support/orders.ts';
import { startProcess, type TestProcess } from '../../support/processes.ts';
import { readFromReplica, replicaReads } from '../../support/replica.ts';
import { trials } from '../../support/trials.ts';
import { waitFor } from '../../support/wait.ts';
import { type OwnServer, startOwnServer } from './server.ts';
import { primarySettings, startStandby } from './standby.ts';

/** A database with a standby, an API process that reads from it, and one that knows nothing of it. */
export interface ReplicaScene {
  primary: OwnServer;
  standby: OwnServer;
  reading: TestProcess;
  plain: TestProcess;
  rest(api: TestProcess, route: string, body?: unknown): Promise<Answer>;
  /** The same for many: nothing but the status of the answer, which is read to its end. */
  statusOf(api: TestProcess, route: string): Promise<number>;
  /** A connection that the caller ends. */
  connect(server: OwnServer): Promise<pg.Client>;
  /** Runs SQL on a connection of its own. */
  sql<Row>(server: OwnServer, text: string): Promise<Row[]>;
  /** Who answered the reads of the process so far: `replica`, or why the primary did. */
  counts(): Promise<Record<string, number>>;
  /** That of a turn that was closed. */
  settlementId: string;
  /** Resolves once the replica answers. */
  replicaAnswers(): Promise<void>;
  /** Makes a category, a product with stock in it and an order of it; what each list must then show. */
  write(api: TestProcess): Promise<Written>;
  close(): Promise<void>;
}

/** What was written, and what the answer to each route holds from then on. */
export interface Written {
  shownBy: Readonly<Record<string, string>>;
}

/** Days that hold everything. */
export const always = 'from=2026-01-01&to=2099-12-31';

/** Every REST route that may be read from a replica, with what its path names. */
export function replicaRoutes(ids: { endpoint: string; settlement: string }): string[] {
  const needs: Record<string, string> = {
    'orders.export': `?${always}`,
    'salesReports.get': `?${always}&group_by=day`,
  };
  return readFromReplica.flatMap(({ name, routes }) =>
    routes.map(({ path }) => {
      const id = name.startsWith('settlements.') ? ids.settlement : ids.endpoint;
      return `GET ${path.replace('{id}', id)}${needs[name] ?? ''}`;
    }),
  );
}

/** Sets one. */
export async function setReplicaScene(): Promise<ReplicaScene> {
  const primary = await startOwnServer({ settings: primarySettings });
  const standby = await startStandby(primary);
  const database = openDatabase({ url: primary.url, poolSize: 2 });
  const locationId = await createLocation(database);
  const { key } = await createKey(database, {
    ...{ locationId, perMinute: 1_000_000, batchJobsPerHour: 100_000, maxItemsPerBatch: 100_000 },
  });
  const paymentMethodId = await createPaymentMethod(database, { locationId });
  await createManyOrders(database, { locationId, count: trials(300, 10_000), from: '2026-05-01' });
  await database.prisma.locationCounter.create({ data: { locationId, name: 'order', value: 100_000 } });
  await database.prisma.turn.create({ data: { locationId, batchNumber: 1 } });
  await database.prisma.turn.updateMany({ where: { locationId }, data: { status: 'closed' } });
  const { id: settlementId } = await database.prisma.settlement.findFirstOrThrow({ where: { locationId } });
  await database.close();
  const env = { DATABASE_URL: primary.url };
  const [reading, plain] = await Promise.all([
    startProcess({ entry: 'api', env: { ...env, DATABASE_REPLICA_URL: standby.url } }),
    startProcess({ entry: 'api', env }),
  ]);

  const rest = (api: TestProcess, route: string, body?: unknown) =>
    callRest(api.url ?? '', route, {
      key,
      ...(body !== undefined && { body, headers: { 'idempotency-key': randomUUID() } }),
    });
  const made = async (api: TestProcess, route: string, body: unknown) => {
    const answer = await rest(api, route, body);
    if (answer.status !== 201) throw new Error(`${route}: ${answer.status} ${answer.text}`);
    return (answer.body as { data: { id: string } }).data.id;
  };
  const counts = () => replicaReads(reading.url ?? '');
  const connect = async ({ url }: OwnServer) => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const sql = async <Row>(server: OwnServer, text: string): Promise<Row[]> => {
    for (;;) {
      const client = await connect(server);
      try {
        return (await client.query(text)).rows as Row[];
      } catch (error) {
        // A standby that replays ends what stands in its way.
        if (!(error instanceof pg.DatabaseError && error.code === '40001')) throw error;
      } finally {
        await client.end();
      }
    }
  };

  return {
    ...{ primary, standby, reading, plain, rest, connect, sql, counts, settlementId },
    async statusOf(api, route) {
      const [method = '', path = ''] = route.split(' ');
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${api.url}${path}`, { method, headers });
      await response.arrayBuffer();
      return response.status;
    },
    async replicaAnswers() {
      const { replica: before = 0 } = await counts();
      await waitFor('the replica to answer', async () => {
        await rest(reading, 'GET /v2/products?limit=1');
        return ((await counts()).replica ?? 0) > before;
      });
    },
    async write(api) {
      const sku = `sku-${randomUUID()}`;
      const category = await made(api, 'POST /v2/categories', { name: sku, priority: 1, visible: true });
      const product = await made(api, 'POST /v2/products', {
        ...{ sku, name: 'Soup', description: '', price: 4, category_ids: [category] },
        stock: { enabled: true, quantity: 10, min_stock_alarm: 0 },
      });
      const order = await made(
        api,
        'POST /v2/orders',
        orderBody({ productId: product, paymentMethodId }, { channel: sku }),
      );
      return {
        shownBy: {
          [`GET /v2/products?sku=${sku}`]: product,
          'GET /v2/categories?limit=200': category,
          'GET /v2/stock?limit=200': product,
          'GET /v2/orders': order,
          [`GET /v2/payments?order_id=${order}`]: order,
          'GET /v2/catalog': product,
          [`GET /v2/sales-reports?${always}&group_by=channel`]: sku,
          [`GET /v2/orders/export?${always}`]: order,
        },
      };
    },
    async close() {
      await Promise.all([reading.stop(), plain.stop()]);
      await standby.remove();
      await primary.remove();
    },
  };
}
