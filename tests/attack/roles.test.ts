import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { openHand } from '../support/by-hand.ts';
import { superuserUrl } from '../support/database.ts';
import { createOrderKitchen, type OrderKitchen } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';
import { openAs } from '../support/roles.ts';
import { useClosed } from '../support/use.ts';
import { callsOfFunctions, liftBounds, openToPublic } from './role-functions.ts';

// Under any settings and calls of a session of a person or a tool, orders of every location are answered with 201 again
// within 5 s.

const promisedMs = 5_000;

const api = usePublishingApi();
const superuser = useClosed(() => openHand(superuserUrl(api.databaseUrl)));
const shops: { kitchen: OrderKitchen; key: string }[] = [];
beforeAll(async () => {
  for (const locationId of [api.locationId, await api.make.location()]) {
    const { key } = await api.make.key({ locationId });
    shops.push({ kitchen: await createOrderKitchen(api, locationId), key });
  }
});

/** How many sessions were tried, and those that an order waited for. */
interface Seen {
  calls: number;
  held: string[];
}

describe.each([
  ['with a superuser', false],
  ['without a superuser', true],
])('roles that were set up %s', (_, open) => {
  beforeAll(async () => {
    if (open) await superuser.sql(openToPublic);
  });

  it.each(['reader', 'admin'] as const)(
    '%s holds up no orders by any function, with every bound of its session lifted',
    async (role) => {
      const seen: Seen = { calls: 0, held: [] };
      const first = await openLifted(role);
      const calls = await callsOfFunctions(first, api.locationId);
      await first.end();
      for (const { name, sql } of calls) await attack(role, name, [sql, 'begin', sql], seen);
      await attack(role, 'a lock, held by statements one after the other', chain, seen);
      await attack(role, 'every lock that there is', ['begin', manyLocks], seen);
      expect(seen.calls).toBeGreaterThan(120);
      const locks = seen.held.filter((name) => /advisory/.test(name));
      if (open) expect(locks.length).toBeGreaterThan(0);
      else expect(locks).toEqual([]);
    },
    500_000,
  );
});

const turnLock = () => `turn_lock('${api.locationId}')`;
const chain = ['select pg_advisory_lock($turn)', ...Array<string>(20).fill('select pg_sleep(0.3)')];
const manyLocks = 'select pg_advisory_xact_lock(n) from generate_series(1, 1000000) n';

/** Runs statements in a session of its own, which stays open, while orders are placed at each location. */
async function attack(
  role: 'reader' | 'admin',
  name: string,
  statements: string[],
  seen: Seen,
): Promise<void> {
  const session = await openLifted(role);
  seen.calls += 1;
  const run = (async () => {
    for (const statement of statements) await session.query(statement.replaceAll('$turn', turnLock()));
  })();
  const over = await Promise.race([run.then(() => 'ran', refusedBy), sleep(300, 'runs')]);
  run.catch(() => {});
  if (over !== 'refused') {
    const tookMs = await Promise.all(shops.map(({ kitchen, key }) => placedWithin(kitchen, key)));
    expect(Math.max(...tookMs), `${name} by ${role}: ms until an order was placed`).toBeLessThan(promisedMs);
    if (Math.max(...tookMs) > 900) seen.held.push(name);
  }
  await close(session);
}

/** A call that PostgreSQL refused holds nothing. */
const refusedBy = (): string => 'refused';

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

async function openLifted(role: 'reader' | 'admin'): Promise<pg.Client> {
  const session = await openAs(api.databaseUrl, role);
  await session.query(liftBounds);
  return session;
}

/** Ends a session in any state. */
async function close(session: pg.Client): Promise<void> {
  const { processID } = session as unknown as { processID: number };
  await superuser.sql('select pg_terminate_backend($1, 5000)', [processID]);
  await session.end().catch(() => {});
}
