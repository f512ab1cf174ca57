import { createHmac, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { choosePort } from '../../packages/embedded/src/port.ts';
import { callRest } from '../support/api.ts';
import { useDemo } from '../support/demo.ts';
import { waitFor } from '../support/wait.ts';
import { type NodeRed, startNodeRed } from './node-red.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('the flows of examples/node-red in Node-RED', () => {
  const demo = useDemo();
  const folder = mkdtempSync(join(tmpdir(), 'comanda-outside-'));
  const file = (name: string) => join(folder, name);
  let nodeRed: NodeRed;
  let hook: string;
  let secret: string;

  const rest = async (call: string, body?: object) => {
    const headers = { 'idempotency-key': randomUUID() };
    const sent = body === undefined ? {} : { body, headers };
    const { status, text } = await callRest(demo.url, call, { key: demo.key, ...sent });
    expect(status, text).toBeLessThan(300);
    return JSON.parse(text).data;
  };
  const linesOf = (name: string): { id: string; type: string; data: { id: string } }[] =>
    existsSync(file(name))
      ? readFileSync(file(name), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      : [];
  const placeOrder = async (name: string): Promise<string> => {
    const [method] = await rest('GET /v2/payment-methods');
    const [product] = await rest('GET /v2/products?visible=true&limit=1');
    const order = await rest('POST /v2/orders', {
      external_id: name,
      is_take_away: true,
      identifier: 'Node-RED',
      payment_method_id: method.id,
      items: [{ product_id: product.id, quantity: 1 }],
    });
    return order.id;
  };

  beforeAll(async () => {
    const port = await choosePort(folder, null);
    hook = `http://127.0.0.1:${port}/comanda`;
    ({ secret } = await rest('POST /v2/webhook-endpoints', { url: hook, events: ['order.created'] }));
    nodeRed = await startNodeRed(port, {
      COMANDA_URL: demo.url,
      COMANDA_KEY: demo.key,
      COMANDA_SECRET: `whsec_${Buffer.from('the next secret').toString('base64')} ${secret}`,
      COMANDA_CSV: file('products.csv'),
      COMANDA_ORDERS_FILE: file('orders.ndjson'),
      COMANDA_EVENTS_FILE: file('events.ndjson'),
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('push the rows of a CSV file: they are products, and empty cells leave their fields', async () => {
    const head = 'external_id,name,price,visible,description,tax_rate\r\n';
    writeFileSync(
      file('products.csv'),
      `${head}0007,"Café, crème",3.50,true,Hot,10\r\nNR-2,Water,1.20,false,,\r\n`,
    );
    await nodeRed.press('comanda-push-start');
    const found = (id: string) => rest(`GET /v2/products/by-external-id/${id}`);
    await waitFor('the products', () => found('NR-2'));
    expect(await found('0007')).toMatchObject({
      name: 'Café, crème',
      price: 3.5,
      visible: true,
    });
    expect(await found('NR-2')).toMatchObject({ name: 'Water', price: 1.2, visible: false });

    writeFileSync(file('products.csv'), `${head}0007,"Café, crème",3.75,,,\r\n`);
    await nodeRed.press('comanda-push-start');
    await waitFor('the new price', async () => (await found('0007')).price === 3.75);
    expect(await found('0007')).toMatchObject({ description: 'Hot', visible: true });
  });

  test('say which value the service refuses, and how many rows failed', async () => {
    writeFileSync(file('products.csv'), 'external_id,name,price\r\nNR-3,Bread,-1\r\nNR-4,Milk,2\r\n');
    await nodeRed.press('comanda-push-start');
    await waitFor('the refusal', () => nodeRed.output().includes('items[0].price: must not be negative'));

    const head = 'external_id,name,price,category_external_ids\r\n';
    writeFileSync(file('products.csv'), `${head}NR-3,Bread,1,no-such\r\nNR-4,Milk,2,\r\n`);
    await nodeRed.press('comanda-push-start');
    await waitFor('the warning', () => nodeRed.output().includes('1 of 2 rows failed'));
    expect(await rest('GET /v2/products/by-external-id/NR-4')).toMatchObject({ price: 2 });
  });

  test('pull the orders of the last day, and from then on what is placed or changed', async () => {
    await waitFor('the first orders', () => linesOf('orders.ndjson').length > 0);
    const id = await placeOrder('NODE-RED-1');
    await waitFor(
      'the new order',
      async () => {
        await nodeRed.press('comanda-pull-start');
        return linesOf('orders.ndjson').some((order) => order.id === id);
      },
      { intervalMs: 500 },
    );
    const before = linesOf('orders.ndjson').length;
    const next = await placeOrder('NODE-RED-2');
    await waitFor(
      'the one after it',
      async () => {
        await nodeRed.press('comanda-pull-start');
        return linesOf('orders.ndjson').some((order) => order.id === next);
      },
      { intervalMs: 500 },
    );
    // From the cursor on: not the orders of the day anew.
    expect(
      linesOf('orders.ndjson')
        .slice(before)
        .map((order) => order.id),
    ).not.toContain(id);
  });

  test('take a webhook of the service, once', async () => {
    const id = await placeOrder('NODE-RED-3');
    const event = await waitFor('the event', () =>
      linesOf('events.ndjson').find((each) => each.data.id === id),
    );
    expect(event).toMatchObject({ type: 'order.created' });
    const again = await send({ id: event.id, body: JSON.stringify(event) });
    expect(again.status).toBe(204);
    expect(linesOf('events.ndjson').filter((each) => each.id === event.id)).toHaveLength(1);
  });

  test('answer 400 to what is not signed with the secret, or is old, and write nothing of it', async () => {
    const before = linesOf('events.ndjson').length;
    const other = `whsec_${Buffer.from('another').toString('base64')}`;
    const old = Math.floor(Date.now() / 1000) - 301;
    const refused = [
      await send({ key: other }),
      await send({ timestamp: old }),
      await send({ sent: '{"id":"altered"}' }),
      await fetch(hook, { method: 'POST', body: '{}' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(linesOf('events.ndjson')).toHaveLength(before);
    expect((await send({})).status).toBe(204);
    expect(linesOf('events.ndjson')).toHaveLength(before + 1);
  });

  interface Sent {
    id: string;
    body: string;
    /** What is sent in place of the signed body. */
    sent: string;
    key: string;
    timestamp: number;
  }

  /** Posts an event to the flow as the service does. */
  function send(given: Partial<Sent>): Promise<Response> {
    const { id = randomUUID(), key = secret, timestamp = Math.floor(Date.now() / 1000) } = given;
    const { body = JSON.stringify({ id, type: 'order.created', data: { id: 'ação' } }) } = given;
    const mac = createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'));
    const signature = `v1,${mac.update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    return fetch(hook, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature,
      },
      body: given.sent ?? body,
    });
  }
});
