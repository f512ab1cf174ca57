import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { call } from '../client/outside.ts';
import { useApi } from '../support/api.ts';
import { wrongPrograms } from '../support/programs.ts';
import { compileProject, complaintsAbout, heyApi, makeProject } from './generators.ts';

// The compiler runs twice: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const api = useApi();
let folder: string;

beforeAll(async () => {
  folder = await makeProject(api.url, heyApi, 'hey-api.ts');
});

afterAll(async () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

const order = `{ external_id: '1', is_take_away: true, identifier: '4', payment_method_id: '', items: [{ product_id: '', quantity: 2 }] }`;

const wrong = wrongPrograms({
  'an order without Idempotency-Key': `sdk.ordersCreate({ body: ${order} }); // 'headers' is missing|Idempotency-Key`,
  'an order without body': `sdk.ordersCreate({ headers: { 'Idempotency-Key': '1' } }); // 'body' is missing`,
  'a price as text': `sdk.productsCreate({ body: { name: '', description: '', price: '2' } }); // 'string' is not assignable to type 'number'`,
  'a missing id': `sdk.productsGet({}); // 'path' is missing`,
  'an unknown filter': `sdk.productsList({ query: { serach: '' } }); // 'serach' does not exist`,
});

describe('a client by @hey-api/openapi-ts', () => {
  it('compiles strictly and makes, lists, reads and orders a product', async () => {
    expect(await compileProject(folder)).toEqual([]);
    const paymentMethodId = await api.make.paymentMethod();
    const surroundings = { url: api.url, key: api.key.key, paymentMethodId };
    expect(await call(folder, './out/program.js', 'work', surroundings)).toEqual({
      status: 201,
      listed: ['Flat White 12.50'],
      total: 1,
      isSame: true,
      feed: 200,
      order: 25,
      refusal: '404 resource_not_found',
    });
  });

  it('does not compile what is wrong', async () => {
    const head = `import * as sdk from './client/index.js';`;
    const expected = wrong.map(([name, , text]) => [name, [expect.stringMatching(text)]]);
    expect(await complaintsAbout(folder, head, wrong)).toEqual(Object.fromEntries(expected));
  });
});
