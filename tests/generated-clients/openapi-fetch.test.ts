import { rmSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { call } from '../client/outside.ts';
import { useConsumer } from '../support/consumer.ts';
import { wrongPrograms } from '../support/programs.ts';
import { usePublishingApi } from '../support/published.ts';
import { waitFor } from '../support/wait.ts';
import { compileProject, complaintsAbout, makeProject, openapiTypescript } from './generators.ts';

// The compiler runs twice: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const api = usePublishingApi([0.1, 0.1, 0.1, 0.1]);
const consumer = useConsumer();
let folder: string;

beforeAll(async () => {
  folder = await makeProject(api.url, openapiTypescript, 'openapi-fetch.ts');
});

afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

const order = `{ external_id: '1', is_take_away: true, identifier: '4', payment_method_id: '', items: [{ product_id: '', quantity: 2 }] }`;
const header = `params: { header: { 'Idempotency-Key': 'order-1' } }`;

const wrong = wrongPrograms({
  'an order without header': `client.POST('/v2/orders', { body: ${order} }); // 'params' is missing`,
  'an order without Idempotency-Key': `client.POST('/v2/orders', { params: { header: {} }, body: ${order} }); // '"Idempotency-Key"' is missing`,
  'a job without Idempotency-Key': `client.POST('/v2/sync/products', { params: {}, body: { mode: 'upsert', items: [] } }); // 'header' is missing`,
  'an order without body': `client.POST('/v2/orders', { ${header} }); // 'body' is missing`,
  'an order without items': `client.POST('/v2/orders', { ${header}, body: { external_id: '1', is_take_away: true, identifier: '4', payment_method_id: '' } }); // 'items' is missing`,
  'a price as text': `client.POST('/v2/products', { body: { name: '', description: '', price: '2' } }); // 'string' is not assignable to type 'number'`,
  'an unknown status': `client.PATCH('/v2/orders/{id}/status', { params: { path: { id: '' } }, body: { status: 'gone' } }); // '"gone"' is not assignable`,
  'an unknown event': `client.POST('/v2/webhook-endpoints', { body: { url: '', events: ['order.eaten'] } }); // '"order.eaten"' is not assignable`,
  'a missing id': `client.GET('/v2/orders/{id}', {}); // 'params' is missing`,
  'an unknown path': `client.GET('/v2/dishes', {}); // '"/v2/dishes"' is not assignable`,
  'a method that is not there': `client.DELETE('/v2/catalog', {}); // '"/v2/catalog"' is not assignable`,
  'a filter of another type': `client.GET('/v2/products', { params: { query: { limit: 'ten' } } }); // 'string' is not assignable to type 'number'`,
  'an unknown field': `(await client.GET('/v2/catalog')).data?.data.color; // 'color' does not exist`,
  'an optional field taken for granted': `(await client.GET('/v2/products')).data?.data.map(({ external_id }) => external_id.length); // 'external_id' is possibly 'undefined'`,
  'an error taken for a success': `(await client.GET('/v2/products')).data.data; // possibly 'undefined'`,
});

describe('a client by openapi-typescript and openapi-fetch', () => {
  it('compiles strictly, does the main job and syncs a catalog', async () => {
    expect(await compileProject(folder)).toEqual([]);
    await api.make.paymentMethod();
    const surroundings = { url: api.url, key: api.key.key, hook: consumer.url };
    const seen = (await call(folder, './out/program.js', 'mainJob', surroundings)) as { secret: string };
    expect(seen).toEqual({
      secret: expect.stringMatching(/^whsec_/),
      job: ['completed', 50, 0],
      hidden: [true, 25],
      order: [1, 11],
      isFound: true,
      location: true,
      isReplayed: true,
      isSame: true,
      moves: ['ready', 'closed'],
      refusals: ['conflict', 'resource_not_found', 404],
    });
    const { received } = consumer;
    await waitFor('every event', () => received.length >= 4);
    const events = received.map(({ text, headers }) =>
      new Webhook(seen.secret).verify(text, headers as Record<string, string>),
    );
    const lines = (await call(folder, './out/program.js', 'tell', events)) as string[];
    expect(lines.sort()).toEqual(['created: 11.00', 'order.completed', 'pending → ready', 'ready → closed']);

    const feed = await call(folder, './out/program.js', 'readFeed', surroundings);
    expect(feed).toEqual(['order.created', 'order.completed']);

    expect(await call(folder, './out/program.js', 'syncCatalog', surroundings)).toEqual({
      first: [4, 4, 0],
      second: [0, 0, 4],
      names: ['Coffee', 'Latte 12.5', 'Oat'],
    });
  });

  it('does not compile what is wrong', async () => {
    const head = `import type createClient from 'openapi-fetch'; import type { paths } from './openapi-v2.js'; declare const client: ReturnType<typeof createClient<paths>>;`;
    const expected = wrong.map(([name, , text]) => [name, [expect.stringMatching(text)]]);
    expect(await complaintsAbout(folder, head, wrong)).toEqual(Object.fromEntries(expected));
  });
});
