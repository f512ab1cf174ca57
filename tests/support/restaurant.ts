import { randomBytes } from 'node:crypto';
import { type Database, openDatabase, statement } from '@comanda/db';
import { type Answer, type Call, callRest } from './api.ts';
import { createTestDatabase } from './database.ts';
import { createKey, createLocation } from './factories.ts';
import { startProcess } from './processes.ts';

/** Two API processes and one worker process on one database, with one location and a key for everything. */
export type Restaurant = Awaited<ReturnType<typeof openRestaurant>>;

/** Opens it, in a time zone whose offset is no whole hour. */
export async function openRestaurant() {
  const own = await createTestDatabase();
  const env = {
    DATABASE_URL: own.url,
    WEBHOOK_TARGETS: 'any',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  const processes = await Promise.all([
    startProcess({ entry: 'api', env }),
    startProcess({ entry: 'api', env }),
    startProcess({ entry: 'worker', env }),
  ]);
  const [first = '', second = ''] = processes.map(({ url }) => url);
  const database = openDatabase({ url: own.url, poolSize: 2 });
  const locationId = await createLocation(database, { timezone: 'America/St_Johns', currency: 'CAD' });
  const { key } = await createKey(database, { locationId });
  return {
    database,
    locationId,
    /** Calls REST of one of the two processes: even turns the first, odd turns the second. */
    call: (turn: number, route: string, more: Call = {}): Promise<Answer> =>
      callRest(turn % 2 === 0 ? first : second, route, { key, ...more }),
    environment: env,
    /** Everything that the processes have logged so far. */
    logged: () => processes.map(({ output }) => output()).join(''),
    /** Stops the processes; how each ended. */
    stop: () => Promise.all(processes.map((running) => running.stop())),
    async close() {
      await database.close();
      await own.drop();
    },
  };
}

/** `data` of an answer that must be a success. */
export function dataIn<Data>(answer: Answer, status = 200): Data {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return answer.body.data as Data;
}

/**
 * Whether every change of a location is published and every delivery made. One statement, so one snapshot: what
 * leaves the changes between two questions could be missed by both.
 */
export async function isQuiet(database: Database, locationId: string): Promise<boolean> {
  const [left] = await database.run(unfinished, [locationId]);
  return left?.count === 0;
}

const unfinished = statement<{ count: number }>(
  'test_unfinished_events',
  `select ((select count(*) from internal.captured_changes where location_id = $1::uuid)
    + (select count(*) from webhook_deliveries where location_id = $1::uuid and next_attempt_at is not null))::int as count`,
);
