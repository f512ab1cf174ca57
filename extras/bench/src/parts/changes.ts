import { setTimeout as sleep } from 'node:timers/promises';
import { inLanes, type Place, placeOrder, send, settled, subscribe } from '../calls.ts';
import type { Cpu } from '../cpu.ts';
import type { Figure, Goal } from '../figure.ts';
import { fillWithCompany, makePlace, tidy } from '../fill.ts';
import { cpuFigures } from '../load.ts';
import type { Part } from '../part.ts';
import type { Subject } from '../subject.ts';

/** A change that is made over and over. */
interface Change {
  work: string;
  /** How often in a round, and how many at once. */
  calls: number;
  lanes: number;
  goal?: Goal;
  once(stage: Stage, at: number): Promise<unknown>;
}

interface Stage {
  apiUrl: string;
  /** Eight locations of 100 products. */
  places: readonly Place[];
  /** Has 250 products in one category. */
  shelf: Place & { categoryId: string };
}

/** What a change costs until all its events are delivered: CPU of API, PostgreSQL and worker, in a filled database. */
export const changes: Part = {
  name: 'changes',
  summary: 'CPU of API, PostgreSQL and worker for a change until all its events are delivered',
  rounds: 6,
  async open({ subject, small }) {
    await fillWithCompany(subject, small);
    const places: Place[] = [];
    for (let index = 0; index < 8; index += 1) places.push(await makePlace(subject, 100));
    const shelf = await makePlace(subject, 250, 1);
    await tidy(subject);
    const [consumer, api] = await Promise.all([
      subject.startConsumer(),
      subject.startApi(),
      subject.startWorker(),
    ]);
    for (const { key } of [...places, shelf]) await subscribe(api.url, key, `${consumer.url}/hook`, heard);
    const { rows } = await subject.database.pool.query<{ id: string }>(
      'select id from categories where location_id = $1',
      [shelf.locationId],
    );
    const stage = { apiUrl: api.url, places, shelf: { ...shelf, categoryId: rows[0]?.id ?? '' } };
    await settled(subject);
    return async () => {
      const idle = await idleCpu(subject, small ? 200 : 2_000);
      const figures: Figure[] = [];
      for (const change of kinds) figures.push(...(await costOf(subject, { change, stage, idle, small })));
      return figures;
    };
  },
};

const heard = [
  'product.created',
  'product.updated',
  'catalog.updated',
  'stock.updated',
  'order.created',
  'order.status_changed',
  'payment.created',
  'sync.completed',
];

let counter = 0;

const placeAt = ({ places }: Stage, at: number): Place => {
  const place = places[at % places.length];
  if (place === undefined) throw new Error('there is no location');
  return place;
};

/** A product in turn, and a price that it has not had. */
function nextProduct({ productIds }: Place): { id: string; price: number } {
  counter += 1;
  return { id: productIds[counter % productIds.length] ?? '', price: (500 + (counter % 9_973)) / 100 };
}

const changePrice = ({ apiUrl }: Stage, place: Place) => {
  const { id, price } = nextProduct(place);
  return send(apiUrl, place.key, { method: 'PATCH', path: `/v2/products/${id}`, body: { price } });
};

const changeStock = ({ apiUrl }: Stage, place: Place) => {
  const path = `/v2/products/${nextProduct(place).id}/stock/adjust`;
  return send(apiUrl, place.key, { method: 'POST', path, body: { adjust: -1 } });
};

const kinds: readonly Change[] = [
  {
    work: 'a price',
    calls: 200,
    lanes: 1,
    goal: { most: 5_000 },
    once: (stage, at) => changePrice(stage, placeAt(stage, at)),
  },
  {
    work: 'a stock count',
    calls: 200,
    lanes: 1,
    once: (stage, at) => changeStock(stage, placeAt(stage, at)),
  },
  {
    work: 'an order of three lines, alone',
    calls: 200,
    lanes: 1,
    once: (stage, at) => placeOrder(stage.apiUrl, placeAt(stage, at)),
  },
  {
    work: 'an order of three lines, 32 at once at one location',
    calls: 640,
    lanes: 32,
    once: (stage) => placeOrder(stage.apiUrl, placeAt(stage, 0)),
  },
  {
    work: 'an order of three lines, 32 at once over 8 locations',
    calls: 640,
    lanes: 32,
    once: (stage, at) => placeOrder(stage.apiUrl, placeAt(stage, at)),
  },
  {
    work: '250 prices in one call',
    calls: 8,
    lanes: 1,
    once: ({ apiUrl, shelf }, at) =>
      send(apiUrl, shelf.key, {
        method: 'POST',
        path: '/trpc/categories.changePrices',
        body: { id: shelf.categoryId, amount: at % 2 === 0 ? 1 : -1 },
      }),
  },
  {
    work: 'a products job of 500',
    calls: 4,
    lanes: 1,
    once({ apiUrl, shelf }) {
      counter += 1;
      const items = Array.from({ length: 500 }, (_, index) => ({
        external_id: `job-${index}`,
        name: `Product ${index} of ${counter}`,
        price: 5 + ((counter + index) % 100),
        stock: { enabled: true, quantity: counter, min_stock_alarm: 0 },
      }));
      return send(apiUrl, shelf.key, { method: 'POST', path: '/v2/sync/products', body: { items } });
    },
  },
];

/** CPU of the processes in a millisecond without calls. */
async function idleCpu({ cpuMs }: Subject, ms: number): Promise<Cpu> {
  const before = cpuMs();
  await sleep(ms);
  const after = cpuMs();
  const each = (name: keyof Cpu) => (after[name] - before[name]) / ms;
  return { api: each('api'), postgres: each('postgres'), worker: each('worker') };
}

interface Costing {
  change: Change;
  stage: Stage;
  idle: Cpu;
  small: boolean;
}

async function costOf(subject: Subject, { change, stage, idle, small }: Costing): Promise<Figure[]> {
  const { work, lanes, once } = change;
  const calls = small ? Math.min(4, change.calls) : change.calls;
  await settled(subject);
  const before = subject.cpuMs();
  const began = performance.now();
  await inLanes(calls, lanes, (at) => once(stage, at));
  const answeredMs = performance.now() - began;
  await settled(subject);
  const lastedMs = performance.now() - began;
  const after = subject.cpuMs();
  const us = (name: keyof Cpu) =>
    (Math.max(0, after[name] - before[name] - idle[name] * lastedMs) * 1_000) / calls;
  const cpuUs = { api: us('api'), postgres: us('postgres'), worker: us('worker') };
  const all = cpuUs.api + cpuUs.postgres + cpuUs.worker;
  const note = `${((calls * 1_000) / answeredMs).toFixed(0)} calls/s`;
  return [
    { work: `${work}: CPU`, value: all, unit: ' µs', note, ...(change.goal && { goal: change.goal }) },
    ...cpuFigures(work, cpuUs),
  ];
}
