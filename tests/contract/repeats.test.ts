import { randomUUID } from 'node:crypto';
import { comandaError } from '@comanda/client';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { operations } from '../support/documented.ts';
import { thrownBy } from '../support/thrown.ts';
import { waitFor } from '../support/wait.ts';
import { type Entrance, entrancesOf, type Outcome } from './entrances.ts';
import { inputIn, type Kitchen, openKitchen, writeIn } from './kitchen.ts';
import { stateOf } from './state.ts';

/** Made once: the answer to a repeat of them. */
const givenOnce = new Set(['keys.create', 'keys.rotate']);

const writes = operations
  .filter(({ kind }) => kind === 'mutation')
  .flatMap((operation) => entrancesOf(operation).map((entrance) => ({ name: entrance.name, entrance })));

const perOperation = writes.filter(({ entrance }) => entrance.name.startsWith('tRPC '));

const api = useApi();
/** One holds a lock, the other looks who waits for it. */
const holder = useHand(api, { role: 'service' });
const looker = useHand(api, { role: 'service' });

describe('a write with an idempotency key', () => {
  test.each(writes)('is done once; its repeat is equal or a conflict: $name', async ({ entrance }) => {
    const { kitchen, send, state } = await begin(entrance);
    const before = await state();
    const malformed = await send({ idempotencyKey: 'x'.repeat(256) });
    expect({ status: malformed.status, code: malformed.code }).toEqual({
      status: 422,
      code: 'validation_error',
    });
    expect(await state()).toEqual(before);

    const first = await send();
    expect(first.message).toBeUndefined();
    expect(replayed(first)).toBe(false);
    const after = await state();
    const again = await send();
    if (givenOnce.has(entrance.operation.name)) expect(again.code).toBe('conflict');
    else expect(alike(again)).toEqual({ ...alike(first), replayed: true });
    expect(await state()).toEqual(after);

    const other = await send({ note: 'of another request' });
    expect(other.message).toBe('The Idempotency-Key was used before with a different body.');
    expect({ status: other.status, code: other.code }).toEqual({ status: 409, code: 'conflict' });
    expect(await state()).toEqual(after);

    const [stored, ...more] = await keysOf(kitchen);
    expect(more).toEqual([]);
    const secret = /whsec_[^"]+|(?<="key":")[^"]+/.exec(first.text)?.[0];
    if (secret !== undefined) expect(stored?.response ?? stored?.refusal ?? '').not.toContain(secret);
    expect(stored?.response === null).toBe(secret !== undefined);
  });

  test.each(perOperation)(
    'is done by its repeat when it was cut off before its commit: $name',
    async ({ entrance }) => {
      const { kitchen, send, state } = await begin(entrance);
      const before = await state();
      const cut = await cutOff(send);
      expect(cut.status).toBe(503);
      expect(await state()).toEqual(before);
      // The pool may not know yet that the connection is gone: a repeat on it is asked to come again.
      const done = await waitFor('the repeat to be served', async () => {
        const repeat = await send();
        return repeat.status !== 503 && repeat;
      });
      expect(done.message).toBeUndefined();
      expect(replayed(done)).toBe(false);
      expect(await keysOf(kitchen)).toHaveLength(1);
    },
  );
});

// A reset asks nothing of the keys either; it removes them.
const unkeyed = perOperation.filter(
  ({ entrance: { operation } }) => !operation.meta.idempotent && operation.name !== 'sandbox.reset',
);

test.each(unkeyed)('a write without a key asks nothing of the keys: $name', async ({ entrance }) => {
  const { send } = await begin(entrance);
  // A call that so much as looks for a key waits until it is refused.
  const done = await whileLocked('access exclusive', () => send({ idempotencyKey: undefined }));
  expect(done.message).toBeUndefined();
});

test('a repeated creation of a key is a conflict that names the key, and makes no other', async () => {
  const kitchen = await openKitchen(api);
  const make = () =>
    api
      .client(kitchen.key)
      .keys.create.mutate({ idempotencyKey: 'once', name: 'till', permissions: ['orders:read'] });
  const made = await make();
  const refused = comandaError(await thrownBy(make()));
  expect(refused?.code).toBe('conflict');
  expect(refused?.message).toContain(made.id);
  expect(refused?.message).not.toContain(made.key);
  const keys = await api.client(kitchen.key).keys.list.query({});
  expect(keys.data.filter(({ name }) => name === 'till')).toHaveLength(1);
});

test('a move that is repeated after a further move returns the first move', async () => {
  const kitchen = await openKitchen(api);
  const operation = operations.find(({ name }) => name === 'orders.updateStatus');
  const { id } = await inputIn(kitchen, operation ?? raise('no orders.updateStatus'));
  const move = (status: string, key: string) =>
    api.rest(`PATCH /v2/orders/${id}/status`, {
      key: kitchen.key,
      body: { status },
      headers: { 'idempotency-key': key },
    });
  const ready = await move('ready', 'to ready');
  const closed = await move('closed', 'to closed');
  expect([ready.status, closed.status]).toEqual([200, 200]);
  const again = await move('ready', 'to ready');
  expect(again.text).toBe(ready.text);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  const unkeyed = await api.rest(`PATCH /v2/orders/${id}/status`, {
    key: kitchen.key,
    body: { status: 'ready' },
  });
  refusalOf(unkeyed, 409, 'conflict');
});

test('a key that a refused write came with is free for the next', async () => {
  const kitchen = await openKitchen(api);
  const create = (body: object) =>
    api.rest('POST /v2/categories', { key: kitchen.key, body, headers: { 'idempotency-key': 'again' } });
  refusalOf(await create({ name: '' }), 422, 'validation_error');
  refusalOf(await create({ ...category, external_id: kitchen.category.externalId }), 409, 'conflict');
  expect((await create(category)).status).toBe(201);
});

test('the same key means another call in the other family and at another operation', async () => {
  const kitchen = await openKitchen(api);
  const headers = { 'idempotency-key': 'the same' };
  const send = (route: string, body: object) => api.rest(route, { key: kitchen.key, headers, body });
  const answers = [
    await send('POST /v1/products', product),
    await send('POST /v2/products', product),
    await send('POST /v2/categories', category),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(answers.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, null, null]);
});

async function begin(entrance: Entrance) {
  const kitchen = await openKitchen(api);
  const input = await writeIn(kitchen, entrance.operation);
  const idempotencyKey = randomUUID();
  const send = (more: object = {}): Promise<Outcome> =>
    entrance.call(api.url, kitchen.key, { ...input, idempotencyKey, ...more });
  return { kitchen, send, state: () => stateOf(looker.sql, kitchen.locationId) };
}

async function whileLocked<Result>(mode: string, act: () => Promise<Result>): Promise<Result> {
  await holder.sql(`begin; lock table internal.idempotency_keys in ${mode} mode`);
  return act().finally(() => holder.sql('rollback'));
}

/** Ends the connection of a call that has done all but store its answer. */
const cutOff = (send: () => Promise<Outcome>) =>
  // The call may look for its key.
  whileLocked('share', async () => {
    const answer = send();
    await waitFor('the call to store its answer', async () => {
      const rows = await looker.sql(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'relation'`);
      return rows.length > 0;
    });
    return answer;
  });

const category = { name: 'Drinks', priority: 1, visible: true };
const product = { name: 'Tea', description: '', price: 1 };

const replayed = ({ headers }: Outcome) => headers.get('idempotency-replayed') === 'true';

const alike = (outcome: Outcome) => {
  const { status, headers, text } = outcome;
  return { status, text, location: headers.get('location'), replayed: replayed(outcome) };
};

const keysOf = ({ locationId }: Kitchen) => api.prisma.idempotencyKey.findMany({ where: { locationId } });

function raise(message: string): never {
  throw new Error(message);
}
