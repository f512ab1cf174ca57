import type { Grant } from '@comanda/api/services';
import { describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { refused } from '../support/money.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';

const api = useApi();
const hand = useHand(api);

const desk = (key?: string) => api.client(key);

describe('the audit', () => {
  /** A location of its own, with a product whose price was changed by hand. */
  async function edited() {
    const locationId = await api.make.location();
    const permissions: Grant[] = ['audit:*', 'products:read'];
    const clerk = await api.make.key({ locationId, name: 'app: Ana', permissions });
    const productId = await api.make.product({ locationId, price: 2.5 });
    await hand.sql('update products set price = 99 where id = $1', [productId]);
    const { data } = await desk(clerk.key).audit.list.query();
    const price = async () => (await desk(clerk.key).products.get.query({ id: productId })).price;
    return { locationId, clerk, productId, entry: data[0]?.id ?? '', price };
  }

  it('lists the changes at the own location, their authors and rows, and those that the key may undo', async () => {
    const { locationId, clerk, productId, entry } = await edited();
    const { data, pagination } = await desk(clerk.key).audit.list.query({ limit: 10 });
    expect(pagination).toEqual({ limit: 10, offset: 0, total: 1 });
    expect(data).toEqual([
      expect.objectContaining({
        id: entry,
        actor: 'database',
        application: 'psql',
        operation: 'update',
        table: 'products',
        row_count: 1,
        can_undo: true,
        rows: [{ key: { id: productId }, before: { price: 2.5 }, after: { price: 99 } }],
      }),
    ]);
    const manager = await api.make.key({ locationId, name: 'app: Bia' });
    await desk(manager.key).paymentMethods.create.mutate({ name: 'Pix', type: 'qr' });
    const [newest, ...older] = (await desk(clerk.key).audit.list.query()).data;
    const made = { actor: 'api_key', key_name: 'app: Bia', operation: 'paymentMethods.create' };
    expect(newest).toMatchObject(made);
    expect(newest).not.toHaveProperty('can_undo');
    expect(older.map(({ id }) => id)).toEqual([entry]);
    const later = new Date(Date.now() + 60_000).toISOString();
    for (const [filter, shown, total] of [
      ...[{ by: 'app: Bia' }, { by: 'Bia' }, { table: 'products' }, { about: productId }].map(
        (filter) => [filter, 1, 1] as const,
      ),
      [{ since: later }, 0, 0],
      [{ limit: 1, offset: 1 }, 1, 2],
    ] as const) {
      const page = await desk(clerk.key).audit.list.query(filter);
      expect([filter, page.data.length, page.pagination.total]).toEqual([filter, shown, total]);
    }
    const reader = await api.make.key({ locationId, permissions: ['audit:read'] });
    const { data: read } = await desk(reader.key).audit.list.query();
    expect(read.map((each) => each.can_undo)).toEqual([undefined, undefined]);
  });

  it('names the first of many rows that one manual edit changed: they had no name', async () => {
    const { locationId, token: key } = await api.place();
    for (const name of ['Tea', 'Mate', 'Milk', 'Rum'])
      await api.make.product({ locationId, name, stock: { quantity: 4 } });
    await hand.sql('update products set visible = false where location_id = $1', [locationId]);
    await hand.sql('update product_stock set quantity = 5 where location_id = $1', [locationId]);
    const { data: before } = await desk(key).audit.list.query();
    // Deleted rows are named as their deletion kept them.
    await hand.sql('delete from products where location_id = $1', [locationId]);
    const [gone] = (await desk(key).audit.list.query()).data;
    for (const entry of [...before, gone]) {
      expect(entry).toMatchObject({ row_count: 4 });
      expect(entry?.resource_id).toBeUndefined();
      const names = entry?.resource_name?.split(', ') ?? [];
      expect(new Set(names).size).toBe(3);
      expect(['Tea', 'Mate', 'Milk', 'Rum']).toEqual(expect.arrayContaining(names));
    }
    expect([...before, gone].map((entry) => entry?.table)).toEqual(['product_stock', 'products', 'products']);
    // Asked for by its id, an entry names every row; of the history of a row, that row.
    const [whole] = (await desk(key).audit.list.query({ about: gone?.id ?? '' })).data;
    expect(whole?.rows?.map(({ name }) => name).sort()).toEqual(['Mate', 'Milk', 'Rum', 'Tea']);
    const [stocks] = (await desk(key).audit.list.query({ about: before[0]?.id ?? '' })).data;
    expect(stocks?.rows).toHaveLength(4);
    const one = whole?.rows?.find(({ name }) => name === 'Mate')?.key.id as string;
    const { data: history } = await desk(key).audit.list.query({ about: one, table: 'products' });
    expect(history[0]?.rows?.flatMap(({ name }) => name ?? [])).toEqual(['Mate']);
  });

  it('names what was changed as it is called today, an order by its number, what is gone as it was', async () => {
    const shop = await api.place({ key: { name: 'ERP' } });
    const { locationId, token: key } = shop;
    const kitchen = await createOrderKitchen(shop);
    const order = await kitchen.place();
    const gone = await api.make.product({ locationId, name: 'Mate' });
    const [stocked, category] = [
      await api.make.product({ locationId, name: 'Tea', stock: { quantity: 4 } }),
      await api.make.category({ locationId, name: 'Hot' }),
    ];
    const turn = await desk(key).turns.open.mutate({});
    const { id: menuId } = await desk(key).menus.create.mutate({ name: 'Lunch', category_ids: [category] });
    for (const [text, id] of [
      ['update product_stock set quantity = 5 where product_id = $1', stocked],
      ['update products set visible = false where id = $1', stocked],
      ['update categories set visible = false where id = $1', category],
      ['update menu_categories set position = 7 where menu_id = $1', menuId],
      [`update orders set channel = 'web' where id = $1`, order.id],
      [`update payments set status = 'completed' where order_id = $1`, order.id],
      [`update payment_methods set enabled = false where id = $1`, kitchen.paymentMethodId],
      ['update api_keys set per_minute = 7 where id = $1', shop.key.id],
      [`update locations set name = 'Bar Nuevo' where id = $1`, locationId],
      ['delete from products where id = $1', gone],
    ] as const)
      await hand.sql(text, [id]);
    const { name: method } = await api.prisma.paymentMethod.findFirstOrThrow({
      where: { id: kitchen.paymentMethodId },
    });
    await api.prisma.product.updateMany({ where: { id: stocked }, data: { name: 'Green tea' } });
    const { data } = await desk(key).audit.list.query();
    const number = String(order.number);
    const named = data.map(({ operation, table, resource_name }) => [table ?? operation, resource_name]);
    expect(named.reverse()).toEqual([
      ['turns.open', String(turn.batch_number)],
      ['menus.create', 'Lunch'],
      ['product_stock', 'Green tea'],
      ['products', 'Green tea'],
      ['categories', 'Hot'],
      ['menu_categories', 'Lunch'],
      ['orders', number],
      ['payments', number],
      ['payment_methods', method],
      ['api_keys', 'ERP'],
      ['locations', 'Bar Nuevo'],
      ['products', 'Mate'],
    ]);
  });

  it('is undone: rehearsed first, then written, by the name of its author', async () => {
    const { clerk, entry, price } = await edited();
    const undo = (input: { dry_run?: boolean }, idempotencyKey = 'undo-once') =>
      desk(clerk.key).audit.undo.mutate({ id: entry, ...input, idempotencyKey });
    expect(await undo({ dry_run: true })).toMatchObject({ dry_run: true, entries: [{ table: 'products' }] });
    expect(await price()).toBe(99);
    const done = await undo({}, 'undo-once-more');
    const entries = [{ undo_of: entry, rows: [{ after: { price: 2.5 } }] }];
    expect(done).toMatchObject({ dry_run: false, entries });
    expect(await price()).toBe(2.5);
    expect(await undo({}, 'undo-once-more')).toEqual(done);
    const { data } = await desk(clerk.key).audit.list.query();
    expect(data.slice(0, 2)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ operation: 'audit.undo', key_name: 'app: Ana', resource_id: entry }),
        expect.objectContaining({ application: 'audit undo by app: Ana', undo_of: entry }),
      ]),
    );
  });

  it('leaves the service what it was for the rest of the connection', async () => {
    const { clerk, entry, productId, price } = await edited();
    await desk(clerk.key).audit.undo.mutate({ id: entry });
    const rows = await api.sql(`select by_service() as service, current_setting('application_name') as name`);
    expect(rows).toEqual([{ service: true, name: 'comanda-api' }]);
    await hand.sql('update products set price = 5 where id = $1', [productId]);
    expect(await price()).toBe(5);
  });

  it('refuses what a later change depends on, edits of keys, what needs a deed, and what is not there', async () => {
    const { locationId, clerk, entry, productId } = await edited();
    const lastEntry = async () => (await desk(clerk.key).audit.list.query({ limit: 1 })).data[0];
    const refusal = (id: string) => refused(desk(clerk.key).audit.undo.mutate({ id }));
    await hand.sql('update products set price = 7 where id = $1', [productId]);
    const first = `a later change is in products: undo that first (comanda audit --id ${productId})`;
    expect(await refusal(entry)).toEqual({ code: 'conflict', message: first });
    const other = await api.make.key({ locationId, name: 'ERP' });
    await hand.sql('update api_keys set per_minute = 5 where id = $1', [other.id]);
    const narrowed = await lastEntry();
    expect(narrowed).not.toHaveProperty('can_undo');
    const elsewhere = expect.stringMatching(/^Edits of api_keys are undone at the command line/);
    expect(await refusal(narrowed?.id ?? '')).toEqual({ code: 'conflict', message: elsewhere });
    const { id } = await placeOrder(api, await createOrderKitchen(api));
    await hand.deed('repair: a test', 'update orders set total = total + 1 where id = $1', [id]);
    const own = (await desk().audit.list.query({ about: id })).data[0];
    expect(own).not.toHaveProperty('can_undo');
    const never = await refused(desk().audit.undo.mutate({ id: own?.id ?? '' }));
    expect(never).toEqual({ code: 'conflict', message: expect.stringMatching(/never change/) });
    for (const unknown of [own?.id ?? '', 'nothing'])
      expect((await refusal(unknown)).code).toBe('resource_not_found');
  });

  it('says in a sentence what another row has taken since', async () => {
    const { locationId, clerk, productId } = await edited();
    await hand.sql(`update products set sku = 'OLD' where id = $1`, [productId]);
    await hand.sql(`update products set sku = 'NEW' where id = $1`, [productId]);
    const [last] = (await desk(clerk.key).audit.list.query({ limit: 1 })).data;
    await api.make.product({ locationId, sku: 'OLD' });
    expect(await refused(desk(clerk.key).audit.undo.mutate({ id: last?.id ?? '' }))).toEqual({
      code: 'conflict',
      message: 'A later change is in the way: products.sku: another row has OLD, choose another one.',
    });
  });
});
