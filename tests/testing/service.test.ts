import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { comandaError } from '@comanda/client';
import { type ProcedureOutput, signTestEvent, startComanda, type TestLocation } from '@comanda/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeTestFolder } from '../support/folder.ts';
import { use } from '../support/use.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });
// On a busy machine a webhook takes its time.
const patient = { timeoutMs: 60_000 };

const cacheDir = makeTestFolder('cache');
const comanda = use(
  () => startComanda({ cacheDir }),
  (started) => started.stop(),
);

const place = (
  { client, product, paymentMethods }: TestLocation,
  key: string,
): Promise<ProcedureOutput<'orders.create'>> =>
  client.orders.create.mutate({
    idempotencyKey: key,
    external_id: key,
    is_take_away: true,
    identifier: '',
    payment_method_id: paymentMethods.cash,
    items: [{ product_id: product('DR-03').id, quantity: 1 }],
  });

describe('a new location', () => {
  it('has the menu, ways to pay and a key of its own, and sees no other', async () => {
    const [one, other] = await Promise.all([comanda.newLocation(), comanda.newLocation()]);
    expect((await one.client.products.list.query()).pagination.total).toBe(one.products.length);
    const methods = (await one.client.paymentMethods.list.query()).data;
    expect(methods.map(({ id }) => id).sort()).toEqual(Object.values(one.paymentMethods).sort());
    const order = await place(one, 'PO-1');
    const refusal = await other.client.orders.get.query({ id: order.id }).catch(comandaError);
    expect(refusal).toMatchObject({ code: 'resource_not_found' });
    expect(() => one.product('XX-01')).toThrow(/has no product XX-01; it has ST-01, /);
  });

  it('has the stock that it says', async () => {
    const { client, product } = await comanda.newLocation();
    const water = product('DR-03');
    expect((await client.products.get.query({ id: water.id })).stock).toMatchObject({
      quantity: water.stock,
    });
  });

  it('is as it is asked for', async () => {
    const made = await comanda.newLocation({
      name: 'La Fonda',
      timezone: 'America/Lima',
      currency: 'PEN',
      sandbox: true,
      catalog: 'none',
      permissions: ['locations:read', 'products:read', 'payments:read'],
    });
    expect(made.key).toMatch(/^cmd_test_/);
    expect((await made.client.products.list.query()).pagination.total).toBe(0);
    const [cash] = (await made.client.paymentMethods.list.query()).data;
    expect(made.paymentMethods).toEqual({ cash: cash?.id });
    const refused = await made.client.orders.list.query().catch(comandaError);
    expect(refused).toMatchObject({ code: 'permission_denied' });
  });

  it('is refused with a sentence', async () => {
    await expect(comanda.newLocation({ timezone: 'Mars/Olympus' })).rejects.toThrow(/time ?zone/i);
  });
});

describe('what is made older', () => {
  it('is an order by its id, which raises no event', async () => {
    const kitchen = await comanda.newLocation();
    const received = await kitchen.receivedEvents();
    const createdNext = async () => (await received.next('order.created')).data.external_id;
    const { id, created_at } = await place(kitchen, 'PO-1');
    expect(await createdNext()).toBe('PO-1');
    await kitchen.age({ id }, '8 days');
    const aged = await kitchen.client.orders.get.query({ id });
    expect(Date.parse(created_at) - Date.parse(aged.created_at)).toBe(8 * 86_400_000);
    await place(kitchen, 'PO-2');
    expect(await createdNext()).toBe('PO-2');
    expect(received.events.filter(({ type }) => type === 'order.updated')).toEqual([]);
    await received.close();
  });

  it('is an idempotency key, whose call is a new one then', async () => {
    const { client, age } = await comanda.newLocation();
    const tea = { idempotencyKey: 'tea', name: 'Tea', description: '', price: 1 };
    const { id } = await client.products.create.mutate(tea);
    expect((await client.products.create.mutate(tea)).id).toBe(id);
    await age('tea', '8 days');
    expect((await client.products.create.mutate(tea)).id).not.toBe(id);
  });

  it('is an event, which the feed of 30 days has no more', async () => {
    const kitchen = await comanda.newLocation({ catalog: 'none' });
    const received = await kitchen.receivedEvents();
    await kitchen.client.products.create.mutate({ name: 'Tea', description: '', price: 1 });
    const { id } = await received.next('product.created');
    const inFeed = async () =>
      (await kitchen.client.events.list.query()).data.some((event) => event.id === id);
    expect(await inFeed()).toBe(true);
    await kitchen.age({ id }, '31 days');
    expect(await inFeed()).toBe(false);
    await received.close();
  });

  it('has to be there, at this location', async () => {
    const [mine, other] = await Promise.all([comanda.newLocation(), comanda.newLocation()]);
    const order = await place(other, 'PO-1');
    await expect(mine.age(order, '1 day')).rejects.toThrow(`this location has nothing of the id ${order.id}`);
    await expect(mine.age('PO-1', '1 day')).rejects.toThrow('nothing of the idempotency key PO-1');
  });
});

