import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../../packages/db/src/root.ts';
import { choosePort } from '../../../packages/embedded/src/port.ts';
import { keyOfErp } from '../../../tests/docs/erp-key.ts';
import { createKey, createLocation, createPaymentMethod } from '../../../tests/support/factories.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { waitFor as waitAtMost } from '../../../tests/support/wait.ts';
import { middayZone, playedCalls, Till, type TillOrder } from './day.ts';
import { type RecordingFront, startRecordingFront } from './front.ts';
import {
  articles,
  type Connector,
  type Day,
  type Sale,
  type Staff,
  startTryton,
  type Tryton,
} from './tryton.ts';

// A day of a restaurant whose ERP is Debian's Tryton, connected by extras/tryton/connector, which is killed at its worst moments.
// COMANDA_RECORD=yes writes the calls of the day to extras/tryton/tests/calls.json.

vi.setConfig({ testTimeout: 600_000, hookTimeout: 900_000 });

/** As long as a busy machine needs. */
const waitFor: typeof waitAtMost = (description, check) =>
  waitAtMost(description, check, { timeoutMs: 180_000, intervalMs: 100 });
const api = usePublishingApi();
const database = 'shop';
let port: number;
let hook: string;
let tryton: Tryton;
let staff: Staff;
let front: RecordingFront;
let connector: Connector;
let starting: Promise<Connector>;
let till: Till;
let key: string;

const begin = async () => {
  starting = tryton.startConnector({ database, url: front.url, key, port });
  connector = await starting;
};
/** Kills it as soon as a call is done, before it has the answer; then starts it again. */
async function killBehind(call: RegExp, cause: () => Promise<unknown>): Promise<void> {
  const lost = front.loseAnswer(call, async () => (await starting).kill());
  await cause();
  await lost;
  await begin();
}
const rows = <Row extends object>(sql: string) => tryton.query<Row & Record<string, unknown>>(database, sql);
const sales = async () => new Map((await staff.ask<Sale[]>('sales')).map((sale) => [sale.reference, sale]));
const saleOf = (order: TillOrder) =>
  waitFor(`the sale of ${order.number}`, async () => (await sales()).get(`Comanda ${order.number}`));
const toHave = (order: TillOrder, status: string) =>
  waitFor(`order ${order.number} to be ${status}`, async () => (await till.read(order)).status === status);
const left = (code: string) => till.left(code);
/** Waits until the connector has nothing to do. */
const idle = () =>
  waitFor('the inbox to be empty', async () => {
    await api.published();
    const [{ open } = { open: 1 }] = await rows<{ open: number }>(
      'select ((select count(*) from comanda_inbox where not done) + (select count(*) from comanda_adjustment where call is not null))::int as open',
    );
    if (open > 0) throw new Error(JSON.stringify(await rows('select about, text from comanda_notice')));
    return true;
  });

beforeAll(async () => {
  tryton = await startTryton(api.url);
  tryton.copy(database);
  port = await choosePort(tryton.cluster.home, null);
  hook = `http://127.0.0.1:${port}/comanda`;
  staff = await tryton.startStaff(database);
  await staff.ask('set_up', { products: articles });
  const locationId = await createLocation(api.app.database, { timezone: middayZone() });
  await createPaymentMethod(api.app.database, { locationId });
  ({ key } = await createKey(api.app.database, { locationId, permissions: keyOfErp(), perMinute: 600 }));
  const ofTill = await createKey(api.app.database, { locationId });
  front = await startRecordingFront(api.url, { [key]: 'connector', [ofTill.key]: 'till' }, hook);
  till = new Till(front.url, api.url, ofTill.key);
});
afterAll(async () => {
  await tryton?.remove();
  await front?.close();
});

