import { type ComandaClient, createClient } from '@comanda/client';
import { type FakeAnswers, fakeClient } from '@comanda/testing';
import { expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { ask, type CallOutcome, outcomeOf, reasonOf } from './outcome.ts';

// Mistakes that applications were seen to make, at a fake and at a service.

const api = useApi();
const answers = Object.fromEntries(
  operations.map(({ name }) => [name, () => ({ id: 'any' })]),
) as FakeAnswers;

const id = '01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d';
const line = { product_id: id, quantity: 1 };
const order = (more: object = {}) => ({
  idempotencyKey: crypto.randomUUID(),
  external_id: 'PO-1',
  is_take_away: true,
  identifier: 'Table 4',
  payment_method_id: id,
  items: [line],
  ...more,
});
const product = (more: object) => ({ name: 'Tea', description: '', price: 1, ...more });

type Probe = [name: string, path: string, way: 'query' | 'mutate', input: () => unknown];

/** Results that depend on the input alone: fake and service have the same. */
const ofInput: Probe[] = [
  ['an unknown status', 'orders.updateStatus', 'mutate', () => ({ id, status: 'cooking' })],
  ['a quantity below zero', 'orders.create', 'mutate', () => order({ items: [{ ...line, quantity: -1 }] })],
  ['a quantity of zero', 'orders.create', 'mutate', () => order({ items: [{ ...line, quantity: 0 }] })],
  ['an order of nothing', 'orders.create', 'mutate', () => order({ items: [] })],
  ['a long identifier', 'orders.create', 'mutate', () => order({ identifier: 'x'.repeat(300) })],
  ['an unknown filter', 'orders.list', 'query', () => ({ statuss: 'ready' })],
  ['a large page', 'orders.list', 'query', () => ({ limit: 1000 })],
  ['a price of three decimals', 'products.create', 'mutate', () => product({ price: 1.005 })],
  ['a price below zero', 'products.create', 'mutate', () => product({ price: -1 })],
  ['a price as text', 'products.create', 'mutate', () => product({ price: '1' })],
  ['a price that is no number', 'products.create', 'mutate', () => product({ price: Number.NaN })],
  ['an empty name', 'products.create', 'mutate', () => product({ name: '' })],
  ['no name', 'products.create', 'mutate', () => product({ name: undefined })],
  ['one product twice', 'stock.sync', 'mutate', () => ({ items: [stockOf(2), stockOf(3)] })],
  ['a mutation as a query', 'orders.create', 'query', () => order()],
  ['a misspelled procedure', 'orders.creat', 'mutate', () => order()],
  ['a misspelled query', 'orders.lists', 'query', () => ({})],
  ['a query as a mutation', 'orders.list', 'mutate', () => ({ limit: 1 })],
  ['a short page', 'orders.list', 'query', () => ({ limit: 1 })],
  ['no input', 'orders.list', 'query', () => undefined],
  ['a filter that is left undefined', 'orders.list', 'query', () => ({ status: undefined })],
  ['a Date for a moment', 'events.list', 'query', () => ({ since: new Date(0) })],
  ['a moment an hour ahead', 'events.list', 'query', () => ({ since: new Date(Date.now() + 7_200_000) })],
  ['two places to begin at', 'events.list', 'query', () => ({ since: new Date(0), after: 'latest' })],
  ['a field that no product has', 'products.create', 'mutate', () => product({ color: 'red' })],
  [
    'no key for an idempotent call',
    'products.create',
    'mutate',
    () => product({ idempotencyKey: undefined }),
  ],
  ['an empty idempotency key', 'products.create', 'mutate', () => product({ idempotencyKey: '' })],
  ['a tag that is no text', 'products.update', 'mutate', () => ({ id, price: 1, expected: 7 })],
  ['a list as an input', 'orders.list', 'query', () => [1]],
];

const stockOf = (quantity: number) => ({ product_id: id, quantity });

/** Results that depend on existing rows: a fake without an answer for them cannot know, and a test plays them with `refusal`. */
const ofState: [...Probe, reason: string][] = [
  ['an order that is not there', 'orders.get', 'query', () => ({ id }), 'not_found'],
  ['an id that is none', 'orders.get', 'query', () => ({ id: 'o-1' }), 'not_found'],
  ['an illegal move', 'orders.updateStatus', 'mutate', () => ({ id, status: 'ready' }), 'not_found'],
  [
    'a status that no move leads to',
    'orders.updateStatus',
    'mutate',
    () => ({ id, status: 'pending' }),
    'not_found',
  ],
  ['a product that is not there', 'orders.create', 'mutate', () => order(), 'unknown_product'],
  ['a payment that is not there', 'payments.complete', 'mutate', () => ({ id }), 'not_found'],
];

async function bothOf([, path, way, input]: Probe | [...Probe, string]): Promise<CallOutcome[]> {
  const given = input();
  const service = createClient({ url: api.url, key: api.key.key });
  return Promise.all([fakeClient(answers).client, service].map((each) => outcomeOf(each, path, way, given)));
}

it.each(ofInput)('%s is taken by a fake as by the service', async (...probe) => {
  const [fake, service] = await bothOf(probe);
  const timeless = (outcome: unknown) =>
    JSON.stringify(outcome).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|1 hour[^,]*/g, '…');
  expect(timeless(fake)).toBe(timeless(service));
});

it.each(ofState)('%s is for the test to say', async (...probe) => {
  const [fake, service] = await bothOf(probe);
  expect([fake, reasonOf(service ?? 'answered')]).toEqual(['answered', probe[4]]);
});

it('a key that was used with another input is refused in the same words, and a repeat is replayed', async () => {
  const outcomes = await Promise.all(
    [fakeClient(answers).client, createClient({ url: api.url, key: api.key.key })].map(async (client) => {
      const make = (price: number) =>
        outcomeOf(client, 'products.create', 'mutate', product({ price, idempotencyKey: 'tea' }));
      return [await make(1), await make(1), await make(2), await make(-1)];
    }),
  );
  expect(outcomes[0]).toEqual(outcomes[1]);
  expect(outcomes[0]?.map((each) => reasonOf(each))).toEqual([
    undefined,
    undefined,
    'idempotency_key_reused',
    'idempotency_key_reused',
  ]);
});

it('a signal ends a call before it is sent, and while it waits', async () => {
  const wait = () => new Promise<never>(() => {});
  const { client } = fakeClient({ 'orders.list': wait });
  const service = createClient({ url: api.url, key: api.key.key, fetch: wait });
  for (const signal of [() => AbortSignal.abort(), () => AbortSignal.timeout(20)]) {
    const [fake, real] = await Promise.all(
      [client, service].map((each: ComandaClient) =>
        ask(each, 'orders.list', 'query', {}, { signal: signal() }).catch(({ message, noAnswer }) => ({
          message,
          noAnswer,
        })),
      ),
    );
    expect(fake).toEqual(real);
    expect(fake).toMatchObject({ noAnswer: expect.stringMatching(/^(aborted|timeout)$/) });
  }
});
