import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetMoved, rememberMoved } from '../../packages/api/src/resources/locations/status.store.ts';
import { useApi } from '../support/api.ts';
import { createKey, createLocation, keyWithoutCode, unknownKey } from '../support/factories.ts';
import { prismaOf } from '../support/prisma.ts';
import { waitFor } from '../support/wait.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const api = useApi();
let location = { id: '', code: '' };
let key = '';

beforeAll(async () => {
  const id = await createLocation(api.app.database);
  ({ key } = await createKey(api.app.database, { locationId: id }));
  location = await prismaOf(api.app.database).location.findUniqueOrThrow({
    where: { id },
    select: { id: true, code: true },
  });
});

const ask = (by: string, path = '/v2/products', init: RequestInit = {}) =>
  fetch(api.url + path, { ...init, headers: { authorization: `Bearer ${by}`, ...init.headers } });
const comes = (status: number, by = key) =>
  waitFor(`${status}`, async () => {
    const answer = await ask(by);
    return answer.status === status && answer;
  });
const expectMoved = async (answer: Response) => {
  expect(answer.status).toBe(503);
  expect(answer.headers.get('x-error-reason')).toBe('moved');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
};

it('a new key carries the code of its location, which commands show and no documented answer does', async () => {
  expect(location.code).toMatch(/^[0-9a-hjkmnp-tv-z]{8}$/);
  expect(key.split('_')[2]).toBe(location.code);
  const { data } = (await (await ask(key, '/v2/locations/current')).json()) as { data: object };
  expect(data).toMatchObject({ id: location.id });
  expect(data).not.toHaveProperty('code');
  const made = await api.client().locations.create.mutate({ name: 'Another' });
  const stored = await prismaOf(api.app.database).location.findUniqueOrThrow({ where: { id: made.id } });
  expect(made.code).toBe(stored.code);
});

it('codes of many locations differ, use every letter alike, and never change', async () => {
  const { pool } = api.app.database;
  const { rows } = await pool.query<{ letter: string; n: number }>(
    `select letter, count(*)::int as n from (select location_code() as code from generate_series(1, 4000)) c,
       regexp_split_to_table(c.code, '') letter group by letter`,
  );
  expect(rows).toHaveLength(32);
  // 1,000 of each are expected; seven times their deviation off is one run in billions.
  for (const { letter, n } of rows) expect(Math.abs(n - 1_000), letter).toBeLessThan(220);
  await expect(
    pool.query(`update locations set code = 'aaaaaaaa' where id = $1`, [location.id]),
  ).rejects.toThrow('the code of a location never changes');
});

describe('of a location that went to another cell', () => {
  let stream: Response;
  beforeEach(async () => {
    expect((await ask(key)).status).toBe(200);
    stream = await ask(key, '/v2/events/stream');
    expect(stream.status).toBe(200);
    await rememberMoved(api.app.database, location, 'south');
    await comes(503);
  });
  afterEach(async () => {
    await forgetMoved(api.app.database, location);
    await comes(200);
  });

  it('a known key is asked to retry: over REST, over tRPC, and by the stream that it has open', async () => {
    await expectMoved(await ask(key));
    await expectMoved(await ask(key, '/v2/categories', { method: 'POST', body: '{}' }));
    const typed = await ask(key, '/trpc/products.list');
    expect([typed.status, Number(typed.headers.get('retry-after')) > 0]).toEqual([503, true]);
    expect(await typed.json()).toMatchObject({ error: { data: { reason: 'moved' } } });
    await expectMoved(await ask(key, '/v2/events/stream'));
    expect(await stream.text()).toContain('The location of the key moved to another database');
  });

  it('so is one of the first form, and one that is not known here', async () => {
    const old = await keyWithoutCode(api.app.database, location.id);
    await expectMoved(await ask(old));
    const elsewhere = unknownKey({ code: location.code });
    await expectMoved(await ask(elsewhere.key));
    await expectMoved(await ask(elsewhere.key));
  });

  it('a caller with another code, or a mistyped key, learns nothing', async () => {
    for (const other of [unknownKey().key, key.slice(0, -1), `cmd_live_${location.code}_x`]) {
      const answer = await ask(other);
      expect([answer.status, answer.headers.get('x-error-reason')]).toEqual([401, 'key_not_valid']);
    }
  });

  it('it stays so when its rows are gone, and ends when it is here again', async () => {
    const gone = await createLocation(api.app.database);
    const { key: left } = await createKey(api.app.database, { locationId: gone });
    const at = await prismaOf(api.app.database).location.findUniqueOrThrow({ where: { id: gone } });
    await rememberMoved(api.app.database, at, 'south');
    await prismaOf(api.app.database).location.delete({ where: { id: gone } });
    await expectMoved(await comes(503, left));
    await forgetMoved(api.app.database, at);
    await comes(401, left);
    await forgetMoved(api.app.database, location);
    await comes(200);
  });
});