// One day of a restaurant: each part goes on where the one before ended.
describe('an ERP', { shuffle: false }, () => {
  describe('the first sync', () => {
    it('brings every article once with its price and the stock of its shelf, though it is killed twice', async () => {
      await killBehind(/^POST .*catalog\/sync/, begin);
      await killBehind(/^POST .*stock\/sync/, async () => {});
      await waitFor('the opening balance', async () => (await left('P29')) === 20);
      await idle();
      const products = await till.products();
      expect(products.map(({ external_id, price }) => [external_id, price])).toEqual(
        [
          ['BEA', 21],
          ['CRO', 9.99],
          ['DEL', 3.05],
          ['LAT', 4.33],
          ['WAT', 1.04],
          ...Array.from({ length: 20 }, (_, n) => [`P${n + 10}`, 2.26]),
        ].sort(),
      );
      for (const [code, there] of [
        ['CRO', 10],
        ['LAT', 50],
        ['WAT', 12],
        ['P10', 1],
      ] as const)
        expect(await left(code), code).toBe(there);
    });

    it('then sends what changed alone, and hides what is no longer sold', async () => {
      await staff.ask('price', { code: 'LAT', price: '3.60', name: 'Caffè latte grande' });
      await staff.ask('stop_selling', { code: 'P11' });
      await staff.ask('add', {
        code: 'NEW',
        name: 'Ñandutí',
        price: '10',
        tax: '22',
        category: 'Bakery',
        stock: 3,
      });
      await waitFor('the new article', async () => (await left('NEW')) === 3);
      const changed = front.calls.filter(({ call }) => call === 'POST /v2/catalog/sync').slice(2);
      const named = changed.flatMap(({ body }) =>
        (body as { categories: { products: { external_id: string }[] }[] }).categories.flatMap(
          ({ products }) => products.map(({ external_id }) => external_id),
        ),
      );
      expect(new Set(named)).toEqual(new Set(['LAT', 'P11', 'NEW']));
      expect(await till.products('LAT')).toMatchObject([{ name: 'Caffè latte grande', price: 4.39 }]);
      expect(await till.products('P11')).toMatchObject([{ visible: false }]);
    });
  });

  describe('stock', () => {
    it('adds up though both sides sell, throw away and buy, and it is killed behind an adjustment', async () => {
      await till.open();
      await killBehind(/stock\/adjust/, () =>
        Promise.all([till.order('S-1', [['WAT', 4]]), staff.ask('move', { code: 'WAT', quantity: -3 })]),
      );
      await staff.ask('move', { code: 'WAT', quantity: 24 });
      await waitFor('all moves', async () => (await left('WAT')) === 12 - 4 - 3 + 24);
      await idle();
      expect(await left('WAT')).toBe(29);
    });

    it('takes what is there when more goes out than is left, and the rest from what comes in', async () => {
      await till.order('S-2', [['NEW', 2]]);
      await staff.ask('move', { code: 'NEW', quantity: -3 });
      await waitFor('the shelf to be empty', async () => (await left('NEW')) === 0);
      await idle();
      await staff.ask('move', { code: 'NEW', quantity: 10 });
      await waitFor('what came in', async () => (await left('NEW')) === 8);
      expect(await rows('select text from comanda_notice')).toEqual([
        { text: '2 more were sold than there are' },
      ]);
    });
  });

  describe('orders', () => {
    const placed: Record<string, TillOrder> = {};
    const at = (name: string): TillOrder => placed[name] ?? expect.fail(`there is no order ${name}`);

    it('become one sale each with the same total, whenever it is killed', async () => {
      await till.addChoices();
      await killBehind(/^GET \/v2\/orders\/<\d+>\?include=details,snapshot$/, async () => {
        placed.cent = await till.order('O-1', [['CRO', 1]]);
      });
      placed.many = await till.order('O-2', [
        ['CRO', 3],
        ['LAT', 2],
        ['BEA', 1.25],
        ['DEL', 1],
      ]);
      placed.choice = await till.orderLatteWithOatMilk('O-3');
      placed.adjusted = await till.order(
        'O-9',
        [
          ['CRO', 2],
          ['LAT', 1],
        ],
        {
          note: 'Ring twice',
          adjustments: [
            { kind: 'discount', name: 'Happy hour', percent: 10, line: 2 },
            { kind: 'tip', name: 'Tip', amount: 1.5 },
          ],
        },
      );
      await Promise.all(Object.values(placed).map(saleOf));
      // The sale is there; what it did last is not noted by anybody else.
      await connector.kill();
      placed.away = await till.order('O-4', [['WAT', 1]]);
      placed.early = await till.order('O-5', [['WAT', 2]]);
      await till.cancel(at('early'));
      await begin();
      await saleOf(at('away'));
      await idle();
      const all = await sales();
      expect(all.size).toBe(Object.keys(placed).length - 1 + 2);
      for (const [name, order] of Object.entries(placed)) {
        const sale = all.get(`Comanda ${order.number}`);
        if (name === 'early') expect(sale).toBeUndefined();
        else {
          expect([name, Number(sale?.total)]).toEqual([name, order.total]);
          expect(sale?.invoices.map(([, total]) => Number(total))).toEqual([order.total]);
        }
      }
      expect(all.get(`Comanda ${at('choice').number}`)?.lines[0]?.slice(0, 2)).toEqual([
        'Caffè latte grande: 1 × Oat milk',
        2,
      ]);
      expect(all.get(`Comanda ${at('adjusted').number}`)?.lines.map(([name]) => name)).toEqual(
        expect.arrayContaining(['Happy hour', 'Tip']),
      );
      expect(all.get(`Comanda ${at('cent').number}`)?.lines.map(([name]) => name)).toEqual([
        'Croissant',
        'Rounding',
      ]);
    });

    it('are ready and closed when their shipment is packed and done, and canceled when it is given up', async () => {
      await staff.ask('pack', { reference: `Comanda ${at('many').number}` });
      await toHave(at('many'), 'ready');
      await killBehind(/^PATCH /, () =>
        staff.ask('hand_over', { reference: `Comanda ${at('cent').number}` }),
      );
      await toHave(at('cent'), 'closed');
      await staff.ask('give_up', { reference: `Comanda ${at('away').number}` });
      await toHave(at('away'), 'canceled');
      await waitFor('the invoice to be canceled', async () =>
        (await saleOf(at('away'))).invoices.every(([state]) => state === 'cancelled'),
      );
    });

    it('that guests cancel leave nothing to ship and to invoice, and one that was handed over a note', async () => {
      placed.regret = await till.order('O-6', [['LAT', 1]]);
      placed.late = await till.order('O-7', [['LAT', 1]]);
      await Promise.all([saleOf(at('regret')), saleOf(at('late'))]);
      await till.cancel(at('regret'));
      const sale = await waitFor('the sale to end', async () => {
        const found = await saleOf(at('regret'));
        return found.state === 'done' && found;
      });
      expect([sale.shipments, sale.invoices.map(([state]) => state)]).toEqual([['cancelled'], ['cancelled']]);
      await connector.kill();
      await till.cancel(at('late'));
      await staff.ask('hand_over', { reference: `Comanda ${at('late').number}` });
      await begin();
      await waitFor(
        'the note',
        async () =>
          (await rows(`select 1 from comanda_notice where about = 'Comanda ${at('late').number}'`)).length ===
          1,
      );
      await idle();
      const moves = front.calls.filter(({ call, status }) => /^PATCH/.test(call) && status === 409);
      expect(moves.length).toBeLessThanOrEqual(1);
    });

    it('come by webhooks that are verified: a forged one is refused, and changes nothing', async () => {
      const { length } = await rows('select 1 from comanda_inbox');
      const body = JSON.stringify({ id: 'forged', type: 'order.created', data: { id: 'forged' } });
      const headers = {
        'webhook-id': 'forged',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': 'v1,AAAA',
      };
      expect((await fetch(hook, { method: 'POST', headers, body })).status).toBe(400);
      expect(await rows('select 1 from comanda_inbox')).toHaveLength(length);
      const deliveries = await till.deliveries();
      expect(deliveries.filter(({ status }) => status === 'delivered').length).toBeGreaterThan(5);
    });
  });

  describe('the day', () => {
    it('is reconciled to the cent: report, sales, invoices and the entries of the settlement', async () => {
      for (const order of await till.orders()) {
        if (order.status === 'canceled') continue;
        await till.complete(order);
        await staff.ask('hand_over', { reference: `Comanda ${order.number}` });
        await toHave(order, 'closed');
      }
      const settled = await till.close();
      await waitFor(
        'the settlement',
        async () => (await rows('select 1 from comanda_entry')).length === settled.entries,
      );
      await idle();
      const { code, stdout } = await tryton.readDay({ database, url: front.url, key }, await till.today());
      const day = JSON.parse(stdout) as Day;
      expect(day.differences).toEqual([]);
      expect([day.report, day.sales, day.invoices, day.collected].map(Number)).toEqual(
        Array(4).fill(settled.collected),
      );
      const lines = [...(await sales()).values()].flatMap((sale) => sale.lines);
      expect(Number(day.tax)).toBeGreaterThan(10);
      expect(Math.abs(Number(day.report_tax) - Number(day.tax))).toBeLessThanOrEqual(0.01 * lines.length);
      expect([Number(day.uncollected), Number(day.refunded), code]).toEqual([0, 0, 0]);
      expect(await connector.stop(), connector.output()).toBe(0);
      const refused = front.calls.filter(({ who, status }) => who === 'connector' && status >= 400);
      expect(refused.map(({ call, status }) => [call.replace(/<\d+>/, ''), status])).toEqual([
        ['POST /v2/products//stock/adjust', 409],
      ]);
      if (process.env.COMANDA_RECORD === 'yes')
        writeFileSync(join(repositoryRoot, playedCalls), `${JSON.stringify(front.calls)}\n`);
    });
  });
});
