import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Outcome, trpcEntrance } from '../contract/entrances.ts';
import { openKitchen, writeIn } from '../contract/kitchen.ts';
import { operations } from '../support/documented.ts';
import { prismaOf } from '../support/prisma.ts';
import { useTwoServers } from './two-servers.ts';

const two = useTwoServers();

const writes = operations
  .filter(({ kind }) => kind === 'mutation')
  .map((operation) => ({ name: operation.name, operation }));

test.each(writes)(
  '$name with one key, six at once over two servers, is done once',
  async ({ name, operation }) => {
    const kitchen = await openKitchen({ url: two.urls[0], app: { database: two.database } });
    const { locationId } = kitchen;
    const input = { ...(await writeIn(kitchen, operation)), idempotencyKey: randomUUID() };
    const { idempotencyKey: keys } = prismaOf(two.database);
    const send = (turn: number) => trpcEntrance(operation).call(two.urls[turn % 2] ?? '', kitchen.key, input);
    const outcomes = await Promise.all([0, 1, 2, 3, 4, 5].map(send));
    const first = outcomes.filter(
      ({ code, headers }) => code === undefined && !headers.has('idempotency-replayed'),
    );
    expect(first).toHaveLength(1);
    const others = outcomes.filter((outcome) => !first.includes(outcome));
    if (name === 'keys.create' || name === 'keys.rotate')
      expect(codes(others)).toEqual(others.map(() => 'conflict'));
    else expect(others.map(({ text }) => text)).toEqual(others.map(() => first[0]?.text));
    expect(await keys.count({ where: { locationId } })).toBe(1);
  },
);

const codes = (outcomes: readonly Outcome[]) => outcomes.map(({ code }) => code);
