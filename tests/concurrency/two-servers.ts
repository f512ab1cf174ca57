import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '@comanda/db';
import { type Answer, type Call, callRest, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { createKey, createLocation, createPaymentMethod } from '../support/factories.ts';
import { startProcess } from '../support/processes.ts';
import { type Sql, sqlOf } from '../support/sql.ts';
import { useClosed } from '../support/use.ts';

/** Two API servers on one database, with one location in it. */
export interface TwoServers {
  urls: readonly [string, string];
  database: Database;
  locationId: string;
  paymentMethodId: string;
  key: string;
  sql: Sql;
  /** Calls one of the two: even turns the first, odd turns the second. */
  call(turn: number, route: string, call?: Call): Promise<Answer>;
  /** Creates an order through one of the two. */
  order(turn: number, idempotencyKey: string, body: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
}

/** Two for the tests of a file, in this process: they share the database and the key, and nothing else. */
export const useTwoServers = (): TwoServers => {
  const encryptionKey = randomBytes(32).toString('base64');
  return useClosed(() => openTwo((databaseUrl) => startTestApi({ databaseUrl, encryptionKey })));
};

/** The same as processes, for a load that one process cannot carry beside its callers. */
export const useTwoProcesses = (): TwoServers =>
  useClosed(() =>
    openTwo(async (databaseUrl) => {
      const env = { DATABASE_URL: databaseUrl, WEBHOOK_TARGETS: 'any' };
      const { url = '', stop } = await startProcess({ entry: 'api', env });
      return { url, close: () => stop() };
    }),
  );

async function openTwo(
  start: (databaseUrl: string) => Promise<{ url: string; close(): Promise<unknown> }>,
): Promise<TwoServers> {
  const own = await createTestDatabase();
  const database = openDatabase({ url: own.url });
  const servers = await Promise.all([start(own.url), start(own.url)]);
  const [first = '', second = ''] = servers.map(({ url }) => url);
  for (const url of [first, second]) {
    const { status } = await callRest(url, 'GET /readyz');
    if (status !== 200) throw new Error(`${url}/readyz answered ${status}`);
  }
  const locationId = await createLocation(database);
  const paymentMethodId = await createPaymentMethod(database, { locationId });
  const { key } = await createKey(database, { locationId });
  const call: TwoServers['call'] = (turn, route, more = {}) =>
    callRest(turn % 2 === 0 ? first : second, route, { key, ...more });
  return {
    urls: [first, second],
    database,
    locationId,
    paymentMethodId,
    key,
    sql: sqlOf(database),
    call,
    order: (turn, idempotencyKey, body) =>
      call(turn, 'POST /v2/orders', { body, headers: { 'idempotency-key': idempotencyKey } }),
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      await database.close();
      await own.drop();
    },
  };
}

/** One race: what was sent at once, and whether it was one. */
export interface Trial {
  answers: Answer[];
  /** Every call was sent before the first was answered. */
  real: boolean;
}

/** Sends every call at once, waits for all. */
export async function race(calls: readonly (() => Promise<Answer>)[]): Promise<Trial> {
  let lastSent = 0;
  let firstAnswered = Number.POSITIVE_INFINITY;
  const answers = await Promise.all(
    calls.map(async (call) => {
      lastSent = performance.now();
      const answer = await call();
      firstAnswered = Math.min(firstAnswered, performance.now());
      return answer;
    }),
  );
  return { answers, real: lastSent < firstAnswered };
}

/** Runs the trials a few at a time and says how many were real. */
export async function raceAll(
  name: string,
  count: number,
  trial: (index: number) => Promise<Trial>,
): Promise<Trial[]> {
  const trials: Trial[] = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < count; index = next++) trials[index] = await trial(index);
  };
  await Promise.all(Array.from({ length: Math.min(5, count) }, lane));
  console.info(`${name}: ${trials.filter(({ real }) => real).length} of ${count} trials were real races`);
  return trials;
}

/** How many answers had each status, as `{ 201: 1, 409: 5 }`. */
export function statuses(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
