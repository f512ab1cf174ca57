import { expect } from 'vitest';
import { waitFor } from '../../../../tests/support/wait.ts';
import { type Case, soon } from './day.ts';

/** The cases of orders. */
export const orders: readonly Case[] = [
  {
    title: 'Which order was it? I know only a name, a comment or an item',
    where: 'the desk',
    async carryOut({ kitchen, desk }) {
      const { number } = await kitchen.place({
        identifier: 'Carla',
        items: [{ product_id: kitchen.productId, quantity: 1, comment: 'Sin cebolla' }],
      });
      await kitchen.place({ identifier: 'Table 9' });
      await desk.follow('Orders');
      await desk.type('Text in name, comment or item', 'CEBOLLA');
      await desk.enter();
      await desk.sees('a text is looked for in at most 31 days');
      await desk.open(`Order ${number}`);
      await desk.sees('Sin cebolla');
    },
  },
  {
    title: 'A program says that it never got an order. Was it sent?',
    where: 'the desk',
    async carryOut({ client, kitchen, consumer, desk }) {
      const { url } = consumer;
      const { id } = await client.webhookEndpoints.create.mutate({ url, events: ['order.created'] });
      consumer.status = 500;
      const order = await kitchen.place();
      await waitFor('the delivery to be given up', async () => {
        const { deliveries } = await client.orders.overview.query({ id: order.id });
        return deliveries.some(({ status }) => status === 'dead');
      });
      consumer.status = 200;
      await desk.follow('Orders');
      await desk.type('Order number or external id', order.external_id ?? '');
      await desk.press('Find');
      await desk.sees('5 attempts · 500');
      await desk.press('Send again');
      await desk.sees('delivered');
      await client.webhookEndpoints.delete.mutate({ id });
    },
  },
  {
    title: 'An order hangs. How is it moved on?',
    where: 'the desk',
    async carryOut({ client, kitchen, desk }) {
      const { id, number } = await kitchen.place();
      await desk.follow('Orders');
      await desk.choose('Status', 'pending');
      await desk.open(`Order ${number}`);
      await desk.press('Mark as ready');
      await desk.sees('pending → ready by app: ana');
      expect(await client.orders.get.query({ id })).toMatchObject({ status: 'ready' });
    },
  },
];

const yesterday = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

/** The cases of what was sold. */
export const sales: readonly Case[] = [
  {
    title: 'What was sold yesterday, by product?',
    where: 'the desk',
    async carryOut({ kitchen, desk, owner }) {
      const { id } = await kitchen.place({
        items: [{ product_id: kitchen.productId, quantity: 7 }],
      });
      const moved = `update orders set created_at = $1::timestamptz + interval '12 hours' where id = $2`;
      await owner.deed('repair: an order of yesterday', moved, [yesterday(), id]);
      await desk.follow('Sales');
      await desk.day('From', yesterday());
      await desk.day('To', yesterday());
      await desk.sees('1 orders, $87.50');
      const shown = () =>
        desk.page.evaluate<string>(`document.querySelector('.desk tbody tr')?.innerText ?? ''`);
      await soon(shown).toMatch(/Flat White\s+1\s+7\s/);
    },
  },
];
