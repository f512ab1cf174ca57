import { beforeAll, expect } from 'vitest';
import { useBrowser } from '../../../tests/browser/browser.ts';
import { journey } from '../../../tests/browser/journey.ts';
import { startTestApi } from '../../../tests/support/api.ts';
import { useOrderKitchen } from '../../../tests/support/orders.ts';
import { use, useClosed } from '../../../tests/support/use.ts';
import { useWorkerKit } from '../../../tests/worker/kit.ts';
import { startStudio } from '../tests/run.ts';
import { sitDown } from './admin.ts';
import { linkOf, links, recipes, refusals } from './guide.ts';
import { recipesAt, soon } from './recipes.ts';

const kit = useWorkerKit({ timezone: 'America/Argentina/Buenos_Aires' });
const studio = useClosed(() => startStudio(kit.url, ['--as', 'ana', '--edit']));
const ofEva = useClosed(() => startStudio(kit.url, ['--as', 'eva', '--edit']));
const ofBob = useClosed(() => startStudio(kit.url, ['--as', 'bob']));
const api = useClosed(() => startTestApi({ databaseUrl: kit.url, encryptionKey: kit.encryptionKey }));
const kitchen = useOrderKitchen(api);

beforeAll(async () => {
  await kit.sql(`update locations set name = 'Café Ana', timezone = 'Asia/Tokyo' where id = $1`, [
    api.locationId,
  ]);
  for (let order = 0; order < 30; order++) await kitchen.place({ external_id: `ERP-${1000 + order}` });
  await api.make.product({ name: 'Espresso', sku: 'ES-1', price: 3.5 });
  for (const status of ['ready', 'closed'])
    await kit.sql('update orders set status = $1::order_status where number = 11', [status]);
  await kit.publish();
}, 120_000);
const browser = useBrowser();
const ana = use(() => sitDown(browser, studio));
const asksNoOther = async () => {
  expect([...ana.hosts], 'the hosts that were asked').toEqual([new URL(studio.origin).host]);
};

const one = async (sql: string, values: unknown[] = []) => (await kit.sql(sql, values))[0];
const orderOf = (number: number) =>
  one('select id, status, cancel_reason, total from orders where location_id = $1 and number = $2', [
    api.locationId,
    number,
  ]);
const numbered = (number: number) =>
  linkOf('Find an order by its number')
    .replace('value%22%3A%201', '')
    .replace('%22value%22%3A1', `%22value%22%3A${number}`);
const scene = () => ({ ana, api, kit, kitchen, one, orderOf, numbered });

journey(
  'what an admin meets first, and the recipes of the guide',
  (check) => {
    check('every link of the guide opens a grid, asks no other host and complains of nothing', async () => {
      expect(links.length).toBeGreaterThan(15);
      const own = await sitDown(browser, studio);
      for (const link of new Set(links)) {
        await own.open(link);
        expect([
          link,
          await own.page.evaluate(`document.querySelector('[data-sonner-toaster]')?.innerText ?? ''`),
        ]).toEqual([link, '']);
      }
      expect(own.complaints).toEqual([]);
      expect([...own.hosts]).toEqual([new URL(studio.origin).host]);
      await own.page.close();
    });

    check(
      "today's orders come first: all of them, newest first, with the restaurant's name and its clock",
      async () => {
        await ana.open('#schema=public&table=orders_today');
        expect((await ana.columns()).slice(1, 6)).toEqual([
          'restaurant',
          'number',
          'status',
          'total',
          'local_time',
        ]);
        const first = (await ana.column('number')).map(Number);
        expect(first).toEqual(Array.from({ length: 25 }, (_, index) => 30 - index));
        expect(new Set(await ana.column('restaurant'))).toEqual(new Set(['Café Ana']));
        const [clock] = await kit.sql<{ now: string }>(
          `select to_char(created_at at time zone 'Asia/Tokyo', 'HH24:MI') as now from orders order by number desc limit 1`,
        );
        expect((await ana.column('local_time'))[0]).toBe(clock?.now);
        expect((await ana.column('items'))[0]).toBe('1 × Flat White');
        await ana.open('#schema=public&table=orders_today&pageIndex=1');
        expect((await ana.column('number')).map(Number)).toEqual([5, 4, 3, 2, 1]);
      },
    );

    check('the tables are those for people, and secrets are no objects', async () => {
      await ana.open('#schema=public&table=api_keys');
      const text = await ana.text();
      for (const hidden of [
        '_prisma_migrations',
        'captured_changes',
        'webhook_secrets',
        'tallies',
        'graphile',
      ])
        expect(text).not.toContain(hidden);
      expect(text).not.toContain('[object Object]');
      expect(await ana.columns()).not.toContain('key_hash');
    });

    check('each arrow of an order leads to what belongs to it', async () => {
      const order = await orderOf(7);
      for (const [arrow, column, expected] of [
        ['order_items', 'order_id', order?.id],
        ['payments', 'order_id', order?.id],
        ['order_events', 'order_id', order?.id],
        ['location_id', 'name', 'Café Ana'],
        ['payment_method_id', 'id', kitchen.paymentMethodId],
        ['created_by', 'id', api.key.id],
      ] as const) {
        await ana.open(numbered(7));
        await ana.follow(arrow);
        await expect
          .poll(async () => [arrow, [...new Set(await ana.column(column))]], { timeout: 15_000 })
          .toEqual([arrow, [expected]]);
      }
    });

    check('a search in the address finds, and an edit keeps it', async () => {
      await ana.open('#schema=public&table=products&search=ES-1');
      await ana.shows('sku', ['ES-1']);
      await ana.edit('description');
      await ana.write('Short and strong');
      await ana.shows('sku', ['ES-1']);
      await ana.save();
      await ana.shows('description', ['Short and strong']);
      await ana.shows('sku', ['ES-1']);
    });

    check('what is not found is not said to be an empty table', async () => {
      await ana.open('#schema=public&table=products&search=nothing-is-called-so');
      expect(await ana.text()).toContain('Nothing matches the filter and the search, or the query failed.');
      expect(await ana.text()).not.toContain('any data in this table');
    });

    check('the recipes are those that are done here', async () => {
      expect(Object.keys(recipesAt(scene()))).toEqual(recipes);
    });

    for (const name of recipes) check(name, async () => recipesAt(scene())[name]?.());
  },
  asksNoOther,
);