describe('what is received', () => {
  it('is verified, waited for, and given once', async () => {
    const kitchen = await comanda.newLocation();
    const received = await kitchen.receivedEvents({ types: ['order.created', 'order.status_changed'] });
    const order = await place(kitchen, 'PO-1');
    await kitchen.client.orders.updateStatus.mutate({ id: order.id, status: 'ready' });
    const moved = await received.next('order.status_changed', patient);
    expect(moved.data).toMatchObject({ previous_status: 'pending', status: 'ready' });
    expect((await received.next(({ id }) => id !== moved.id, patient)).type).toBe('order.created');
    await expect(received.next('order.created', { timeoutMs: 50 })).rejects.toThrow(
      'no order.created within 50 ms; other deliveries: nothing',
    );
    await received.close();
  });

  it('comes again when the answer was a fault', async () => {
    const kitchen = await comanda.newLocation();
    const received = await kitchen.receivedEvents({
      types: ['order.created'],
      answer: (_, nth) => (nth === 1 ? 503 : 204),
    });
    await place(kitchen, 'PO-1');
    const first = await received.next('order.created', patient);
    const second = await received.next('order.created', patient);
    expect(second.id).toBe(first.id);
    await received.close();
  });

  it('is kept apart where the signature is not that of the endpoint', async () => {
    const kitchen = await comanda.newLocation();
    const received = await kitchen.receivedEvents({ types: ['order.created'] });
    const order = await place(kitchen, 'PO-1');
    const forged = signTestEvent({ type: 'order.created', data: order });
    const signed = signTestEvent({ type: 'order.created', data: order }, { secret: received.secret });
    const post = ({ headers, body }: typeof forged) => fetch(received.url, { method: 'POST', headers, body });
    expect([(await post(forged)).status, (await post(signed)).status]).toEqual([400, 204]);
    expect(received.refused.map(({ reason }) => reason)).toEqual(['wrong_secret']);
    expect((await received.next(({ id }) => signed.body.includes(id), patient)).data).toEqual(order);
    await received.close();
  });
});

describe('a start', () => {
  it('runs next to others, and each has a database of its own', async () => {
    const [one, other] = await Promise.all([startComanda({ cacheDir }), startComanda({ cacheDir })]);
    const stop = () => Promise.all([one.stop(), other.stop()]);
    onTestFinished(async () => void (await stop()));
    const { key } = await one.newLocation();
    expect(new Set([comanda.url, one.url, other.url]).size).toBe(3);
    const answer = await fetch(`${other.url}/v2/limits`, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(401);
    await stop();
    await expect(one.newLocation()).rejects.toThrow('Comanda has ended');
    await expect(fetch(one.url)).rejects.toThrow();
  });

  it('makes the prepared database again when that is not whole', async () => {
    const [template = ''] = readdirSync(cacheDir);
    writeFileSync(join(cacheDir, template, 'postgres/data/PG_VERSION'), '3\n');
    const mended = await startComanda({ cacheDir });
    expect((await mended.newLocation()).products.length).toBeGreaterThan(20);
    await mended.stop();
    expect(readdirSync(cacheDir)).toEqual([template]);
  });

  it('that cannot be says why', async () => {
    const file = join(cacheDir, 'a-file');
    writeFileSync(file, '');
    await expect(startComanda({ cacheDir: join(file, 'below') })).rejects.toThrow(/ENOTDIR|EEXIST/);
    rmSync(file);
  });
});
