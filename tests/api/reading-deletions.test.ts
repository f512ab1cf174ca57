import { randomUUID } from 'node:crypto';
import { listAll } from '@comanda/client';
import { deletionsKept } from '@comanda/db';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { tables } from '../../packages/db/src/tables/index.ts';
import { refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { underDeed, useHand } from '../support/by-hand.ts';
import { expectComplete, nextOf, readChangesOf } from '../support/changes.ts';
import { operations } from '../support/documented.ts';

const api = useApi();
const hand = useHand(api);
const since = 'updated_since=1970-01-01T00:00:00Z';
const lists = { product: '/v2/products', category: '/v2/categories' } as const;
type Kind = keyof typeof lists;

const get = (route: string) => api.rest(route);
const path = (kind: Kind, query = '') => `${lists[kind]}?include=deleted${query}`;

/** A product or a category of the location, with what belongs to it. */
async function make(kind: Kind, external_id = randomUUID()): Promise<{ id: string; external_id: string }> {
  const answer = await api.rest<{ data: { id: string } }>(`POST ${lists[kind]}`, {
    body: {
      external_id,
      name: `Tea ${randomUUID()}`,
      ...(kind === 'product'
        ? { description: '', price: 1, stock: { enabled: true, quantity: 3, min_stock_alarm: 0 } }
        : { priority: 1, visible: true }),
    },
  });
  expect(answer.status, answer.text).toBe(201);
  return { id: answer.body.data.id, external_id };
}

const table = (kind: Kind) => (kind === 'product' ? 'products' : 'categories');

/** The catalog of all entries with an external id, except one: `replace` removes that. */
async function replaceWithout(gone: { external_id: string }) {
  const rows = await api.sql<{ external_id: string; name: string }>`select external_id, name from products
    where location_id = ${api.locationId} and external_id <> ${gone.external_id}`;
  const products = rows.map((row) => ({ ...row, price: 1 }));
  const shelves = await api.sql<{ external_id: string; name: string }>`select external_id, name
    from categories where location_id = ${api.locationId} and external_id <> ${gone.external_id}`;
  const [first = { external_id: 'ALL', name: 'All' }, ...others] = shelves;
  return api.rest('POST /v2/catalog/sync', {
    body: { mode: 'replace', categories: [{ ...first, products }, ...others] },
  });
}

/** Every way in which one goes. */
const ways: Readonly<
  Record<string, (kind: Kind, made: { id: string; external_id: string }) => Promise<unknown>>
> = {
  'by the API': (kind, { id }) => api.rest(`DELETE ${lists[kind]}/${id}`),
  'by the typed client': (kind, { id }) =>
    api.client()[kind === 'product' ? 'products' : 'categories'].delete.mutate({ id }),
  'by a catalog sync that replaces': (_kind, made) => replaceWithout(made),
  'by hand': (kind, { id }) => hand.sql(`delete from ${table(kind)} where id = $1`, [id]),
  'by hand, as an admin of many': (kind, { id }) =>
    hand.sql(`delete from ${table(kind)} where id = any ($1)`, [[id, randomUUID()]]),
  'by another id, under a deed': (kind, { id }) =>
    underDeed(api.pool, 'repair: a test', `update ${table(kind)} set id = uuid_v7() where id = $1`, [id]),
};

describe.each(Object.keys(lists) as Kind[])('a %s that goes', (kind) => {
  it.each(Object.entries(ways))('%s is published, once it has gone and not before', async (_, remove) => {
    const made = await make(kind);
    const reader = readChangesOf(get, path(kind));
    expect(await reader.walk()).toContain(made.id);
    expect(await reader.walk()).not.toContain(`-${made.id}`);
    await remove(kind, made);
    expect(await reader.walk()).toContain(`-${made.id}`);
    await expectComplete(get, path(kind), reader);
  });

  it('and comes back, by hand or by an undo, is there again; and goes again', async () => {
    const { id } = await make(kind);
    const reader = readChangesOf(get, path(kind));
    await reader.walk();
    const [row] = await hand.sql<{ row: string }>(
      `select to_jsonb(r)::text as row from ${table(kind)} r where id = $1`,
      [id],
    );
    const [remove, back] = [
      `delete from ${table(kind)} where id = $1`,
      `insert into ${table(kind)} select * from jsonb_populate_record(null::${table(kind)}, $1::jsonb)`,
    ];
    await hand.sql(remove, [id]);
    await hand.sql(back, [row?.row]);
    const met = await reader.walk();
    expect(met).toContain(id);
    expect(met).not.toContain(`-${id}`);
    await hand.sql(remove, [id]);
    expect(await reader.walk()).toContain(`-${id}`);
    await expectComplete(get, path(kind), reader);
  });

  it('in a transaction that commits late is met, and so is every other row', async () => {
    const [late, other] = [await make(kind), await make(kind)];
    const reader = readChangesOf(get, path(kind, '&limit=1'));
    await reader.walk();
    await hand.sql('begin');
    await hand.sql(`delete from ${table(kind)} where id = $1`, [late.id]);
    await api.rest(`DELETE ${lists[kind]}/${other.id}`);
    expect(await reader.walk()).toContain(`-${other.id}`);
    await hand.sql('commit');
    expect(await reader.walk()).toContain(`-${late.id}`);
    await expectComplete(get, path(kind), reader);
  });

  it('and is rolled back is not published', async () => {
    const { id } = await make(kind);
    await hand.sql('begin');
    await hand.sql(`delete from ${table(kind)} where id = $1`, [id]);
    await hand.sql('rollback');
    expect(await readChangesOf(get, path(kind)).walk()).not.toContain(`-${id}`);
  });

  it('shows no other location', async () => {
    const { id } = await make(kind);
    await api.rest(`DELETE ${lists[kind]}/${id}`);
    const { token: key } = await api.place();
    const answer = await api.rest(`GET ${path(kind, `&${since}`)}`, { key });
    expect(answer.body).toMatchObject({ data: [], deleted: [], pagination: { total: 0 } });
  });
});

describe('pages that list deletions', () => {
  it.each([1, 2, 3, 7, 200])('of %i hold all, in the order of the moments, each once', async (limit) => {
    const { locationId, rest } = await ownShop();
    const made: string[] = [];
    for (let n = 0; n < 9; n += 1) made.push(await api.make.product({ locationId }));
    for (const id of made.filter((_, n) => n % 2 === 0)) await rest(`DELETE /v2/products/${id}`);
    const reader = readChangesOf(rest, `/v2/products?include=deleted&limit=${limit}`);
    const met = await reader.walk();
    expect(met.sort()).toEqual(made.map((id, n) => (n % 2 === 0 ? `-${id}` : id)).sort());
    expect(await reader.walk()).toEqual([]);
    await expectComplete(rest, '/v2/products?include=deleted', reader);
  });

  it('count both in the limit, and show by their own limit whether more follow', async () => {
    const { locationId, rest } = await ownShop();
    const kept = await api.make.product({ locationId });
    const gone = await api.make.product({ locationId });
    await rest(`DELETE /v2/products/${gone}`);
    const first = await rest(`GET /v2/products?include=deleted&limit=1&${since}`);
    expect(first.body).toMatchObject({
      data: [{ id: kept }],
      deleted: [],
      pagination: { limit: 1, total: 2 },
    });
    const second = await rest(`GET ${nextOf(first)}`);
    expect(second.body).toMatchObject({
      data: [],
      deleted: [{ id: gone, deleted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*[+-]\d\d:\d\d$|Z$/) }],
      pagination: { limit: 0, total: 2 },
    });
    const third = await rest(`GET ${nextOf(second)}`);
    expect(third.body).toMatchObject({ data: [], deleted: [], pagination: { limit: 1 } });
  });

  it('list them under any filters, and not at all unless they are asked to', async () => {
    const { locationId, rest } = await ownShop();
    const gone = await api.make.product({ locationId });
    await rest(`DELETE /v2/products/${gone}`);
    const filtered = await rest(`GET /v2/products?include=deleted&sku=none&${since}`);
    expect(filtered.body).toMatchObject({ data: [], deleted: [{ id: gone }] });
    for (const list of Object.values(lists))
      expect((await rest(`GET ${list}?${since}`)).body).not.toHaveProperty('deleted');
  });

  it('are the typed client’s, and a loop over a list hands them over', async () => {
    const { locationId, client, rest } = await ownShop();
    const category = await api.make.category({ locationId, name: 'Teas' });
    const gone: string[] = [];
    for (let n = 0; n < 5; n += 1) gone.push(await api.make.product({ locationId }));
    const kept = await api.make.product({ locationId });
    for (const id of gone) await rest(`DELETE /v2/products/${id}`);
    await rest(`DELETE /v2/categories/${category}`);
    const comanda = client();
    const input = { updated_since: '1970-01-01T00:00:00Z', include: ['deleted' as const], limit: 2 };
    const [met, listed] = [[] as string[], [] as string[]];
    const onDeleted = (rows: readonly { id: string }[]) => void listed.push(...rows.map(({ id }) => id));
    for await (const { id } of listAll(comanda.products.list, input, { onDeleted })) met.push(id);
    expect({ met, listed }).toEqual({ met: [kept], listed: gone });
    expect((await comanda.categories.list.query(input)).deleted).toMatchObject([{ id: category }]);
  });
});

