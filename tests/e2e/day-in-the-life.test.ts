import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../support/wait.ts';
import {
  requireExport,
  requireLists,
  requireOrderEvents,
  requirePayments,
  requireReports,
  turnover,
} from './day/books.ts';
import { createChance } from './day/chance.ts';
import { addOffMenu, changeOffer, removeProduct, requireCatalog, sendOffer } from './day/changes.ts';
import { countTypes, type Listener, startListener } from './day/listener.ts';
import { createOffer, isScarce } from './day/offer.ts';
import { expectedOrderEvents, expectedSettlement } from './day/reports.ts';
import { dataIn, inLanes, openRestaurant, type Restaurant, wentThrough } from './day/restaurant.ts';
import {
  drawOrder,
  fates,
  postDraft,
  type Service,
  sendOrder,
  serve,
  tryMove,
  tryPay,
} from './day/service.ts';
import { correctStock, expectedStock, raceStock, readStock } from './day/stock.ts';
import { type Method, paymentStatusOf, statusOf, Tally } from './day/tally.ts';

// Another seed is another day.
const seed = Number(process.env.DAY_SEED ?? 20_260_131);

let restaurant: Restaurant;
let listener: Listener;
beforeAll(async () => {
  [restaurant, listener] = await Promise.all([openRestaurant(), startListener()]);
});
afterAll(async () => {
  await listener?.close();
  await restaurant?.close();
});

it('a day in the life of a restaurant adds up to the cent, however it is asked', async () => {
  console.info(`seed ${seed}`);
  const { locationId } = restaurant;
  await listen();
  const service = await hire();
  const { offer, tally, happenings } = service;
  await sendOffer(service);
  await addOffMenu(service);
  const scarce = offer.products.filter(isScarce);
  // No guest orders these, so the result of two concurrent syncs is known.
  const reserved = offer.products.filter(
    ({ stock }, index) => stock !== undefined && index >= 360 && index % 40 !== 20,
  );
  const usual = offer.products.filter((product) => !scarce.includes(product) && !reserved.includes(product));

  let next = 0;
  const orderAndServe = (products: typeof usual) => async () => {
    const index = next++;
    const hopeful = products === scarce;
    const order = await sendOrder(service, drawOrder(service, index, products), {
      ...{ turn: index, twice: !hopeful && index % 4 === 1 },
    });
    if (order === undefined && !hopeful) throw new Error(`order ${index} was refused`);
    if (order) await serve(service, order, fates[(index * 7) % fates.length] ?? 'left', index);
  };
  const wave = async (count: number, hopefuls: number) => {
    const tasks = Array.from({ length: count + hopefuls }, (_, index) =>
      orderAndServe(hopefuls > 0 && index % Math.ceil((count + hopefuls) / hopefuls) === 0 ? scarce : usual),
    );
    await inLanes(24, tasks);
  };

  await wave(6, 0);
  const opened = await Promise.all(
    [0, 1].map((turn) => wentThrough(restaurant.client(turn).turns.open.mutate())),
  );
  expect(opened.sort()).toEqual([false, true]);
  service.inTurn = true;

  let stockRaces = 0;
  const raceStockThrice = async (firstRound: number) => {
    for (const round of [0, 1, 2])
      if (await raceStock(service, reserved, firstRound + round)) stockRaces += 1;
  };
  await Promise.all([wave(170, 20), raceStockThrice(1)]);
  expect(await readStock(service)).toEqual(expectedStock(offer.products));

  await correctStock(service, 0, [
    ...scarce.map((product) => ({ product, by: 'product_id' as const, milli: 4_000n })),
    ...usual.slice(0, 80).flatMap((product, index) => {
      if (product.stock === undefined) return [];
      const by = index % 8 === 0 ? ('sku' as const) : ('external_id' as const);
      // One stays as it is, one is counted no more, one is counted from now on.
      if (index === 4) return { product, by, milli: product.stock.milli };
      if (index === 16) return { product, by, milli: 200_000n, enabled: false };
      if (index === 8) return { product, by, milli: 300_125n, enabled: true, alarmMilli: 1n };
      return { product, by, milli: 123_456n + BigInt(index) };
    }),
    ...usual.slice(1, 3).map((product) => ({ product, by: 'sku' as const, milli: 777_777n })),
  ]);
  const changed = await changeOffer(service);
  await requireCatalog(service);
  await Promise.all([wave(130, 20), raceStockThrice(4)]);
  await sendAgain(service);

  const inTurn = tally.orders.filter((order) => order.inTurn);
  // All payments until now, including those of orders before the turn: no turn was open then.
  const settled = expectedSettlement(inTurn, tally.orders);
  const current = dataIn<{ id: string }>(await restaurant.call(0, 'GET /v2/turns/current'));
  expect(current).toMatchObject({
    total_orders: settled.total_orders,
    total_collected: settled.total_collected,
  });
  const closed = await Promise.all(
    [0, 1].map((turn) => wentThrough(restaurant.client(turn).turns.close.mutate())),
  );
  expect(closed.sort()).toEqual([false, true]);
  service.inTurn = false;

  // After the close: nothing of it may reach the settlement.
  await wave(6, 0);
  let late = 0;
  for (const [index, order] of inTurn.entries()) {
    if (statusOf(order) === 'pending' && index % 2 === 0) await tryMove(service, order, 1, 'canceled');
    else if (paymentStatusOf(order) !== 'pending') continue;
    else if (await tryPay(service, order, index, 'complete')) late += 1;
  }
  const sold = inTurn.find(
    (order) => statusOf(order) === 'closed' && order.lines.some(({ product }) => product.stock),
  );
  const gone = sold?.lines.find(({ product }) => product.stock && !changed.includes(product))?.product;
  if (gone === undefined) throw new Error('nothing with stock was sold');
  await removeProduct(service, gone);
  await restaurant.client(1).catalog.publish.mutate();

  const [settlement, more] = dataIn<{ id: string }[]>(await restaurant.call(0, 'GET /v2/settlements'));
  expect(more).toBeUndefined();
  const detail = dataIn<Record<string, unknown>>(
    await restaurant.call(1, `GET /v2/settlements/${settlement?.id}`),
  );
  const { payments, ...rest } = settled;
  expect(detail).toMatchObject({ ...rest, turn_id: current.id, batch_number: '1' });
  expect(detail.payments).toHaveLength(payments.length);
  expect(detail.payments).toEqual(expect.arrayContaining(payments));
  expect(dataIn(await restaurant.call(1, `GET /v2/turns/${current.id}`))).toMatchObject({
    ...{ status: 'closed', total_orders: settled.total_orders, total_collected: settled.total_collected },
  });
  await requireReports(service);
  await requireExport(service);
  await requirePayments(service);
  await requireLists(service);
  await requireCatalog(service);
  expect(await readStock(service)).toEqual(expectedStock(offer.products));

  await waitFor('every event to be published and delivered', () => restaurant.isQuiet(), {
    timeoutMs: 180_000,
  });
  const published = await restaurant.database.prisma.event.findMany({
    where: { locationId },
    select: { id: true },
  });
  const events = [...listener.events.values()];
  expect(listener.faults).toEqual([]);
  expect(events.map(({ id }) => id).sort()).toEqual(published.map(({ id }) => id).sort());
  expect(countTypes(events)).toEqual({
    ...expectedOrderEvents(tally.orders),
    'stock.updated': tally.stockEvents,
    'product.created': 401,
    'product.updated': changed.length,
    'product.deleted': 1,
    // Two syncs, a product deleted, and the publication.
    'catalog.updated': 4,
    ...{ 'turn.open': 1, 'turn.updated': 1, 'turn.closed': 1, 'settlement.created': 1 },
  });
  for (const event of events) expect(event).toMatchObject({ api_version: 'v2', location_id: locationId });
  requireOrderEvents(service, events);
  const versions = events.flatMap(({ type, data }) =>
    type === 'catalog.updated' ? Number(data.version) : [],
  );
  expect(versions.sort()).toEqual([1, 2, 3, 4]);
  expect(events.find(({ type }) => type === 'settlement.created')?.data).toMatchObject({
    ...{ id: settlement?.id, total_orders: settled.total_orders, total_amount: settled.total_collected },
  });

  const canceled = tally.orders.filter((order) => statusOf(order) === 'canceled').length;
  const { races, sentTwice } = happenings;
  console.info(
    `${happenings.sent} orders sent, ${happenings.refused} refused for stock, ${sentTwice.all} sent twice ` +
      `(${sentTwice.real} really at once), ${canceled} canceled, ${races.all} races (${races.real} real), ${stockRaces} of 6 ` +
      `stock races real, ${late} paid after the close, turnover ${turnover(service)} CAD, ${events.length} events, ` +
      `${listener.repeats()} delivered again`,
  );
  expect(happenings.sent - happenings.refused).toBeGreaterThanOrEqual(300);
  expect(races.real).toBeGreaterThan(0);
  expect(sentTwice.real).toBeGreaterThan(0);
  expect((await restaurant.stop()).map(({ code }) => code)).toEqual([0, 0, 0]);
}, 600_000);

