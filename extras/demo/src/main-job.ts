import { startConsumer } from './consumer.ts';

/** The demo's base address, and its log. */
export interface MainJobOptions {
  baseUrl: string;
  /** A key with every permission of a location that has an enabled payment method. */
  key: string;
  /** Called with every step and its response. */
  print(step: string, output?: unknown): void;
  products?: number;
  /** How long to wait for the job and for the events, in milliseconds. */
  patienceMs?: number;
}

/** The results of the main job, for its checker. */
export interface MainJobResult {
  orderId: string;
  replayed: boolean;
  jobStatus: string;
  eventTypes: string[];
  allVerified: boolean;
  deliveries: number;
}

/** The event types that the main job listens for; the last is that of the closed order. */
const listened = [
  'order.created',
  'order.updated',
  'order.status_changed',
  'order.completed',
  'payment.created',
  'sync.completed',
] as const;

/** The events that must arrive: two moves make two of each move's types. */
const expected: Record<(typeof listened)[number], number> = {
  'order.created': 1,
  'order.updated': 2,
  'order.status_changed': 2,
  'order.completed': 1,
  'payment.created': 1,
  'sync.completed': 1,
};

/**
 * The main job, as an ERP does it: register an endpoint, sync products, read the job until it is completed, place
 * an order, repeat it, move it to closed, receive every event and verify it, read the delivery log. Throws when an
 * answer is not the one documented.
 */
export async function runMainJob(options: MainJobOptions): Promise<MainJobResult> {
  const { print, products: count = 500, patienceMs = 30_000 } = options;
  const call = caller(options);
  const consumer = await startConsumer();
  try {
    const endpoint = await call('POST /v2/webhook-endpoints', 201, { url: consumer.url, events: listened });
    consumer.useSecret(text(endpoint.data.secret));
    print(`Registered ${consumer.url}`, { ...endpoint.data, secret: 'whsec_… (shown once)' });

    const items = Array.from({ length: count }, (_, index) => product(index));
    const started = await call('POST /v2/sync/products', 202, { mode: 'upsert', items }, 'sync-1');
    print(`Sent ${count} products`, started.data);
    const job = await waitFor(patienceMs, 'the sync job', async () => {
      const { data } = await call(`GET /v2/sync/jobs/${started.data.job_id}`, 200);
      return data.status === 'completed' || data.status === 'failed' ? data : undefined;
    });
    print('The job has ended', job);

    const [first, second] = await Promise.all(
      [product(0), product(1)].map(({ external_id }) =>
        call(`GET /v2/products/by-external-id/${external_id}`, 200),
      ),
    );
    const methods = await call('GET /v2/payment-methods', 200);
    const [method] = methods.data as unknown as { id: string }[];
    if (first === undefined || second === undefined || method === undefined)
      throw new Error('nothing to order');
    const order = {
      external_id: 'ERP-10001',
      channel: 'erp',
      is_take_away: false,
      identifier: 'Table 4',
      payment_method_id: method.id,
      items: [
        { product_id: first.data.id, quantity: 2, comment: 'no sugar' },
        { product_id: second.data.id, quantity: 1 },
      ],
    };
    const placed = await call('POST /v2/orders', 201, order, 'order-1');
    print('Placed an order with Idempotency-Key order-1', placed.data);
    const again = await call('POST /v2/orders', 201, order, 'order-1');
    const replayed = again.headers.get('idempotency-replayed') === 'true' && again.text === placed.text;
    print('Sent it again: the same answer, byte for byte', { 'Idempotency-Replayed': replayed });

    const id = text(placed.data.id);
    for (const status of ['ready', 'closed']) {
      const moved = await call(`PATCH /v2/orders/${id}/status`, 200, { status });
      print(`Moved the order to ${status}`, { id, status: moved.data.status });
    }

    await waitFor(patienceMs, 'every event', async () => (complete(consumer.received) ? true : undefined));
    const events = [...consumer.received.values()];
    print(
      `Received ${events.length} events; signatures checked by the standardwebhooks package`,
      events.map(
        ({ type, verified, attempt }) => `${verified ? 'verified' : 'REFUSED '}  attempt ${attempt}  ${type}`,
      ),
    );

    const endpointId = text(endpoint.data.id);
    const log = await waitFor(patienceMs, 'the delivery log', async () => {
      const answer = await call(`GET /v2/webhook-endpoints/${endpointId}/deliveries`, 200);
      return (answer.data as unknown as unknown[]).length >= events.length ? answer : undefined;
    });
    const attempts = log.data as unknown as Record<string, unknown>[];
    print(`Read the delivery log: ${attempts.length} attempts`, attempts[0]);
    await call(`DELETE /v2/webhook-endpoints/${endpointId}`, 200);
    return {
      orderId: id,
      replayed,
      jobStatus: text(job.status),
      eventTypes: events.map(({ type }) => type),
      allVerified: events.every(({ verified }) => verified),
      deliveries: attempts.length,
    };
  } finally {
    await consumer.close();
  }
}

interface Answer {
  data: Record<string, unknown>;
  headers: Headers;
  text: string;
}

function caller({ baseUrl, key }: MainJobOptions) {
  return async (route: string, status: number, body?: unknown, idempotencyKey?: string): Promise<Answer> => {
    const [method = '', path = ''] = route.split(' ');
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== status)
      throw new Error(`${route}: expected ${status}, got ${response.status}: ${text}`);
    return {
      data: (JSON.parse(text) as { data: Record<string, unknown> }).data,
      headers: response.headers,
      text,
    };
  };
}

function product(index: number) {
  const number = String(index + 1).padStart(4, '0');
  return {
    external_id: `ERP-${number}`,
    sku: `SKU-${number}`,
    name: `Product ${number}`,
    price: 5 + (index % 200) / 4,
    visible: true,
  };
}

function complete(received: ReadonlyMap<string, { type: string }>): boolean {
  const types = [...received.values()].map(({ type }) => type);
  return Object.entries(expected).every(
    ([type, times]) => types.filter((one) => one === type).length >= times,
  );
}

async function waitFor<T>(patienceMs: number, what: string, check: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const value = await check();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`${what} did not come within ${patienceMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`expected text, got ${JSON.stringify(value)}`);
  return value;
}
