import { expect } from 'vitest';
import type { TestApi } from '../../../tests/support/api.ts';
import { runComanda } from '../../../tests/support/command.ts';
import type { OrderKitchen } from '../../../tests/support/orders.ts';
import { roleUrl } from '../../../tests/support/roles.ts';
import { waitFor } from '../../../tests/support/wait.ts';
import type { WorkerKit } from '../../../tests/worker/kit.ts';
import type { Admin } from './admin.ts';
import { linkOf } from './guide.ts';

type Row = Record<string, unknown> | undefined;

/** Where the recipes are done. */
export interface Scene {
  ana: Admin;
  api: TestApi;
  kit: WorkerKit;
  kitchen: OrderKitchen;
  one(sql: string, values?: unknown[]): Promise<Row>;
  orderOf(number: number): Promise<Row>;
  /** The guide's link to an order, with another number. */
  numbered(number: number): string;
}

/** For effects of an edit, for which the page does not wait. */
export const soon = <Result>(ask: () => Promise<Result>) => expect.poll(ask, { timeout: 15_000 });

/** Every recipe of the guide, done as it says. */
export function recipesAt(scene: Scene): Record<string, () => Promise<void>> {
  const { ana, api, kit, kitchen, one, orderOf, numbered } = scene;
  const espresso = () => one(`select id, price, visible from products where name = 'Espresso'`);
  return {
    async 'Find an order by its number'() {
      await ana.open(linkOf('Find an order by its number'));
      await ana.shows('number', ['1']);
      await ana.follow('order_events');
      await ana.shows('order_number', [1, 1]);
      expect((await ana.column('type')).sort()).toEqual(['order.created', 'payment.created']);
    },
    async "Find an order by the id of the shop's program"() {
      await ana.open(linkOf("Find an order by the id of the shop's program"));
      await ana.page.click('button[aria-label="Global search"]');
      // The page may lose what is typed while it draws.
      const field = 'input[aria-label="Global search"]';
      await ana.page.waitForSelector(field);
      await expect
        .poll(async () => {
          const typed = await ana.page.evaluate<string>(`document.querySelector('${field}').value`);
          await ana.page.type(field, 'ERP-1011'.startsWith(typed) ? 'ERP-1011'.slice(typed.length) : '');
          return typed;
        })
        .toBe('ERP-1011');
      await ana.page.waitForFunction(
        `document.querySelectorAll('td[data-grid-column-id="number"]').length === 1`,
      );
      await ana.shows('external_id', ['ERP-1011']);
    },
    async 'See the orders that wait'() {
      await ana.open(linkOf('See the orders that wait'));
      expect(new Set(await ana.column('status'))).toEqual(new Set(['pending']));
      await ana.follow('location_id');
      await ana.shows('name', ['Café Ana']);
      await ana.follow('orders');
      await expect.poll(() => ana.column('number'), { timeout: 15_000 }).toHaveLength(25);
    },
    async 'Cancel an order'() {
      await ana.open(numbered(9));
      await ana.edit('status');
      await ana.choose('canceled');
      await ana.edit('cancel_reason');
      await ana.write('The guest left');
      expect(await ana.save()).toContain(
        'Café Ana · orders · 9 status: "pending" → "canceled". Café Ana · orders · 9 cancel_reason: null → "The guest left".',
      );
      await soon(() => orderOf(9)).toMatchObject({ status: 'canceled', cancel_reason: 'The guest left' });
    },
    async 'Change a price'() {
      await ana.open(linkOf('Change a price'));
      await ana.edit('price');
      await ana.write('3.8');
      expect(await ana.save()).toContain('Café Ana · products · Espresso price: "3.5" → 3.8.');
      await soon(() => espresso()).toMatchObject({ price: '3.8' });
    },
    async 'Hide a product, and show it again'() {
      for (const visible of [false, true]) {
        await ana.open(linkOf('Hide a product, and show it again'));
        await ana.edit('visible');
        await ana.choose('mark');
        await ana.save();
        await soon(() => espresso()).toMatchObject({ visible });
      }
    },
    async 'Correct the stock'() {
      await api.make.product({ name: 'Beans', stock: { quantity: 3, minStockAlarm: 5 } });
      await ana.open(linkOf('Correct the stock'));
      await ana.shows('product', ['Beans']);
      await ana.follow('product_id');
      await ana.shows('name', ['Beans']);
      await ana.follow('product_stock');
      await ana.shows('quantity', ['3']);
      await ana.edit('quantity');
      await ana.write('40');
      await ana.save();
      await ana.open(linkOf('Correct the stock'));
      await ana.shows('product', []);
    },
    async 'See which webhooks fail, and why'() {
      const consumer = await kit.consumer((_, response) => response.writeHead(500).end('out of paper'));
      await kit.createEndpoint({ url: consumer.url, events: ['order.created'], locationId: api.locationId });
      const { number } = await kitchen.place();
      await kit.startWorker();
      await waitFor('a delivery that was given up', async () =>
        one(`select from webhook_deliveries where status = 'dead'`).then((row) => row !== undefined),
      );
      await kit.stopWorkers();
      await ana.open(linkOf('See which webhooks fail, and why'));
      await ana.shows('status', ['dead']);
      await ana.shows('response_code', ['500']);
      await ana.shows('response_body', ['out of paper']);
      await ana.follow('order_id');
      await ana.shows('number', [number]);
    },
    async 'Stop an endpoint, and let it run again'() {
      await kit.createEndpoint({
        url: 'http://127.0.0.1:9/stop',
        events: ['order.created'],
        locationId: api.locationId,
      });
      await ana.open(linkOf('Stop an endpoint, and let it run again'));
      const row = (await ana.column('url')).indexOf('http://127.0.0.1:9/stop');
      await ana.edit('status', row);
      await ana.choose('disabled');
      await ana.save();
      await soon(() =>
        one(`select status from webhook_endpoints where url = 'http://127.0.0.1:9/stop'`),
      ).toEqual({ status: 'disabled' });
    },
    async 'Revoke a key'() {
      const { id, key } = await api.client().keys.create.mutate({ name: 'Lost', permissions: ['*'] });
      expect((await api.rest('GET /v2/orders', { key })).status).toBe(200);
      await ana.open(linkOf('Revoke a key'));
      await ana.edit('revoked_at', (await ana.column('name')).indexOf('Lost'));
      await ana.write('2026-11-22 21:00:00.000Z');
      await ana.save();
      await soon(() => one('select revoked_at from api_keys where id = $1', [id])).toEqual({
        revoked_at: new Date('2026-11-22T21:00:00Z'),
      });
      await waitFor('the key to end', async () => (await api.rest('GET /v2/orders', { key })).status === 401);
    },
    async 'Give a key more calls a minute'() {
      const { id } = await api.client().keys.create.mutate({ name: 'Busy', permissions: ['*'] });
      await ana.open(linkOf('Give a key more calls a minute'));
      await ana.edit('per_minute', (await ana.column('name')).indexOf('Busy'));
      await ana.write('1200');
      await ana.save();
      await soon(() => one('select per_minute from api_keys where id = $1', [id])).toEqual({
        per_minute: 1200,
      });
    },
    async 'Close a turn'() {
      await kit.sql('insert into turns (location_id, batch_number) values ($1, 1)', [api.locationId]);
      await ana.open(linkOf('Close a turn'));
      await ana.edit('status');
      await ana.choose('closed');
      await ana.save();
      expect(
        await one('select batch_number from settlements where location_id = $1', [api.locationId]),
      ).toEqual({ batch_number: 1 });
    },
    async 'Delete a product'() {
      const id = await api.make.product({ name: 'Old cake', stock: { quantity: 1 } });
      await ana.open(linkOf('Delete a product'));
      const asked = await ana.remove((await ana.column('name')).indexOf('Old cake'));
      expect(asked).toContain(
        'Café Ana · products · Old cake. Rows that belong to it are deleted with it; comanda audit undo restores them.',
      );
      await soon(() => one('select from products where id = $1', [id])).toBeUndefined();
    },
    async 'See who changed what, and take it back'() {
      await ana.open(linkOf('See who changed what, and take it back'));
      expect((await ana.column('application_name'))[0]).toBe('ana');
      const tables = await ana.column('relation');
      const gone = (await ana.column('operation')).findIndex(
        (did, row) => did === 'delete' && tables[row] === 'products',
      );
      const [entry = ''] = (await ana.column('id')).slice(gone);
      const settings = {
        DATABASE_URL: kit.url,
        DATABASE_OWNER_URL: roleUrl(kit.url, 'owner'),
        ENCRYPTION_KEY: kit.encryptionKey,
        DATABASE_ROLE_PREFIX: new URL(kit.url).username.replace(/_service$/, ''),
      };
      const listed = await runComanda(settings, 'audit', '--by', 'ana');
      expect(listed.stdout).toContain('ana');
      expect(await runComanda(settings, 'audit', 'undo', entry)).toMatchObject({ code: 0, stderr: '' });
      expect(
        await one(
          `select s.quantity from products join product_stock s on s.product_id = id where name = 'Old cake'`,
        ),
      ).toMatchObject({ quantity: '1' });
    },
  };
}
