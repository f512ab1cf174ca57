import { describe, expect, test } from 'vitest';
import { referenceColumns } from '../../packages/api/src/resources/products/fields.schema.ts';
import { useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { entrancesOf } from './entrances.ts';
import { inputIn, useKitchen } from './kitchen.ts';

const api = useApi();
const kitchen = useKitchen(api);

/** An empty one of these finds everything, or nothing (docs/contract.md, Filters); of no other one an empty value is meant. */
const mayBeEmpty: readonly string[] = ['search', 'sku', 'category_id', 'external_id', ...referenceColumns];

const cases = operations.flatMap((operation) =>
  entrancesOf(operation)
    .filter(({ name }) => name.startsWith('GET '))
    .flatMap((entrance) =>
      Object.keys(operation.input.shape)
        .filter((field) => field !== 'id' && !entrance.name.includes(`{${field}}`))
        .map((field) => ({ name: `${entrance.name} ${field}`, entrance, field })),
    ),
);

const errorOf = async ({ entrance, field }: (typeof cases)[number]) => {
  const { id, external_id } = await inputIn(kitchen, entrance.operation);
  const subject = { ...(id !== undefined && { id }), ...(external_id !== undefined && { external_id }) };
  return (await entrance.call(api.url, kitchen.key, { ...subject, [field]: '' })).message;
};

describe('an empty filter', () => {
  test.each(cases.filter(({ field }) => !mayBeEmpty.includes(field)))(
    'is refused by its name: $name',
    async (each) => {
      expect(await errorOf(each)).toMatch(new RegExp(`(^|; )${each.field}(\\[0\\])?: `));
    },
  );

  test.each(cases.filter(({ field }) => mayBeEmpty.includes(field)))(
    'finds what the contract says: $name',
    async (each) => {
      expect(await errorOf(each)).toBeUndefined();
    },
  );
});