const refused: Record<string, () => Promise<unknown>> = {
  async 'to open a closed order again'() {
    await ana.open(numbered(11));
    await ana.edit('status');
    await ana.choose('pending');
    return ana.save();
  },
  async 'to delete a payment method that was used'() {
    await ana.open('#schema=public&table=payment_methods');
    return ana.remove();
  },
  async 'to delete an event'() {
    await ana.open('#schema=public&table=events');
    return ana.remove();
  },
  async 'to take a revocation back'() {
    await ana.open('#schema=public&table=api_keys&search=Lost');
    await ana.edit('revoked_at');
    await ana.write('2036-11-22 21:00:00.000Z');
    return ana.save();
  },
  async 'to write a price with three decimals'() {
    await ana.open('#schema=public&table=products&search=Espresso');
    await ana.edit('price');
    await ana.write('3.125');
    return ana.save();
  },
  async 'to empty a price'() {
    await ana.open('#schema=public&table=products&search=Espresso');
    await ana.edit('price');
    return ana.write('');
  },
  async 'to write a price with a comma'() {
    await ana.open('#schema=public&table=products&search=Espresso');
    await ana.edit('price');
    return ana.write('12,50');
  },
  async 'to delete an order'() {
    await ana.open(numbered(13));
    return ana.mark();
  },
  async 'to edit where Studio only reads'() {
    const bob = await sitDown(browser, ofBob);
    await bob.open('#schema=public&table=products&search=Espresso');
    expect(await bob.isEdited('price')).toBe(false);
    await bob.remove();
    await bob.sees('This Studio only reads: start one that edits');
    await bob.page.close();
  },
};

journey(
  'what is refused, and what two admins edit at once',
  (check) => {
    check('what is refused is what the guide says', async () => {
      expect(Object.keys(refused)).toEqual(refusals.map(({ what }) => what));
    });

    for (const { what, sentence } of refusals)
      check(`${what}: the sentence is on the screen`, async () => {
        const before = await kit.sql('select count(*) from audit_entries');
        await refused[what]?.();
        if (!what.includes('only reads')) await ana.sees(sentence);
        expect(await kit.sql('select count(*) from audit_entries')).toEqual(before);
      });

    check('a cell that never changes opens no editor, by mouse or by Tab', async () => {
      // One that changes has its editor by then.
      await ana.open('#schema=public&table=products');
      expect(await ana.isEdited('price')).toBe(true);
      for (const [table, column] of [
        ['orders', 'total'],
        ['orders', 'payment_method_id'],
        ['orders', 'restaurant'],
        ['products', 'id'],
        ['orders_today', 'status'],
        ['events', 'type'],
        ['audit_entries', 'operation'],
      ]) {
        await ana.open(`#schema=public&table=${table}`);
        expect([table, await ana.isEdited(column ?? '')]).toEqual([table, false]);
      }
    });

    check('two admins at once edit what each of them changed, and the audit names both', async () => {
      // A window of her own: a page behind another tab is not drawn.
      const evas = await browser.createBrowserContext();
      const eva = await sitDown(evas, ofEva);
      const id = await api.make.product({ name: 'Scone', sku: 'SC-1', price: 2 });
      for (const admin of [ana, eva]) await admin.open('#schema=public&table=products&search=SC-1');
      await ana.edit('price');
      await ana.write('2.5');
      await eva.edit('name');
      await eva.write('Cheese scone');
      await eva.save();
      await ana.save();
      await soon(() => one('select name, price from products where id = $1', [id])).toEqual({
        name: 'Cheese scone',
        price: '2.5',
      });
      expect(
        await kit.sql(
          'select application_name from audit_entries where resource_id = $1 order by created_at',
          [id],
        ),
      ).toEqual([{ application_name: 'eva' }, { application_name: 'ana' }]);
      await evas.close();
    });
  },
  asksNoOther,
);
