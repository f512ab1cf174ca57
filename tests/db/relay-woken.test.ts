import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { useDatabase, useTestDatabase } from '../support/database.ts';
import { createLocation, createProduct } from '../support/factories.ts';
import { openAs } from '../support/roles.ts';
import { waitFor } from '../support/wait.ts';

// The relay looks for changes once a second, and less often after a quiet while. A commit of any program but the API wakes it (prisma/sql/captured.sql); the API does so
// after its commit, as commits that notify wait for each other.

const own = useTestDatabase();
const database = useDatabase(own);
let locationId: string;
beforeAll(async () => {
  locationId = await createLocation(database);
  await createProduct(database, { locationId });
});

/** The notifications that a listener hears of a new price that a program writes, up to a notification that follows it. */
async function heardOf(role: 'owner' | 'service' | 'admin', program: string): Promise<string[]> {
  const [listener, writer] = [await openAs(own.url, 'service'), await openAs(own.url, role)];
  onTestFinished(async () => void (await Promise.all([listener.end(), writer.end()])));
  const heard: string[] = [];
  listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
  await listener.query('listen comanda_changes');
  await writer.query(`select set_config('application_name', $1, false)`, [program]);
  await writer.query('update products set price = price + 1 where location_id = $1', [locationId]);
  await writer.query(`notify comanda_changes, 'after it'`);
  await waitFor('the notification after it', () => heard.includes('after it'));
  return heard;
}

it.each([
  ['owner', ''],
  ['owner', 'psql'],
  ['admin', 'psql'],
  ['admin', 'Prisma Studio'],
  ['service', 'comanda-worker'],
  ['service', 'comanda'],
] as const)(
  'a change by %s in a session named "%s" does not wait for the next look of the relay',
  async (role, program) => {
    expect(await heardOf(role, program)).toEqual(['', 'after it']);
  },
);

it.each(['comanda-api', 'comanda-api-large'])('a transaction of %s notifies nothing', async (program) => {
  expect(await heardOf('service', program)).toEqual(['after it']);
});
