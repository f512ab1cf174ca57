import { expect } from 'vitest';
import { useOrderKitchen } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';
import { waitFor } from '../support/wait.ts';
import { journey } from './journey.ts';
import { useTabs } from './tabs.ts';

const api = usePublishingApi(undefined, { live: { quietMs: 200 } });
const kitchen = useOrderKitchen(api);
const { pages, open, change, newest, idsAfter, have, streams, closeAll } = useTabs(api);

const ofOrders = ['order.created'];
const ofProducts = ['product.created'];
const both = async () => {
  await kitchen.place();
  await change();
};
/** The types that streams were asked for since `from`; none for all that the key sees. */
const askedSince = (from: number) =>
  pages
    .asked()
    .slice(from)
    .filter((path) => path.includes('/v2/events/stream'))
    .map((path) => new URL(path, 'http://any').searchParams.getAll('types').sort());

journey(
  'tabs that want different types share a stream of these',
  (check) => {
    check('share a stream of these alone, and each gets its own', async () => {
      const before = await newest();
      const from = pages.asked().length;
      const board = await open({ input: { types: ofOrders } });
      await board.live();
      const stock = await open({ input: { types: ofProducts } });
      await stock.live();
      await both();
      expect(await have(board, ['one'])).toEqual(await idsAfter(before, ofOrders));
      expect(await have(stock, ['one'])).toEqual(await idsAfter(before, ofProducts));
      expect(askedSince(from)).toEqual([ofOrders, [...ofOrders, ...ofProducts]]);
      expect(streams()).toBe(1);
    });

    check(
      'miss nothing and get nothing twice when one joins with another type while much happens',
      async () => {
        const before = await newest();
        const board = await open({ input: { types: ofOrders } });
        await board.live();
        const making = (async () => {
          for (let n = 0; n < 25; n += 1) await both();
        })();
        await waitFor('some', async () => (await board.ids()).length >= 5);
        const late = await open({ input: { types: ofProducts, after: before } });
        const all = await open({ input: { after: before } });
        await making;
        const [orders, products, everything] = [
          await idsAfter(before, ofOrders),
          await idsAfter(before, ofProducts),
          await idsAfter(before),
        ];
        expect(orders).toHaveLength(25);
        expect(await have(board, orders)).toEqual(orders);
        expect(await have(late, products)).toEqual(products);
        expect(await have(all, everything)).toEqual(everything);
        expect(streams()).toBe(1);
      },
    );

    check(
      'go on when the one that holds the stream is closed, with the types of those that are left',
      async () => {
        const before = await newest();
        const holder = await open();
        await holder.live();
        const board = await open({ input: { types: ofOrders } });
        const stock = await open({ input: { types: ofProducts } });
        for (const tab of [board, stock]) await tab.live();
        const making = (async () => {
          for (let n = 0; n < 15; n += 1) await both();
        })();
        await waitFor('some', async () => (await board.ids()).length >= 3);
        const from = pages.asked().length;
        await holder.page.close();
        await making;
        const [orders, products] = [await idsAfter(before, ofOrders), await idsAfter(before, ofProducts)];
        expect(await have(board, orders)).toEqual(orders);
        expect(await have(stock, products)).toEqual(products);
        await waitFor('one stream', () => streams() === 1);
        expect(askedSince(from).at(-1)).toEqual([...ofOrders, ...ofProducts]);
      },
    );

    check('begin behind an event of a type that no watch asks for', async () => {
      await change();
      const before = await newest();
      const board = await open({ input: { types: ofOrders } });
      await board.live();
      const other = await open({ input: { types: ofOrders, after: before } });
      await other.live();
      for (let n = 0; n < 3; n += 1) await both();
      const orders = await idsAfter(before, ofOrders);
      expect(await have(board, orders)).toEqual(orders);
      expect(await have(other, orders)).toEqual(orders);
    });

    check('end each by its own refusal where the key does not see a type', async () => {
      const { key } = await api.make.key({ permissions: ['orders:read', 'events:read'] });
      const before = await newest();
      const board = await open({ key, input: { types: ofOrders } });
      await board.live();
      const greedy = await open({ key, input: { types: ['payment.completed'] } });
      await waitFor('its refusal', () => greedy.error());
      expect(await greedy.error()).toBe('permission_missing');
      await both();
      const orders = await idsAfter(before, ofOrders);
      expect(await have(board, orders)).toEqual(orders);
      expect(await board.error()).toBeNull();
    });

    check('bring a tab without types all that its key sees, and nothing else', async () => {
      const { key } = await api.make.key({ permissions: ['orders:read', 'events:read'] });
      const before = await newest();
      const tab = await open({ key });
      await tab.live();
      await both();
      await api.published();
      const events = await api.client().events.list.query({ after: before, limit: 200 });
      const orders = events.data.flatMap(({ id, type }) => (type.startsWith('order.') ? [id] : []));
      expect(await have(tab, orders)).toEqual(orders);
    });
  },
  closeAll,
);
