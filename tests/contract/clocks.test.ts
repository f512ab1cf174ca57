import { appRouter } from '@comanda/api';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { keylessOf } from '../../packages/api/src/call/keyless.ts';
import type { Operation } from '../../packages/api/src/call/operations.ts';
import { subscriptionsOf } from '../../packages/api/src/call/subscription.ts';
import { beginningsIn } from '../../packages/api/src/moments.ts';
import { useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { type Entrance, entrancesOf } from './entrances.ts';
import { inputIn, useKitchen } from './kitchen.ts';

const api = useApi();
const kitchen = useKitchen(api);

const minute = 60_000;
const header = 'x-read-as-now';

/** Every field of an input that is a moment from which on something is read, by what it is called. */
const momentsIn = (input: z.ZodObject): string[] =>
  Object.keys(input.shape).filter((name) => /(^|_)since$/.test(name));

const cases = operations.flatMap((operation) =>
  momentsIn(operation.input).flatMap((field) =>
    entrancesOf(operation).map((entrance) => ({ name: `${entrance.name} ${field}`, entrance, field })),
  ),
);

/** Calls with nothing but what must be given, and the moment. */
async function callWith({ operation, call }: Entrance, field: string, moment: number) {
  const needed = Object.entries(await inputIn(kitchen, operation)).filter(([name]) =>
    isNeeded(operation, name),
  );
  const input = { ...Object.fromEntries(needed), [field]: new Date(moment).toISOString() };
  return call(api.url, kitchen.key, input);
}

function isNeeded({ input }: Operation, name: string): boolean {
  const field: unknown = input.shape[name];
  return field instanceof z.ZodType && !field.safeParse(undefined).success;
}

describe('a moment to read from', () => {
  test('is found by its name: lists, the feed, replays', () => {
    const names = new Set(cases.map(({ entrance }) => entrance.operation.name));
    expect([...names]).toEqual(
      expect.arrayContaining(['products.list', 'orders.list', 'events.list', 'webhookEndpoints.replay']),
    );
    expect(cases.map(({ name }) => name)).toContain('GET /v2/stock updated_since');
  });

  test.each(operations.map(({ name, input }) => ({ name, input })))(
    'is declared as one, and nothing else is: $name',
    ({ input }) => {
      expect(beginningsIn(input)).toEqual(momentsIn(input));
    },
  );

  test('is taken by nothing that is no operation, where none would look at it', () => {
    const others = [...keylessOf(appRouter), ...subscriptionsOf(appRouter)];
    expect(others.filter(({ input }) => momentsIn(input).length > 0)).toEqual([]);
  });

  test.each(cases)('that has come is read as it is: $name', async ({ entrance, field }) => {
    const { message, headers } = await callWith(entrance, field, Date.now() - minute);
    expect([message, headers.get(header)]).toEqual([undefined, null]);
  });

  test.each(cases)(
    'a little ahead is read as now, and the answer says so: $name',
    async ({ entrance, field }) => {
      const before = Date.now();
      const { message, headers } = await callWith(entrance, field, before + 4 * minute);
      expect(message).toBeUndefined();
      const [name, moment = ''] = headers.get(header)?.split('=') ?? [];
      expect(name).toBe(field);
      expect(Date.parse(moment)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(moment)).toBeLessThanOrEqual(Date.now());
    },
  );

  test.each(cases)(
    'far ahead is refused with the difference and our time: $name',
    async ({ entrance, field }) => {
      const before = Date.now();
      const answer = await callWith(entrance, field, before + 160.5 * minute);
      const { status, code, reason, message = '', headers } = answer;
      expect({ status, code, reason }).toEqual({
        status: 422,
        code: 'validation_error',
        reason: 'clock_ahead',
      });
      expect(headers.get(header)).toBeNull();
      const said = new RegExp(
        `^${field}: is 2 hours 40 minutes ahead of our clock, which says ([^:]+:\\d\\d:[^:]+):`,
      );
      const [, moment = ''] = said.exec(message) ?? [];
      expect(Date.parse(moment), message).toBeGreaterThanOrEqual(before);
      expect(Date.parse(moment)).toBeLessThanOrEqual(Date.now());
    },
  );
});
