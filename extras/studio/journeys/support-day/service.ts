import { expect } from 'vitest';
import { waitFor } from '../../../../tests/support/wait.ts';
import { type Case, type Day, keyIn, shell, soon } from './day.ts';

/** An endpoint at the consumer, which fails: the deliveries of an order are given up. */
async function failing({ client, kitchen, consumer }: Day, path: string) {
  const url = `${consumer.url}/${path}`;
  const { id } = await client.webhookEndpoints.create.mutate({ url, events: ['order.created'] });
  consumer.status = 503;
  await kitchen.place();
  await waitFor('a delivery to be given up', async () => {
    const { dead_count, failing_since } = await client.webhookEndpoints.get.query({ id });
    return dead_count > 0 && failing_since !== undefined;
  });
  return { id, url };
}

const searched = () => {
  const today = new Date().toISOString().slice(0, 10);
  return { from: today, to: today };
};

const product = ({ api }: Day, name: string) => api.make.product({ name, price: 95 });

/** The status that a key is answered with. */
const answered = async ({ api }: Day, key: string, path: string) =>
  (await api.rest(`GET ${path}?limit=1`, { key })).status;

/** The cases of webhooks and keys. */
export const access: readonly Case[] = [
  {
    title: 'A program is to get events. How is a webhook made?',
    where: 'the desk',
    async carryOut({ client, consumer, desk }) {
      consumer.status = 200;
      const url = `${consumer.url}/new`;
      await desk.follow('Webhooks');
      await desk.unfold('New webhook');
      await desk.type('Address (https)', url);
      await desk.tick('an order was closed (order.completed)', { isData: true });
      await desk.press('Make the webhook');
      await desk.sees('The new signing secret');
      await desk.press('Put away');
      await desk.press('Send a test event');
      await desk.sees('Test event: delivered (200)');
      const { data } = await client.webhookEndpoints.list.query({ limit: 200 });
      const made = data.find((each) => each.url === url);
      expect(made?.events).toEqual(['order.created', 'order.status_changed', 'order.completed']);
      await client.webhookEndpoints.delete.mutate({ id: made?.id ?? '' });
    },
  },
  {
    title: 'A webhook gets the wrong events. How is it changed, paused or deleted?',
    where: 'the desk',
    async carryOut({ client, consumer, desk }) {
      const url = `${consumer.url}/wrong`;
      const { id } = await client.webhookEndpoints.create.mutate({ url, events: ['order.created'] });
      const now = () => client.webhookEndpoints.get.query({ id });
      await desk.follow('Webhooks');
      await desk.open(url);
      await desk.unfold('Address and events');
      await desk.tick('an order was closed (order.completed)', { isData: true });
      await desk.press('Save');
      await soon(async () => (await now()).events).toEqual(['order.created', 'order.completed']);
      await desk.press('Pause');
      await desk.answer('Pause');
      await soon(async () => (await now()).status).toBe('disabled');
      await desk.press('Enable');
      await soon(async () => (await now()).status).toBe('active');
      await desk.press('New secret');
      await desk.choose('The old secret', 'ends at once: it leaked');
      await desk.answer('New secret');
      await desk.sees('The new signing secret');
      await desk.press('Delete');
      await desk.answer('Delete');
      await desk.sees('It is deleted.');
      const ids = async () =>
        (await client.webhookEndpoints.list.query({ limit: 200 })).data.map((each) => each.id);
      await soon(ids).not.toContain(id);
    },
  },
  {
    title: 'An endpoint fails. Why?',
    where: 'the desk',
    async carryOut(day) {
      const { id, url } = await failing(day, 'why');
      await day.desk.follow('Webhooks');
      await day.desk.sees('failing since');
      await day.desk.sees('503');
      await day.desk.open(url);
      await day.desk.sees('Attempts, newest first');
      await day.desk.choose('Status', 'given up');
      await day.desk.sees('out of order');
      await day.client.webhookEndpoints.delete.mutate({ id });
    },
  },
  {
    title: 'An endpoint was down. How does it get what it missed?',
    where: 'the desk',
    async carryOut(day) {
      const { consumer, desk } = day;
      const { url } = await failing(day, 'down');
      consumer.status = 200;
      const before = consumer.received.length;
      await desk.follow('Webhooks');
      await desk.press('Send what it missed', { row: url });
      await desk.choose('Events of the last', '24 hours');
      await desk.answer('Send what it missed');
      await desk.sees('1 event is sent again.');
      await soon(async () => consumer.received.length).toBe(before + 1);
    },
  },
  {
    title: 'A partner needs a key. How is it made?',
    where: 'the desk',
    async carryOut(day) {
      const { client, desk } = day;
      await desk.follow('Keys');
      await desk.type('Name', 'Partner');
      await desk.choose('For', 'Kitchen screen');
      await desk.unfold('Details');
      await desk.tick('Reads stock', { isData: true });
      await desk.choose('Ends', 'after a year', { isData: true });
      await desk.press('Make a key');
      await desk.sees('The new key: Partner.');
      const key = keyIn(await desk.page.evaluate<string>('document.body.innerText'));
      expect(await answered(day, key, '/v2/orders')).toBe(200);
      expect(await answered(day, key, '/v2/stock')).toBe(403);
      const made = (await client.keys.list.query({ limit: 200 })).data.find(({ name }) => name === 'Partner');
      const lasts = Date.parse(made?.expires_at ?? '') - Date.parse(made?.created_at ?? '');
      expect(lasts / 86_400_000).toBeCloseTo(365, 2);
      await desk.press('Put away');
    },
  },
  {
    title: 'A key leaked. How is it replaced?',
    where: 'the desk',
    async carryOut(day) {
      const { client, desk } = day;
      const old = await client.keys.create.mutate({
        name: 'Till of the terrace',
        permissions: ['orders:read'],
      });
      await desk.follow('Keys');
      await desk.open('Till of the terrace');
      await desk.sees('Begins with');
      await desk.press('Replace');
      await desk.answer('Replace');
      await desk.sees('The new key: Till of the terrace.');
      const key = keyIn(await desk.page.evaluate<string>(`document.querySelector('.once').innerText`));
      for (const each of [old.key, key]) expect(await answered(day, each, '/v2/orders')).toBe(200);
      await desk.press('Put away');
      await desk.press('Revoke');
      await desk.answer('Revoke');
      await soon(() => answered(day, old.key, '/v2/orders')).toBe(401);
      expect(await answered(day, key, '/v2/orders')).toBe(200);
    },
  },
  {
    title: 'A key may do too much. How is it narrowed?',
    where: 'the desk',
    async carryOut(day) {
      const { client, desk } = day;
      const made = await client.keys.create.mutate({
        name: 'Display',
        permissions: ['orders:read', 'products:read'],
      });
      expect(await answered(day, made.key, '/v2/products')).toBe(200);
      await desk.follow('Keys');
      await desk.open('Display');
      await desk.tick('Lists and reads products (products:read)', { isData: true });
      await desk.press('Save');
      await soon(() => answered(day, made.key, '/v2/products')).toBe(403);
      expect(await answered(day, made.key, '/v2/orders')).toBe(200);
    },
  },
];

