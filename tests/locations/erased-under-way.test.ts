import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { untilQuiet } from '../model/service.ts';
import { createChance } from '../support/chance.ts';
import { useConsumer } from '../support/consumer.ts';
import { createOrderKitchen, orderBody, orderOf, postOrder } from '../support/orders.ts';
import { seedOf } from '../support/trials.ts';
import { tablesWith, usePlace } from './moving.ts';

vi.setConfig({ testTimeout: 180_000 });

const seed = seedOf(5);
const place = usePlace();
// It answers late, with what it got: the order is erased while it thinks.
const consumer = useConsumer(({ text }, response) => {
  setTimeout(() => response.end(text.slice(0, 1_000)), 400);
});

it(`a guest is erased while events of the order are composed, sent and answered (COMANDA_SEED=${seed})`, async () => {
  const { api } = place;
  const chance = createChance(seed);
  const kitchen = await createOrderKitchen(api);
  const endpoint = { url: consumer.url, events: ['order.created', 'order.updated', 'order.cancelled'] };
  await api.rest('POST /v2/webhook-endpoints', { body: { ...endpoint, include: ['customer', 'snapshot'] } });
  await place.startWorker();
  const lives = Array.from({ length: 10 }, async (_, index) => {
    await sleep(chance.between(0, 2_000));
    const mark = `Zurda ${index}`;
    const person = { customer: { name: mark, phone: mark }, delivery: { lines: [mark] }, note: mark };
    const { id } = orderOf(await postOrder(api, orderBody(kitchen, { ...person, identifier: mark })));
    await sleep(chance.between(0, 600));
    const edited = await api.rest(`PATCH /v2/orders/${id}`, {
      body: { note: `${mark} again` },
      headers: { 'idempotency-key': randomUUID() },
    });
    expect(edited.status, edited.text).toBe(200);
    await sleep(chance.between(0, 1_200));
    const erased = await place.comanda('erase', '--order', id);
    expect(erased.code, erased.stderr).toBe(0);
  });
  await Promise.all(lives);
  await untilQuiet(api.app.database.pool, 60_000);
  expect(consumer.received.filter(({ text }) => text.includes('Zurda')).length).toBeGreaterThan(0);
  expect(await tablesWith(place, 'Zurda')).toEqual([]);
});
