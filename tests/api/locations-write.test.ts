import { describe, expect, it } from 'vitest';
import { CodedLocation } from '../../packages/api/src/resources/locations/schema.ts';
import { useApi } from '../support/api.ts';
import { underDeed } from '../support/by-hand.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { auditOf, refused } from '../support/money.ts';
import { openPlace } from '../support/place.ts';
import { prismaOf } from '../support/prisma.ts';
import { parseStrict } from '../support/strict.ts';

const api = useApi();

const locations = (key?: string) => api.client(key).locations;

describe('locations.create', () => {
  it('makes a location with cash to pay with, which the key itself cannot enter', async () => {
    const input = { name: 'Bar Nuevo', timezone: 'America/Montevideo', currency: 'UYU' };
    const made = parseStrict(CodedLocation, await locations().create.mutate(input));
    expect(made).toMatchObject(input);
    expect(made.created_at).toMatch(/-03:00$/);
    const { prisma } = api;
    const methods = await prisma.paymentMethod.findMany({ where: { locationId: made.id } });
    expect(methods.map(({ name, type, enabled }) => ({ name, type, enabled }))).toEqual([
      { name: 'Cash', type: 'cash', enabled: true },
    ]);
    expect((await refused(locations().update.mutate({ id: made.id, name: 'Mine' }))).code).toBe(
      'resource_not_found',
    );
    expect((await locations().getCurrent.query()).id).toBe(api.locationId);
  });

  it('takes UTC and USD unless said, and is written down at the location of the key', async () => {
    const made = await locations().create.mutate({ name: 'Plain' });
    expect(made).toMatchObject({ timezone: 'UTC', currency: 'USD' });
    const [entry, ...rest] = await auditOf(api.app.database, made.id);
    expect(rest).toEqual([]);
    expect(entry).toEqual({
      actorKind: 'api_key',
      apiKeyId: api.key.id,
      operation: 'locations.create',
      changes: { before: null, after: { name: 'Plain', timezone: 'UTC', currency: 'USD' } },
    });
  });
});

describe('locations.update', () => {
  it('changes the fields that are present; answers and events show the new zone from then on', async () => {
    const { database } = api.app;
    const id = await createLocation(database, { name: 'Before' });
    const { key } = await createKey(database, { locationId: id });
    const changed = await locations(key).update.mutate({ id, timezone: 'Asia/Tokyo' });
    expect(changed).toMatchObject({ name: 'Before', timezone: 'Asia/Tokyo', currency: 'USD' });
    const { code: _code, ...documented } = changed;
    expect(await locations(key).getCurrent.query()).toEqual(documented);
    await expect
      .poll(async () => (await api.client(key).keys.list.query({})).data[0]?.created_at, { timeout: 10_000 })
      .toMatch(/\+09:00$/);
    const renamed = await locations(key).update.mutate({ id, name: 'After', currency: 'JPY' });
    expect(renamed).toMatchObject({ name: 'After', timezone: 'Asia/Tokyo', currency: 'JPY' });
    expect((await auditOf(database, id)).map(({ changes }) => changes)).toEqual([
      { before: { timezone: 'UTC' }, after: { timezone: 'Asia/Tokyo' } },
      { before: { name: 'Before', currency: 'USD' }, after: { name: 'After', currency: 'JPY' } },
    ]);
  });

  it('keeps the currency of amounts (a report had pesos as dollars), except by a deed', async () => {
    const { client, locationId: id, rest } = await openPlace(api);
    await client().locations.update.mutate({ id, currency: 'JPY' });
    await client().turns.open.mutate();
    await client().turns.close.mutate();
    const update = client().locations.update.mutate({ id, currency: 'USD', name: 'Bar' });
    await expect(update).rejects.toThrow(/currency of a location with orders or settlements never changes/);
    const settled = await rest<{ data: object }>('GET /v2/locations/current');
    expect(settled.body.data).not.toMatchObject({ name: 'Bar' });
    expect(settled.body.data).toMatchObject({ currency: 'JPY' });
    // The same currency is none that changes.
    await client().locations.update.mutate({ id, currency: 'JPY', name: 'Bar' });
    await underDeed(api.pool, 'repair: it was meant', `update locations set currency = 'USD' where id = $1`, [
      id,
    ]);
    expect((await client().locations.getCurrent.query()).currency).toBe('USD');
  });

  it('changes and writes down nothing when nothing is given or nothing differs', async () => {
    const { database } = api.app;
    const id = await createLocation(database, { name: 'Same' });
    const { key } = await createKey(database, { locationId: id });
    const { updatedAt } = await prismaOf(database).location.findUniqueOrThrow({ where: { id } });
    const unchanged = await locations(key).update.mutate({ id });
    const { name, timezone, currency } = unchanged;
    expect(await locations(key).update.mutate({ id, name, timezone, currency })).toEqual(unchanged);
    expect((await prismaOf(database).location.findUniqueOrThrow({ where: { id } })).updatedAt).toEqual(
      updatedAt,
    );
    expect(await auditOf(database, id)).toEqual([]);
  });
});

it.each([
  ['an unknown zone', { timezone: 'Mars/Base' }, 'timezone'],
  ['a currency in words', { currency: 'pesos' }, 'currency'],
  ['an empty name', { name: '' }, 'name'],
  ['null for the zone', { timezone: null }, 'timezone'],
])('%s is refused when a location is made and when it is changed', async (_, wrong, field) => {
  const made = await refused(locations().create.mutate({ name: 'Wrong', ...wrong } as never));
  const changed = await refused(locations().update.mutate({ id: api.locationId, ...wrong } as never));
  for (const { code, message } of [made, changed])
    expect({ code, named: message.includes(`${field}: `) }).toEqual({
      code: 'validation_error',
      named: true,
    });
});
