import { newId } from '@comanda/db';
import { beforeAll, describe, expect, it } from 'vitest';
import { Payment, PaymentPage, PaymentWithBooks } from '../../packages/api/src/resources/payments/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { auditedBy } from '../support/audited.ts';
import { underDeed } from '../support/by-hand.ts';
import { auditOf, recordOrder, refused } from '../support/money.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { parseStrict } from '../support/strict.ts';

const api = useApi();
const kitchen = useOrderKitchen(api);

const get = async (id: string) => dataOf(await api.rest(`GET /v2/payments/${id}`), 200, Payment);
const paymentOf = async () => (await kitchen.place()).payment.id;

it('lists by the days of the completion, which is not that of the creation', async () => {
  const { make, locationId, rest, client } = await api.place({ location: { timezone: 'America/New_York' } });
  const lines = [{ productId: await make.product(), milli: 1000n, cents: 1250n }];
  const methodId = await make.paymentMethod();
  for (let n = 0; n < 2; n += 1)
    await recordOrder(
      api.app.database,
      { locationId },
      { methodId, paid: 'pending', at: new Date('2026-03-08T05:00:00Z'), lines },
    );
  const read = async (query: string) =>
    parseStrict(PaymentPage, (await rest(`GET /v2/payments?${query}`)).body).data.map(({ id }) => id);
  const [first = '', second = ''] = await read('status=pending');
  for (const id of [first, second]) await client().payments.complete.mutate({ id });
  await underDeed(
    api.pool,
    'repair: a test',
    `update settlement_entries set created_at = '2026-03-10T03:59:59.999Z' where location_id = $1 and payment_id = $2`,
    [locationId, first],
  );
  expect(await read('completed_from=2026-03-09&completed_to=2026-03-09')).toEqual([first]);
  expect(await read('completed_to=2026-03-09&from=2026-03-08')).toEqual([first]);
  expect(await read('completed_from=2026-03-10')).toEqual([second]);
  expect(await read('completed_from=2026-03-09&to=2026-03-07')).toEqual([]);
  const counted = await rest('GET /v2/payments?completed_from=2026-03-09&limit=1');
  expect(counted.body).toMatchObject({ pagination: { total: 2 } });
  const changed = await rest(
    'GET /v2/payments?completed_from=2026-03-10&updated_since=2026-01-01T00:00Z&include=books',
  );
  expect(changed.body).toMatchObject({ data: [{ id: second }], pagination: { total: 1 } });
  expect((await rest('GET /v2/payments?completed_from=2026-03-10&completed_to=2026-03-09')).status).toBe(422);
});

describe.each(['v1', 'v2'])('GET /%s/payments', (family) => {
  let key: string;
  let orderId: string;
  const made: string[] = [];
  beforeAll(async () => {
    const { make, locationId, token } = await api.place({ location: { timezone: 'America/New_York' } });
    key = token;
    const cash = await make.paymentMethod();
    const qr = await make.paymentMethod({ name: 'QR', type: 'qr' });
    const productId = await make.product();
    const rows = [
      { methodId: cash, paid: 'completed', at: '2026-03-08T04:59:59.999Z' },
      { methodId: qr, paid: 'pending', at: '2026-03-08T05:00:00.000Z' },
      { methodId: qr, paid: 'completed', at: '2026-03-09T03:59:59.999Z' },
      { methodId: cash, paid: 'rejected', at: '2026-03-09T04:00:00.000Z' },
      { methodId: cash, paid: 'pending', at: '2026-03-09T04:00:00.000Z' },
    ] as const;
    made.length = 0;
    for (const { at, ...row } of rows) {
      const lines = [{ productId, milli: 1000n, cents: 1250n }];
      const order = { ...row, at: new Date(at), lines };
      ({ id: orderId } = await recordOrder(api.app.database, { locationId }, order));
      made.push((await api.prisma.payment.findFirstOrThrow({ where: { orderId } })).id);
    }
  });

  const list = async (query = '') => {
    const answer = await api.rest(`GET /${family}/payments${query}`, { key });
    expect(answer.status, answer.text).toBe(200);
    return parseStrict(PaymentPage, answer.body);
  };

  it('lists newest first, ties by id downwards, with an exact total', async () => {
    const { data, pagination } = await list();
    const [first, second, third, ...tie] = made;
    expect(data.map(({ id }) => id)).toEqual([...tie.sort().reverse(), third, second, first]);
    expect(pagination).toEqual({ limit: 50, offset: 0, total: 5 });
    expect(data.at(-1)).toMatchObject({ method: 'cash', amount: 12.5, status: 'completed' });
    expect(data.at(-1)?.created_at).toBe('2026-03-07T23:59:59.999-05:00');
    expect((await list('?limit=2&offset=3')).data.map(({ id }) => id)).toEqual([second, first]);
    expect(await list('?offset=9')).toEqual({ data: [], pagination: { limit: 50, offset: 9, total: 5 } });
  });

  it.each([
    ['status=completed', [0, 2]],
    ['status=pending', [1, 4]],
    ['status=rejected', [3]],
    ['method=qr', [1, 2]],
    ['method=card', []],
    ['method=cash&status=pending', [4]],
    ['from=2026-03-08&to=2026-03-08', [1, 2]],
    ['to=2026-03-07', [0]],
    ['from=2026-03-09', [3, 4]],
    ['order_id=not-an-id', []],
    [`order_id=${newId()}`, []],
  ])('filters by %s, days being those of the location', async (query, expected) => {
    const { data, pagination } = await list(`?${query}`);
    expect(data.map(({ id }) => made.indexOf(id)).sort()).toEqual(expected);
    expect(pagination.total).toBe(expected.length);
  });

  it('filters by the order', async () => {
    const { data } = await list(`?order_id=${orderId}`);
    expect(data.map(({ order_id }) => order_id)).toEqual([orderId]);
  });

  it.each(['status=paid', 'method=gold', 'from=yesterday', 'from=2026-03-02&to=2026-03-01', 'limit=201'])(
    'answers 422 for %s',
    async (query) => {
      const answer = await api.rest(`GET /${family}/payments?${query}`, { key });
      expect(refusalOf(answer, 422, 'validation_error')).toContain(query.slice(0, query.indexOf('=')));
    },
  );
});