/** The cases of what persons did, and left. */
export const persons: readonly Case[] = [
  {
    title: 'A guest wants to be forgotten. What is erased, and how?',
    where: 'the command line',
    async carryOut(day) {
      const { api, client, kitchen, desk } = day;
      const { id, number } = await kitchen.place({ identifier: 'Ana Pereira' });
      await desk.follow('Orders');
      await desk.type('Text in name, comment or item', 'Pereira');
      await desk.enter();
      await desk.open(`Order ${number}`);
      await desk.sees('Ana Pereira');
      await api.published();
      await shell(day, 'erase', { given: { order: id } });
      expect(JSON.stringify(await client.orders.overview.query({ id }))).not.toContain('Pereira');
      const { data } = await client.orders.search.query({
        ...searched(),
        limit: 20,
        offset: 0,
        text: 'Pereira',
      });
      expect(data).toEqual([]);
    },
  },
  {
    title: 'I made a mistake. How is it taken back?',
    where: 'the desk',
    async carryOut(day) {
      const id = await product(day, 'Chai');
      const ana = await day.hand('ana');
      await ana.sql('update products set price = 9.5 where id = $1', [id]);
      await ana.close();
      await day.desk.follow('Audit');
      await day.desk.type('Changed by (a key, a role, a program)', 'ana');
      await day.desk.press('Undo…', { row: 'Chai' });
      await day.desk.sees('This would be written:');
      await day.desk.press('Undo it');
      await soon(async () => (await day.client.products.get.query({ id })).price).toBe(95);
    },
  },
  {
    title: 'A colleague made a mistake among 300 edits. How is it taken back?',
    where: 'the desk',
    async carryOut(day) {
      const [wrong, other] = [await product(day, 'Mocha'), await product(day, 'Cortado')];
      const bob = await day.hand('bob');
      const edits = (from: number, to: number) =>
        bob.sql(`do $$ begin for n in ${from}..${to} loop
          update products set description = 'Edit ' || n where id = '${other}'; end loop; end $$`);
      await edits(1, 150);
      await bob.sql('update products set price = 9.5 where id = $1', [wrong]);
      // A later change of other columns is kept.
      await bob.sql(`update products set description = 'With cocoa' where id = $1`, [wrong]);
      await edits(151, 299);
      await bob.close();
      const { desk } = day;
      await desk.follow('Audit');
      await desk.type('Changed by (a key, a role, a program)', 'bob');
      await desk.choose('Changes of', 'products');
      await desk.press('Show more');
      await desk.follow('Mocha', { isData: true });
      await desk.press('Undo…', { row: 'from $95.00 to $9.50' });
      await desk.sees('This would be written:');
      await desk.press('Undo it');
      await soon(() => day.client.products.get.query({ id: wrong })).toMatchObject({
        price: 95,
        description: 'With cocoa',
      });
    },
  },
];

/** The cases of the restaurant itself. */
export const place: readonly Case[] = [
  {
    title: 'The time zone of the restaurant is wrong. How is it changed?',
    where: 'the desk',
    async carryOut({ client, desk }) {
      await desk.follow('Restaurant');
      await desk.type('Time zone', 'Nowhere/Land');
      await desk.press('Save');
      await desk.sees('must be an IANA time zone');
      await desk.type('Time zone', 'America/Montevideo');
      await desk.press('Save');
      const zone = async () => (await client.locations.getCurrent.query()).timezone;
      await soon(zone).toBe('America/Montevideo');
    },
  },
];
