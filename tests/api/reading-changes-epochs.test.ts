import { describe, expect, it } from 'vitest';
import { firstMoment } from '../../packages/api/src/resources/changes/cursor.rules.ts';
import { type Answer, useApi } from '../support/api.ts';
import { nextOf } from '../support/changes.ts';
import { placeOrder, useOrderKitchen } from '../support/orders.ts';

const api = useApi();
const kitchen = useOrderKitchen(api);
const since = 'updated_since=1970-01-01T00:00:00Z';
const text = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');

describe('a cursor of another epoch of the database', () => {
  const read = (list: string, query: string) => api.rest(`GET ${list}?limit=1&${query}`);
  const cursorOf = (answer: Answer) => {
    const cursor = new URLSearchParams(nextOf(answer).split('?')[1]).get('cursor') ?? '';
    return JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Record<string, unknown>;
  };

  it.each(['/v2/stock', '/v2/products', '/v2/orders'])(
    'goes back an hour at the end of a walk and within one: %s',
    async (list) => {
      for (const n of [1, 2]) {
        const productId = await api.make.product({
          locationId: api.locationId,
          stock: { quantity: n },
        });
        await placeOrder(api, { ...kitchen, productId });
      }
      const first = await read(list, since);
      const second = cursorOf(await read(list, `cursor=${text(cursorOf(first))}`));
      const again = await read(list, `cursor=${text({ ...second, e: '00000000' })}`);
      expect(again.body).toMatchObject({ data: (first.body as { data: unknown[] }).data });
      const end = { e: second.e, s: Date.now() };
      expect((await read(list, `cursor=${text(end)}`)).body).toMatchObject({ data: [] });
      const late = await read(list, `cursor=${text({ ...end, e: '00000000' })}`);
      expect(late.body).toMatchObject({ data: (first.body as { data: unknown[] }).data });
      expect(cursorOf(late).e).toBe(second.e);
    },
  );

  it('before which nothing was read begins with the first moment', async () => {
    const answer = await read('/v2/orders', `cursor=${text({ e: '00000000', s: firstMoment })}`);
    expect(answer.status, answer.text).toBe(200);
  });
});
