import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closedFunctions } from '../../packages/db/src/roles/bounds.ts';
import { startOwnServer } from '../faults/postgres/server.ts';
import { openHand } from '../support/by-hand.ts';
import { createOrderKitchen, type OrderKitchen } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';
import { migrateWithRoles, openAs, urlAs } from '../support/roles.ts';
import { runOnce, urlOfDatabase } from '../support/server.ts';
import { use, useClosed } from '../support/use.ts';
import { callsOfFunctions, givenToPublic, liftBounds } from './role-functions.ts';

// Under any settings and calls of a session of a person or a tool, orders of every location are answered with 201 again
// within 5 s.

const promisedMs = 5_000;

// A server of its own: one attack takes every lock that a server has.
const prefix = 'comanda_attacked';
const own = use(
  async () => {
    const server = await startOwnServer();
    const superuserUrl = urlOfDatabase(server.url, prefix);
    await runOnce(server.url, `create database ${prefix}`);
    await migrateWithRoles(superuserUrl, prefix);
    return { ...server, superuserUrl, serviceUrl: urlAs(superuserUrl, prefix, 'service') };
  },
  (server) => server.remove(),
);
const api = usePublishingApi(undefined, {
  get databaseUrl() {
    return own.serviceUrl;
  },
});
const superuser = useClosed(() => openHand(own.superuserUrl));
/** Sessions that attack at once, each at a location of its own: a role has 20. */
const atOnce = 12;
const shops: { locationId: string; kitchen: OrderKitchen; key: string }[] = [];
beforeAll(async () => {
  for (let shop = 0; shop < atOnce; shop += 1) {
    const locationId = await api.make.location();
    const { key } = await api.make.key({ locationId });
    shops.push({ locationId, kitchen: await createOrderKitchen(api, locationId), key });
  }
});

/** The statements of a session. */
interface Attack {
  name: string;
  statements: readonly string[];
}

describe.each([
  ['with a superuser', false],
  ['without a superuser', true],
])('roles that were set up %s', (_, open) => {
  if (open) {
    beforeAll(() => superuser.sql(givenToPublic('grant', 'to')));
    afterAll(() => superuser.sql(givenToPublic('revoke', 'from')));
  }

  it.each(['reader', 'admin'] as const)(
    '%s holds up no orders by any function, with every bound of its session lifted',
    async (role) => {
      const first = await openLifted(role);
      // The functions that are open in any case are called where the roles were set up with a superuser.
      const calls = await callsOfFunctions(first.client, '$location', open ? closedFunctions : 'true');
      await close(first);
      const all = calls.map(({ name, sql }) => ({ name, statements: [sql, 'begin', sql] }));
      expect(all.length).toBeGreaterThan(open ? 20 : 120);
      const groups: Attack[][] = [[chain], [manyLocks]];
      while (all.length > 0) groups.push(all.splice(0, atOnce));
      const held: Attack[] = [];
      // Only what repeats counts: the machine may be busy.
      for (const group of groups) held.push(...(await attack(role, await attack(role, group))));
      const locks = held.map(({ name }) => name).filter((name) => /advisory/.test(name));
      if (open) expect(locks.length).toBeGreaterThan(0);
      else expect(locks).toEqual([]);
    },
    500_000,
  );
});

const chain: Attack = {
  name: 'an advisory lock, held by one statement after another',
  statements: [
    `select pg_advisory_lock(turn_lock('$location'))`,
    ...Array<string>(20).fill('select pg_sleep(0.3)'),
  ],
};
const manyLocks: Attack = {
  name: 'every lock that there is',
  statements: ['begin', 'select pg_advisory_xact_lock(n) from generate_series(1, 1000000) n'],
};

/**
 * Runs the statements of each in a session of its own, which stays open, while an order is placed at each location. Returns those
 * at whose location the order had to wait.
 */
async function attack(role: 'reader' | 'admin', attacks: readonly Attack[]): Promise<Attack[]> {
  if (attacks.length === 0) return [];
  const sessions = await Promise.all(attacks.map(() => openLifted(role)));
  const over = await Promise.all(
    attacks.map(({ statements }, at) => {
      const run = (async () => {
        for (const statement of statements)
          await sessions[at]?.client.query(statement.replaceAll('$location', shops[at]?.locationId ?? ''));
      })();
      // A call that PostgreSQL refused holds nothing.
      const ended = run.then(
        () => 'ran',
        () => 'refused',
      );
      return Promise.race([ended, sleep(300, 'runs')]);
    }),
  );
  const held: Attack[] = [];
  if (over.some((how) => how !== 'refused'))
    await Promise.all(
      shops.map(async ({ kitchen, key }, at) => {
        const tookMs = await placedWithin(kitchen, key);
        const attacked = attacks[at];
        expect(tookMs, `${attacked?.name} by ${role}: ms until an order was placed`).toBeLessThan(promisedMs);
        if (tookMs > 900 && attacked !== undefined) held.push(attacked);
      }),
    );
  await Promise.all(sessions.map(close));
  return held;
}

/** Milliseconds until an order is placed; each that is refused is followed by another. */
async function placedWithin(kitchen: OrderKitchen, key: string): Promise<number> {
  const began = performance.now();
  for (;;) {
    const { status } = await kitchen.post({}, { key });
    const tookMs = performance.now() - began;
    if (status === 201 || tookMs > promisedMs) return tookMs;
    expect(status).toBe(503);
    await sleep(50);
  }
}

/** A session without bounds, and the end of its connection. */
async function openLifted(role: 'reader' | 'admin') {
  const client = await openAs(api.databaseUrl, role);
  const ended = new Promise((resolve) => client.once('end', resolve));
  await client.query(liftBounds);
  return { client, ended };
}

/** Ends a session in any state. The connection ends after the session has released its locks. */
async function close({ client, ended }: Awaited<ReturnType<typeof openLifted>>): Promise<void> {
  const { processID } = client as unknown as { processID: number };
  await superuser.sql('select pg_terminate_backend($1)', [processID]);
  await ended;
}
