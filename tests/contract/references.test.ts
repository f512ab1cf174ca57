import { newId } from '@comanda/db';
import { expect, test } from 'vitest';
import { tables } from '../../packages/db/src/tables/index.ts';
import { useApi } from '../support/api.ts';
import { tableReferredBy } from '../support/referred.ts';
import { callReferences, makeMaker } from './reference-router.ts';

// A field that refers to another resource is declared by refersTo() and held by a foreign key (references.ts).

const api = useApi();

async function call(route: string, body?: object, key?: string) {
  const { status, headers, body: answered } = await callReferences(api, route, body, key);
  const { message } = (answered.error ?? {}) as { message?: string };
  return { status, reason: headers.get('x-error-reason'), message };
}

test('a reference to nothing, to what is elsewhere, or that is no id is refused without its path', async () => {
  const there = await makeMaker(api);
  const foreign = await makeMaker(api, await api.make.location());
  for (const wrong of [newId(), foreign, there.toUpperCase(), 'none', '']) {
    const body = { maker_id: wrong, lines: [{ maker_id: there }, { maker_id: wrong }] };
    expect(await call('POST /v2/parts', body, 'the-same-key')).toEqual({
      status: 422,
      reason: 'unknown_reference',
      message: 'maker_id: names nothing in test_makers; lines[1].maker_id: names nothing in test_makers',
    });
  }
  // A refused call leaves the key unused.
  for (const key of ['the-same-key', 'the-same-key', undefined])
    expect(await call('POST /v2/parts', { maker_id: there }, key)).toMatchObject({ status: 200 });
  expect(await call('POST /v2/parts', { maker_id: null })).toMatchObject({ status: 200 });
});

test('what others refer to is deleted, or refused without who refers to it', async () => {
  const [used, unused] = [await makeMaker(api), await makeMaker(api)];
  await call('POST /v2/parts', { maker_id: used });
  expect(await call(`DELETE /v2/makers/${used}`)).toEqual({
    status: 409,
    reason: 'still_referenced',
    message: 'test_parts still refer to it (maker_id): change or delete these first.',
  });
  expect(await call(`DELETE /v2/makers/${unused}`)).toMatchObject({ status: 200 });
});

test('a declared reference names no table of the service, or has no foreign key', async () => {
  const rows = await api.sql<{
    table: string;
    column: string;
  }>`select distinct c.confrelid::regclass::text as table, a.attname as column from pg_constraint c
    cross join unnest(c.conkey) k (number) join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number
    where c.contype = 'f' and cardinality(c.conkey) = 2 and a.attname <> 'location_id'`;
  expect(rows).toContainEqual({ table: 'categories', column: 'category_id' });
  for (const [column, table] of tableReferredBy) {
    expect(tables.map(({ name }) => name)).toContain(table);
    expect(rows).toContainEqual({ table, column });
  }
});