async function listen(): Promise<void> {
  const events = [
    ...['order.created', 'order.updated', 'order.cancelled', 'order.completed', 'order.status_changed'],
    ...['payment.created', 'payment.updated', 'payment.completed', 'payment.rejected'],
    ...['product.created', 'product.updated', 'product.deleted', 'stock.updated', 'catalog.updated'],
    ...['sync.completed', 'sync.failed', 'turn.open', 'turn.updated', 'turn.closed', 'settlement.created'],
  ];
  const body = { url: listener.url, events };
  const answer = await restaurant.call(0, 'POST /v2/webhook-endpoints', { body });
  listener.useSecret(dataIn<{ secret: string }>(answer, 201).secret);
}

async function hire(): Promise<Service> {
  const method = async (name: string, type: Method['type']): Promise<Method> => {
    const { id } = await restaurant.client(0).paymentMethods.create.mutate({ name, type });
    return { id, name, type };
  };
  // Two of one type: settlements are by type, reports by method.
  const methods = [
    await method('Cash', 'cash'),
    await method('Visa', 'card'),
    await method('Amex', 'card'),
    await method('QR', 'qr'),
  ];
  return {
    ...{ restaurant, methods, offer: createOffer(), tally: new Tally(), chance: createChance(seed) },
    happenings: { sent: 0, refused: 0, sentTwice: { real: 0, all: 0 }, races: { real: 0, all: 0 } },
    answers: new Map(),
    inTurn: false,
  };
}

// Long after: the same key answers as it did then; with another body, or the name of an order under another key, not.
async function sendAgain({ tally, answers }: Service): Promise<void> {
  // A product with too little stock is refused for that, before anything else.
  const plenty = tally.orders.filter(({ draft }) => !draft.lines.some(({ product }) => isScarce(product)));
  for (const [index, { id, draft }] of plenty.entries()) {
    if (index % 20 > 0) continue;
    const again = await postDraft(restaurant, index / 20, draft);
    expect(again.text).toBe(answers.get(draft.key));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const reused = await postDraft(restaurant, index / 20, { ...draft, identifier: 'another' });
    expect([reused.status, reused.text]).toEqual([409, expect.stringContaining('"conflict"')]);
    const taken = await postDraft(restaurant, index / 20, { ...draft, key: `${draft.key} again` });
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining(id)]);
  }
}
