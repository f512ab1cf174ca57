import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { inFamily, type Operation, operationsOf } from '../../packages/api/src/call/operations.ts';
import { prunerOf, schemaIn } from '../../packages/api/src/families.ts';
import { coercions } from '../../packages/api/src/http/rest/query.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { useApi } from '../support/api.ts';
import { strictly } from '../support/documented.ts';
import { alike } from './alike.ts';
import { type Outcome, restEntrance, trpcEntrance } from './entrances.ts';
import { inputIn, openKitchen } from './kitchen.ts';

const pairs = operationsOf(appRouter).flatMap((whole) =>
  whole.routes.map((route) => ({
    name: `${route.method} ${route.path}`,
    whole,
    operation: inFamily(whole, route.version),
    rest: restEntrance(whole, route),
    trpc: trpcEntrance(whole),
  })),
);

const api = useApi();

test.each(pairs)(
  'the same call on equal state gives the same data: $name',
  async ({ whole, operation, rest, trpc }) => {
    const here = await openKitchen(api);
    const there = await openKitchen(api);
    const byRest = await rest.call(api.url, here.key, await inputIn(here, operation));
    const byTrpc = await trpc.call(api.url, there.key, await inputIn(there, operation));
    expect(byRest.message).toBeUndefined();
    expect(byRest.status).toBe(operation.meta.status ?? 200);
    expect(byTrpc.status).toBe(200);
    expect(alike(shared(whole, byTrpc), there)).toEqual(alike(shared(whole, byRest), here));
    expect(strictly(operation.output).safeParse(byRest.value).error).toBeUndefined();
    expect(strictly(inFamily(whole, 'v2').output).safeParse(byTrpc.value).error).toBeUndefined();
    expect(limitHeaders(byTrpc)).toEqual(limitHeaders(byRest));
  },
);

describe('the same wrong call gives the same refusal', () => {
  const withInput = pairs.filter(({ operation }) => Object.keys(operation.input.shape).length > 0);

  test.each(withInput)('$name', async ({ operation, rest, trpc }) => {
    const kitchen = await openKitchen(api);
    const valid = await inputIn(kitchen, operation);
    for (const input of spoiled(operation, valid)) {
      const byRest = await rest.call(api.url, kitchen.key, input);
      const byTrpc = await trpc.call(api.url, kitchen.key, input);
      expect({ input, ...refusal(byTrpc) }).toEqual({ input, ...refusal(byRest) });
      expect(byRest.code, JSON.stringify(input)).toBe('validation_error');
    }
  });
});

describe('the second of two equal calls ends the same way', () => {
  const writes = pairs.filter(({ operation }) => operation.kind === 'mutation');

  test.each(writes)('$name', async ({ whole, operation, rest, trpc }) => {
    const outcomes = [];
    for (const entrance of [rest, trpc]) {
      const kitchen = await openKitchen(api);
      const input = await inputIn(kitchen, operation);
      await entrance.call(api.url, kitchen.key, input);
      const outcome = await entrance.call(api.url, kitchen.key, input);
      const { code, headers } = outcome;
      const value = alike(shared(whole, outcome), kitchen);
      outcomes.push({ code, value, replayed: headers.get('idempotency-replayed') });
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
    if (operation.meta.idempotent) expect(outcomes[0]?.replayed).toBe('true');
  });
});

/** The part of an answer that both families have: the typed client has the shape of v2. */
const shared = ({ output }: Operation, { value }: Outcome): unknown =>
  (['v1', 'v2'] as const).reduce((rest, family) => prunerOf(schemaIn(output, family))?.(rest) ?? rest, value);

/** Inputs with one fault each, which the operation must refuse by validation. */
function spoiled({ kind, input }: Operation, valid: Record<string, unknown>): Record<string, unknown>[] {
  // Ids are opaque: an unfit one is a 404, which the tests of access hold.
  const fields = Object.keys(kind === 'query' ? input.shape : valid).filter((field) => field !== 'id');
  return [
    ...fields.map((field) => ({
      ...valid,
      [field]: inText.has(field) || kind === 'query' ? unfit(field, input) : { a: 1 },
    })),
    ...(kind === 'query'
      ? []
      : [
          { ...valid, note: 'a\0b' },
          { ...valid, note: ['\ud800'] },
        ]),
  ];
}

// A header cannot carry U+0000; a key may have 255 characters.
function unfit(field: string, input: z.ZodObject): unknown {
  if (field === 'idempotencyKey') return 'x'.repeat(256);
  // A query carries a list as text with commas.
  return coercions(input).get(field) === 'strings' ? ['a\0b'] : 'a\0b';
}

// Values in the path or a header of REST are always text.
const inText = new Set(['external_id', 'idempotencyKey']);

const refusal = ({ code, reason, status, message }: Outcome) => ({
  code,
  reason,
  status,
  message: message?.replaceAll('Idempotency-Key', 'idempotencyKey'),
});

function limitHeaders({ headers }: Outcome): (string | null)[] {
  return ['x-ratelimit-limit', 'x-ratelimit-batch-limit'].map((name) => headers.get(name));
}