describe('what goes with others', () => {
  it.each(Object.entries(lists))('of a sandbox that is reset, each %s is listed', async (_, list) => {
    const { rest } = await ownShop({ sandbox: true });
    expect((await rest('POST /v2/sandbox/reset')).status).toBe(200);
    const reader = readChangesOf(rest, `${list}?include=deleted`);
    await reader.walk();
    const before = [...reader.view.keys()];
    expect(before.length).toBeGreaterThan(0);
    expect((await rest('POST /v2/sandbox/reset')).status).toBe(200);
    expect(await reader.walk()).toEqual(expect.arrayContaining(before.map((id) => `-${id}`)));
    await expectComplete(rest, `${list}?include=deleted`, reader);
  });

  it('of a location that is deleted in the database, nothing is left', async () => {
    const { locationId } = await ownShop();
    await api.make.product({ locationId });
    const gone = await api.make.product({ locationId });
    await api.make.category({ locationId, name: 'Teas' });
    await hand.sql('delete from products where id = $1', [gone]);
    const count = 'select count(*)::int as n from internal.deleted_records where location_id = $1';
    expect(await hand.sql(count, [locationId])).toEqual([{ n: 1 }]);
    await underDeed(api.pool, 'purge: a test', 'delete from locations where id = $1', [locationId]);
    expect(await hand.sql(count, [locationId])).toEqual([{ n: 0 }]);
  });
});

