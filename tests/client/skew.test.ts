import { type ComandaClient, comandaError, createClient, followEvents, listAll } from '@comanda/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { usePublishingApi } from '../support/published.ts';
import { thrownBy } from '../support/thrown.ts';
import { useClosed } from '../support/use.ts';
import { type Between, pass, standBetween } from './between.ts';

// The promise is in the client's README: the server is updated first, and never takes anything away.
const api = usePublishingApi();
let order: Parameters<ComandaClient['orders']['create']['mutate']>[0];

beforeAll(async () => {
  const { locationId } = api;
  const product_id = await api.make.product({ locationId, name: 'Flat White', price: 12.5 });
  order = {
    idempotencyKey: 'one',
    external_id: 'one',
    is_take_away: false,
    identifier: '',
    payment_method_id: await api.make.paymentMethod({ locationId }),
    items: [{ product_id, quantity: 1 }],
  };
});

describe('the client of today with the server of tomorrow', () => {
  // Fields are added wherever there are some; statuses, event types, codes and reasons have new values.
  const tomorrow: Between = useClosed(() =>
    standBetween(
      api.url,
      pass((text) =>
        text
          .replaceAll('{"', '{"barcode":{"of":["tomorrow"]},"')
          .replaceAll('"pending"', '"parked"')
          .replaceAll('"product.created"', '"product.tasted"')
          .replaceAll('"not_found"', '"eaten"')
          .replaceAll('"resource_not_found"', '"resource_gone"'),
      ),
    ),
  );
  const client = () => createClient({ url: tomorrow.url, key: api.key.key });

  it('hands on what it does not know', async () => {
    const placed = await client().orders.create.mutate(order);
    expect(placed).toMatchObject({ status: 'parked', barcode: { of: ['tomorrow'] }, total: 12.5 });
    const found = [];
    for await (const { id, status } of listAll(client().orders.list, { limit: 1 }))
      found.push({ id, status });
    expect(found).toContainEqual({ id: placed.id, status: 'parked' });
  });

  it('reads an error whose code and reason are new', async () => {
    const error = await client()
      .orders.get.query({ id: 'nothing' })
      .catch((thrown) => thrown);
    expect(comandaError(error)).toMatchObject({ code: 'resource_gone', reason: 'eaten', httpStatus: 404 });
  });

  it('goes on in the feed past an event of a new type', async () => {
    await api.published();
    const ending = new AbortController();
    const types: string[] = [];
    for await (const { type } of followEvents(client(), { signal: ending.signal })) {
      types.push(type);
      if (type === 'order.created') ending.abort();
    }
    expect(types).toContain('product.tasted');
  });
});

describe('the client of today with the server of yesterday', () => {
  // It lacks what is optional in answers, and knows neither the newest operations nor the newest fields.
  const yesterday: Between = useClosed(() =>
    standBetween(
      api.url,
      pass((text) =>
        text
          .replaceAll(/,"resourceId":"[^"]*"/g, '')
          .replaceAll(/,"(channel|external_id)":"[^"]*"/g, '')
          .replaceAll(/,"next":"[^"]*"/g, ''),
      ),
    ),
  );
  const client = () => createClient({ url: yesterday.url, key: api.key.key, retries: 0 });
  const refusalOf = (call: Promise<unknown>) => thrownBy(call).then(comandaError);

  it('does what both know', async () => {
    const placed = await client().orders.create.mutate({
      ...order,
      idempotencyKey: 'two',
      external_id: 'two',
    });
    expect(placed.external_id).toBeUndefined();
    const taken = await refusalOf(
      client().orders.create.mutate({ ...order, idempotencyKey: 'three', external_id: 'two' }),
    );
    expect(taken).toMatchObject({ reason: 'external_id_taken', fields: [] });
    expect(taken).not.toHaveProperty('resourceId');
  });

  it('is reported for an operation and of a filter that are too new, and of a field of a body is not', async () => {
    const untyped = client() as unknown as Record<
      string,
      Record<string, { query(input: object): Promise<unknown> }>
    >;
    expect(await refusalOf(untyped.dishes?.list?.query({}) ?? Promise.resolve())).toMatchObject({
      code: 'resource_not_found',
      reason: 'unknown_path',
    });
    expect(await refusalOf(client().orders.list.query({ table: '4' } as object))).toMatchObject({
      reason: 'unknown_parameter',
    });
    const made = await client().products.create.mutate({
      ...{ name: 'Tea', description: '', price: 1 },
      ...{ weight: 2 },
    });
    expect(made).not.toHaveProperty('weight');
  });
});
