import { comandaError, createClient, tagOf } from '@comanda/client';
import { expect, it } from 'vitest';
import { useApi } from '../support/api.ts';

const api = useApi();
const clientOf = (strict: boolean) => createClient({ url: api.url, key: api.key.key, strict, retries: 0 });

const tea = { name: 'Tea', description: '', price: 1 };
const refusalOf = (call: Promise<unknown>) =>
  call.then((value) => expect.fail(`answered ${JSON.stringify(value)}`), comandaError);

it('refuses a misspelled field by name where the client is strict, and ignores it where it is not', async () => {
  const misspelled = { ...tea, name: 'Mate', prise: 2 };
  expect(await refusalOf(clientOf(true).products.create.mutate(misspelled))).toMatchObject({
    reason: 'unknown_parameter',
    fields: [{ path: 'prise', message: 'is unknown: did you mean price?' }],
  });
  expect((await clientOf(true).products.list.query({ search: 'Mate' })).data).toEqual([]);
  expect((await clientOf(false).products.create.mutate(misspelled)).price).toBe(1);
});

it('refuses one in the items of a large body, too', async () => {
  const items = Array.from({ length: 100 }, (_, index) => ({
    ...tea,
    external_id: `e-${index}`,
    description: 'x'.repeat(9_000),
    color: 'red',
  }));
  const started = clientOf(true).syncJobs.startProducts.mutate({
    idempotencyKey: 'large',
    mode: 'upsert' as const,
    items,
  });
  expect(await refusalOf(started)).toMatchObject({ fields: [{ path: 'items[].color' }] });
});

it('takes what is its own in an input: the idempotency key, and the tag that a change expects', async () => {
  const { products } = clientOf(true);
  const made = await products.create.mutate({ ...tea, idempotencyKey: 'strict' });
  const expected = tagOf(made);
  expect((await products.update.mutate({ id: made.id, price: 2, expected })).price).toBe(2);
});