/** The reason why a list of changes has no deletions. */
const tellsNone: Readonly<Record<string, string>> = {
  'orders.list': 'an order that has its number is kept',
  'payments.list': 'a payment is kept',
  'stock.list': 'a stock record goes with its product; one that goes alone makes its product come again',
};

test('every list of changes lists what was deleted, or has a reason not to', () => {
  const telling = operations.filter(({ listsChanges }) => listsChanges);
  const without = telling.filter(
    ({ output }) => !(output instanceof z.ZodObject && 'deleted' in output.shape),
  );
  expect(without.map(({ name }) => name).sort()).toEqual(Object.keys(tellsNone));
  const paths = telling
    .filter((each) => !without.includes(each))
    .flatMap(({ routes }) => routes.map((route) => route.path));
  expect(paths.sort()).toEqual(Object.values(lists).sort());
  // And the reverse: noted changes are published.
  expect(
    tables.filter(({ published }) => published?.keepsDeletions).map(({ published }) => published?.as),
  ).toEqual(expect.arrayContaining(Object.keys(lists)));
});

describe('what is refused', () => {
  test.each(Object.values(lists))('%s: deletions of no time', async (list) => {
    for (const query of ['', '&limit=1', '&offset=1'])
      expect(refusalOf(await api.rest(`GET ${list}?include=deleted${query}`), 422, 'validation_error')).toBe(
        'include: deleted needs updated_since, or the cursor of a page before',
      );
    for (const query of ['include=gone', 'include='])
      expect(refusalOf(await api.rest(`GET ${list}?${query}&${since}`), 422, 'validation_error')).toContain(
        'include',
      );
  });

  test('a cursor since when deletions may have been forgotten', async () => {
    const cursorOf = (days: number, more: object = {}) => {
      const moment = Date.now() - days * 86_400_000;
      const place = 'm' in more ? { ...more, m: moment, u: moment, h: moment } : { s: moment };
      return Buffer.from(JSON.stringify({ e: '00000000', ...place })).toString('base64url');
    };
    const walk = { m: 0, i: randomUUID(), n: 3 };
    for (const list of Object.values(lists))
      for (const more of [{}, walk]) {
        const late = cursorOf(deletionsKept.days + 1, more);
        const answer = await api.rest(`GET ${list}?include=deleted&cursor=${late}`);
        expect(refusalOf(answer, 422, 'validation_error')).toContain('cursor: begins more than 30 days ago');
        expect(answer.headers.get('x-error-reason')).toBe('unknown_cursor');
        // Entries are there for good.
        expect((await api.rest(`GET ${list}?cursor=${late}`)).status).toBe(200);
        const recent = cursorOf(deletionsKept.days - 1, more);
        expect((await api.rest(`GET ${list}?include=deleted&cursor=${recent}`)).status).toBe(200);
      }
  });
});

const ownShop = (location: { sandbox?: boolean } = {}) => api.place({ location });