it('GET /v2/payments/{id} answers 200 with the payment that came with an order', async () => {
  const order = await kitchen.place();
  const { id } = order.payment;
  const { updated_at, ...payment } = await get(id);
  expect(payment).toEqual({
    id,
    order_id: order.id,
    payment_method_id: kitchen.paymentMethodId,
    method: 'cash',
    amount: 12.5,
    status: 'pending',
    created_at: order.created_at,
  });
  // It is published as new at a moment after the beginning of its transaction.
  expect(Date.parse(updated_at)).toBeGreaterThanOrEqual(Date.parse(order.created_at));
  expect(await api.client().payments.get.query({ id })).toEqual({ ...payment, updated_at });
});

describe('payments.complete and payments.reject', () => {
  it.each([
    ['complete', 'completed'],
    ['reject', 'rejected'],
  ] as const)('%s moves a pending payment, with a line in the audit', async (verb, status) => {
    const id = await paymentOf();
    const moved = parseStrict(Payment, await api.client().payments[verb].mutate({ id }));
    expect(moved.status).toBe(status);
    expect(await get(id)).toEqual(moved);
    const audited = auditedBy(api.key, `payments.${verb}`, { status: 'pending' }, { status });
    expect(await auditOf(api.app.database, id)).toEqual([audited]);
  });

  it.each([
    ['complete', 'complete', 'from completed to completed'],
    ['complete', 'reject', 'from completed to rejected'],
    ['reject', 'complete', 'from rejected to completed'],
    ['reject', 'reject', 'from rejected to rejected'],
  ] as const)('after %s, %s is a conflict and leaves no trace', async (first, second, words) => {
    const id = await paymentOf();
    const settled = await api.client().payments[first].mutate({ id });
    const refusal = await refused(api.client().payments[second].mutate({ id }));
    expect(refusal).toEqual({ code: 'conflict', message: expect.stringContaining(words) });
    expect(await get(id)).toEqual(settled);
    expect(await auditOf(api.app.database, id)).toHaveLength(1);
  });

  it('of racing moves one wins', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await paymentOf();
      const client = api.client();
      const calls = Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? client.payments.complete : client.payments.reject).mutate({ id }),
      );
      const outcomes = await Promise.allSettled(calls);
      const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      expect(won).toHaveLength(1);
      expect(lost.map(({ data }) => data.code)).toEqual(Array.from({ length: 7 }, () => 'conflict'));
      expect([await get(id)]).toEqual(won);
      expect(await auditOf(api.app.database, id)).toHaveLength(1);
    }
  });

  it('a completed payment stays completed when its order is canceled, a pending one is rejected', async () => {
    const [paid, unpaid] = [await kitchen.place(), await kitchen.place()];
    await api.client().payments.complete.mutate({ id: paid.payment.id });
    for (const { id } of [paid, unpaid]) await api.rest(`POST /v2/orders/${id}/cancel`);
    expect((await get(paid.payment.id)).status).toBe('completed');
    expect((await get(unpaid.payment.id)).status).toBe('rejected');
  });
});

it('POST /v2/payments/{id}/refund gives back by key, with or without a person, as POST …/complete and …/reject move', async () => {
  const [id, other] = [await paymentOf(), await paymentOf()];
  const post = (path: string, body?: object, headers = {}) =>
    api.rest(`POST /v2/payments/${path}`, { body, headers });
  const by = (key: string) => ({ 'Idempotency-Key': key });
  const reasonOf = async (answer: ReturnType<typeof post>) => (await answer).headers.get('x-error-reason');
  const refund = { amount: 2.5, reason: 'Cold' };
  expect((await post(`${id}/refund`, refund)).status).toBe(422);
  expect(await reasonOf(post(`${id}/refund`, refund, by('early')))).toBe('not_collected');
  expect(dataOf(await post(`${id}/complete`), 200, Payment)).toMatchObject({ id, status: 'completed' });
  expect(dataOf(await post(`${other}/reject`), 200, Payment)).toMatchObject({ status: 'rejected' });
  const given = await post(`${id}/refund`, refund, by('first'));
  expect(dataOf(given, 200, PaymentWithBooks)).toMatchObject({ status: 'completed', refunded: 2.5 });
  const again = await post(`${id}/refund`, refund, by('first'));
  expect(again.text).toBe(given.text);
  const whole = await post(`${id}/refund`, { ...refund, amount: 10, person: 'Ana' }, by('second'));
  expect(dataOf(whole, 200, PaymentWithBooks)).toMatchObject({ refunded: 12.5 });
  expect(await reasonOf(post(`${id}/refund`, refund, by('third')))).toBe('refund_too_large');
});
