import { createClient } from '@comanda/client';
import { type FakeAnswers, fakeClient } from '@comanda/testing';
import { afterEach, expect, it } from 'vitest';
import type { Operation } from '../../packages/api/src/call/operations.ts';
import { exampleInput, exampleOf } from '../../packages/api/src/documents/examples.ts';
import { IdempotencyKey } from '../../packages/api/src/wire.ts';
import { useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { outcomeOf, reasonOf } from './outcome.ts';
import { spoiled } from './spoiled.ts';

// Every procedure takes the example of its input, spoiled in one place, at a fake and at a service: what the fake refuses, the service
// refuses in the same words; what it does not, it cannot know.

const api = useApi();
const answers = Object.fromEntries(operations.map(({ name }) => [name, () => ({})])) as FakeAnswers;
const { client: fake } = fakeClient(answers);

/** Reasons of the service that depend on what there is, which a fake does not know. */
const ofState = new Set([
  'not_found',
  'unknown_product',
  'unknown_category',
  'unknown_reference',
  'unknown_cursor',
  'payment_method_unusable',
  'source_key_unusable',
  'invalid_selection',
  'out_of_stock',
  'external_id_taken',
  'sku_taken',
  'turn_open',
  'no_turn',
  'sandbox_only',
  'changed_since',
  'too_many_endpoints',
  'still_referenced',
  'not_collected',
  'illegal_move',
  'stock_changed',
  'stock_range',
  'certification_running',
]);

// A pause would refuse every order that comes later.
afterEach(() => api.sql`update locations set paused = false`);

let keys = 0;
const exampleKey = exampleOf(IdempotencyKey);

it.each(operations)('a spoiled input is refused as the service does: $name', async (operation) => {
  const { id: _, key } = await api.make.key({
    locationId: api.locationId,
    perMinute: 1_000_000,
    batchJobsPerHour: 1_000_000,
  });
  const service = createClient({ url: api.url, key });
  const differences: unknown[] = [];
  let refusedBoth = 0;
  for (const { what, input } of spoiled(wholeInput(operation))) {
    const given = withKey(operation, input);
    const way = operation.kind === 'query' ? 'query' : 'mutate';
    const [faked, served] = await Promise.all(
      [fake, service].map((client) => outcomeOf(client, operation.name, way, given)),
    );
    if (faked === undefined || served === undefined) throw new Error('no outcome');
    const isSame = JSON.stringify(faked) === JSON.stringify(served);
    const isUnknowable = faked === 'answered' && ofState.has(reasonOf(served) ?? '');
    if (isSame && faked !== 'answered') refusedBoth += 1;
    if (!isSame && !isUnknowable) differences.push({ what, faked, served });
  }
  expect(differences).toEqual([]);
  if (Object.keys(operation.input.shape).length > 0) expect(refusedBoth).toBeGreaterThan(0);
});

/** The example with every field that may be left out, or as it is where these exclude each other. */
function wholeInput(operation: Operation): Record<string, unknown> {
  const example = exampleInput(operation);
  const fields = Object.entries(operation.input.shape).flatMap(([name, field]) => {
    try {
      return [[name, exampleOf(field)]];
    } catch {
      // No row of the table: nothing shows it.
      return [];
    }
  });
  const whole = { ...Object.fromEntries(fields), ...example };
  return operation.input.safeParse(whole).success ? whole : example;
}

// A key that was used before would be answered as it was then.
function withKey({ meta }: Operation, input: Record<string, unknown>): Record<string, unknown> {
  keys += 1;
  return meta.idempotent && input.idempotencyKey === exampleKey
    ? { ...input, idempotencyKey: `spoiled-${keys}` }
    : input;
}
