import { expect, it } from 'vitest';
import { foldingCases } from '../support/folding.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';

const api = usePublishingApi();
const kitchen = useOrderKitchen(api);

const texts = [...new Set(foldingCases.map(([text]) => text))];
const expected = foldingCases.map(([text, typed, isFound]) => ({ text, typed, isFound }));

/** Whether a search finds the text of each case. */
const outcomes = (find: (typed: string, text: string) => Promise<boolean>) =>
  Promise.all(foldingCases.map(async ([text, typed]) => ({ text, typed, isFound: await find(typed, text) })));

it.each(['v1', 'v2'])('%s misses no product whose name has the letters in another form', async (family) => {
  for (const name of texts) {
    const { status } = await api.rest(`POST /${family}/products`, {
      body: { name: `${family} ${name}`, description: '', price: 1 },
    });
    expect(status).toBe(201);
  }
  const found = async (typed: string, text: string) => {
    const { body } = await api.rest<{ data: { name: string }[] }>(
      `GET /${family}/products?limit=200&search=${encodeURIComponent(typed)}`,
    );
    return body.data.some(({ name }) => name.normalize('NFC') === `${family} ${text}`.normalize('NFC'));
  };
  expect(await outcomes(found)).toEqual(expected);
});

it('orders.search misses no label whose letters are in another form', async () => {
  const ids = new Map<string, string>();
  for (const text of texts) ids.set(text, (await kitchen.place({ identifier: text })).id);
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const found = async (text: string, of: string) => {
    const { data } = await api.client().orders.search.query({ text, from: day(-1), to: day(1), limit: 200 });
    return data.some(({ id }) => id === ids.get(of));
  };
  expect(await outcomes(found)).toEqual(expected);
});

it('a text as long as an address can be finds nothing, and finds it soon', async () => {
  const typed = 'a\u0301\u0316'.repeat(1_000);
  const { status, body } = await api.rest<{ pagination: { total: number } }>(
    `GET /v2/products?search=${encodeURIComponent(typed)}`,
  );
  expect([status, body.pagination.total]).toEqual([200, 0]);
});
