import { appRouter, operationsOf } from '@comanda/api';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { keylessOf } from '../../packages/api/src/call/keyless.ts';
import { subscriptionsOf } from '../../packages/api/src/call/subscription.ts';
import { boundOf } from '../../packages/api/src/lists.ts';

const inputs = [...operationsOf(appRouter), ...keylessOf(appRouter), ...subscriptionsOf(appRouter)].map(
  ({ name, input }) => ({ name, input }),
);

/** Every list in a schema, with its path. */
function* listsIn(
  schema: z.core.$ZodType,
  path: string,
): Generator<{ path: string; list: z.core.$ZodArray }> {
  if (schema instanceof z.core.$ZodArray) {
    yield { path, list: schema };
    yield* listsIn(schema._zod.def.element, `${path}[]`);
  } else if (schema instanceof z.core.$ZodObject) {
    for (const [name, member] of Object.entries(schema._zod.def.shape))
      yield* listsIn(member, `${path}.${name}`);
  } else if (schema instanceof z.core.$ZodUnion) {
    for (const option of schema._zod.def.options) yield* listsIn(option, path);
  } else {
    const {
      innerType,
      in: before,
      valueType,
    } = schema._zod.def as {
      innerType?: z.core.$ZodType;
      in?: z.core.$ZodType;
      valueType?: z.core.$ZodType;
    };
    for (const inner of [innerType, before, valueType]) if (inner !== undefined) yield* listsIn(inner, path);
  }
}

const lists = inputs.flatMap(({ name, input }) => [...listsIn(input, name)]);

describe('every list that callers give', () => {
  test('is found here', () => {
    expect(lists.map(({ path }) => path)).toContain(
      'catalog.sync.categories[].products[].subselections[].items',
    );
  });

  it.each(lists)('has a bound that is looked at before its entries: $path', ({ list }) => {
    expect(boundOf(list)).toBeDefined();
  });

  it.each(lists.flatMap(({ path, list }) => (typeof boundOf(list) === 'number' ? { path, list } : [])))(
    'is refused by its length alone, and documented with it: $path',
    ({ list }) => {
      const most = Number(boundOf(list));
      const read = z.safeParse(list, Array(most + 1).fill({ nothing: 'of this is looked at' }));
      expect(read.error?.issues).toHaveLength(1);
      expect(z.toJSONSchema(list, { io: 'input' })).toMatchObject({ maxItems: most });
    },
  );

  it.each(lists)('is validated up to the first faults, however long it is: $path', ({ list }) => {
    const bound = boundOf(list);
    const most = typeof bound === 'number' ? bound : 100_000;
    const read = z.safeParse(list, Array(most).fill(null));
    expect(read.success).toBe(false);
    expect(read.error?.issues.length).toBeLessThanOrEqual(12);
  });
});
