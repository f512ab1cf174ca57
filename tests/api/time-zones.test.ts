import { describe, expect, it, onTestFinished, test } from 'vitest';
import { createLocation as createByCommand } from '../../packages/api/src/resources/locations/store.ts';
import { wireTime } from '../../packages/api/src/wire.ts';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { useApi } from '../support/api.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { refused } from '../support/money.ts';
import { createOrderKitchen } from '../support/orders.ts';
import { runOnce } from '../support/server.ts';

const api = useApi();

const refusal = 'must be an IANA time zone, such as America/Montevideo';

describe('zones that Intl.supportedValuesOf leaves out', () => {
  const zones = ['America/Argentina/Buenos_Aires', 'Asia/Kolkata', 'Europe/Kyiv', 'Etc/UTC'];
  it.each(zones)('%s can be a location’s, whose orders then show its offset', async (timezone) => {
    const made = await api.client().locations.create.mutate({ name: 'Far away', timezone });
    expect(made.timezone).toBe(timezone);
    const { key } = await api.make.key({ locationId: made.id });
    const kitchen = await createOrderKitchen(api, made.id);
    const order = await kitchen.post({}, { key });
    expect(order.status, order.text).toBe(201);
    const list = await api.rest<{ data: { created_at: string }[] }>('GET /v2/orders', { key });
    const [shown] = list.body.data;
    const local = wireTime(new Date(shown?.created_at ?? ''), timezone);
    expect(shown?.created_at).toBe(local);
    const winter = wireTime(new Date('2026-01-15T12:00:00Z'), timezone).slice(-6);
    expect(winter).toBe({ Am: '-03:00', As: '+05:30', Eu: '+02:00', Et: '+00:00' }[timezone.slice(0, 2)]);
    expect((await api.rest('GET /v2/locations/current', { key })).text).toContain(`"${timezone}"`);
  });

  it.each(zones)('%s can be given at the command line and by a change', async (timezone) => {
    const made = await createByCommand(api.app.database, { name: 'By hand', timezone, currency: 'USD' });
    expect(made.timezone).toBe(timezone);
    const { key } = await api.make.key({ locationId: made.id });
    const client = api.client(key).locations;
    await client.update.mutate({ id: made.id, timezone: 'UTC' });
    expect(await client.update.mutate({ id: made.id, timezone })).toEqual(made);
  });
});

describe('what is no name of the IANA database', () => {
  const others = [
    ['a zone of POSIX, once a 500 of the location', 'UYT3'],
    ['a file of the server', 'posix/America/Montevideo'],
    ['a zone with leap seconds', 'right/UTC'],
    ['a name in other letters', 'america/montevideo'],
    ['an abbreviation in other letters', 'utc'],
    ['an offset', '+03:00'],
    ['an abbreviation', 'BRT'],
    ['a place that is none', 'Mars/Base'],
    ['a zone without a time', 'Factory'],
    ['nothing', ''],
  ] as const;
  it.each(others)('%s is refused by the API, the command line and the database', async (_, timezone) => {
    const { locationId: id, client, rest } = await api.place();
    const { locations } = client();
    const input = { name: 'Wrong', timezone };
    const message = expect.stringContaining(`timezone: ${refusal}`);
    for (const call of [
      () => locations.create.mutate(input),
      () => locations.update.mutate({ id, timezone }),
    ])
      expect(await refused(call())).toEqual({ code: 'validation_error', message });
    const byCommand = createByCommand(api.app.database, { ...input, currency: 'USD' });
    await expect(byCommand).rejects.toMatchObject({ message });
    const byHand = api.sql`update locations set timezone = ${timezone} where id = ${id}`;
    const inSql = { code: '22023', message: expect.stringContaining(`timezone ${refusal}`) };
    await expect(byHand).rejects.toMatchObject(inSql);
    expect((await rest('GET /v2/locations/current')).status).toBe(200);
  });
});

const knownToNode = (timeZone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }) !== undefined;
  } catch {
    return false;
  }
};

test('the zones of a location are what server and Node both know, EST5EDT as any other', async () => {
  const names = (rows: { name: string }[]) => rows.map(({ name }) => name);
  const ours = names(await api.sql('select name from internal.time_zones order by name'));
  const servers = names(await api.sql('select name from pg_timezone_names order by name collate "C"'));
  expect(ours).toEqual(servers.filter(knownToNode));
  expect(ours.length).toBeGreaterThan(400);
  expect(ours.includes('EST5EDT')).toBe(servers.includes('EST5EDT') && knownToNode('EST5EDT'));
  expect(ours.filter((name) => /^(posix|right)/.test(name))).toEqual([]);
  const both = Intl.supportedValuesOf('timeZone').filter((name) => servers.includes(name));
  expect(both.filter((name) => !ours.includes(name))).toEqual([]);
});

test('the next start adds the zones that are new, and takes away none', async () => {
  const database = await createEmptyDatabase();
  onTestFinished(() => database.drop());
  await migrate(database.url);
  await runOnce(
    database.url,
    `delete from internal.time_zones where name = 'Asia/Kolkata'; insert into internal.time_zones values ('Mars/Base')`,
  );
  await migrate(database.url);
  await runOnce(database.url, `insert into locations (name, timezone) values ('x', 'Asia/Kolkata')`);
  const unknown = runOnce(database.url, `insert into locations (name, timezone) values ('x', 'Mars/Base')`);
  await expect(unknown).rejects.toThrow('time zone "Mars/Base" not recognized');
  await expect(runOnce(database.url, 'delete from internal.time_zones')).rejects.toThrow('foreign key');
});

test('a zone that another Node has stored and this does not know is shown as PostgreSQL knows it, not as a fault', async () => {
  await runOnce(api.databaseUrl, `insert into internal.time_zones values ('UYT3')`);
  const { locationId, rest } = await api.place({ location: { timezone: 'UYT3' } });
  const created_at = expect.stringMatching(/-03:00$/);
  expect(await rest('GET /v2/locations/current')).toMatchObject({
    status: 200,
    body: { data: { created_at } },
  });
  await api.sql('delete from locations where id = $1', [locationId]);
  await runOnce(api.databaseUrl, `delete from internal.time_zones where name = 'UYT3'`);
});
