import { inspect } from 'node:util';
import { createNotifications, type Database, type Notifications, openDatabase } from '@comanda/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Caller,
  type Credentials,
  createCredentials,
} from '../../packages/api/src/credentials/credentials.ts';
import { ApiError } from '../../packages/api/src/errors.ts';
import { type Grant, grants } from '../../packages/api/src/permissions.ts';
import { useDatabase, useTestDatabase } from '../support/database.ts';
import { createKey, createLocation, unknownKey } from '../support/factories.ts';
import { prismaOf } from '../support/prisma.ts';
import { runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

const testDatabase = useTestDatabase();
const database = useDatabase(testDatabase);
let notifications: Notifications;
let credentials: Credentials;
let locationId: string;

beforeAll(async () => {
  notifications = createNotifications(testDatabase.url);
  credentials = createCredentials(database, notifications);
  locationId = await createLocation(database, { name: 'Corner Café', timezone: 'Europe/Lisbon' });
  await waitFor('the listening connection', () => notifications.healthy());
});

afterAll(async () => {
  await credentials.close();
  await notifications.close();
});

describe('authenticate', () => {
  test('returns the caller, with the default limits, and at once the second time', async () => {
    const { id, key } = await createKey(database, { locationId, permissions: ['orders:*', 'products:read'] });
    await database.pool.query('update api_keys set per_minute = null where id = $1', [id]);
    const caller = await credentials.authenticate(`Bearer ${key}`);
    expect(caller).toMatchObject({
      apiKeyId: id,
      keyName: 'test',
      locationId,
      location: { id: locationId, name: 'Corner Café', timezone: 'Europe/Lisbon', currency: 'USD' },
      limits: { perMinute: 600, monthly: 1_000_000, batchJobsPerHour: 30, maxItemsPerBatch: 500 },
    });
    const kept = await waitFor('the key to be kept', () => {
      const again = credentials.authenticate(`bearer   ${key} `);
      return again instanceof Promise ? undefined : again;
    });
    expect(kept).toEqual(caller);
  });

  test('applies the limits of the key', async () => {
    const limits = { perMinute: 7, monthly: 70, batchJobsPerHour: 3, maxItemsPerBatch: 11 };
    const { key } = await createKey(database, { locationId, ...limits });
    expect((await credentials.authenticate(`Bearer ${key}`)).limits).toEqual(limits);
  });

  test('grants single permissions, all of a resource, or everything', async () => {
    const granted = async (...permissions: Grant[]) => {
      const { key } = await createKey(database, { locationId, permissions });
      return (await credentials.authenticate(`Bearer ${key}`)).granted;
    };
    const some = await granted('orders:*', 'products:read');
    expect(grants(some, 'orders:export')).toBe(true);
    expect(grants(some, 'products:read')).toBe(true);
    expect(grants(some, 'products:write')).toBe(false);
    expect(grants(some, 'payments:read')).toBe(false);
    expect(grants(await granted('*'), 'keys:write')).toBe(true);
    expect(grants(await granted('payments:*'), 'payment_methods:write')).toBe(false);
  });

  test('refuses unknown, revoked and expired keys and no key at all in the same words', async () => {
    const revoked = await createKey(database, { locationId, revokedAt: new Date() });
    const expired = await createKey(database, { locationId, expiresAt: new Date(Date.now() - 60_000) });
    const headers = [
      undefined,
      '',
      'Bearer',
      `Basic ${revoked.key}`,
      revoked.key,
      `Bearer ${unknownKey().key}`,
    ];
    const refusals = [...headers, `Bearer ${revoked.key}`, `Bearer ${expired.key}`].map((header) =>
      refusal(credentials, header),
    );
    for (const [at, error] of (await Promise.all(refusals)).entries()) {
      expect(error).toMatchObject({ errorCode: 'unauthorized', status: 401 });
      expect(error.message).toBe(
        'The API key is missing or not valid. Send it as the header Authorization: Bearer <key>.',
      );
      expect(error.headers).toEqual({
        'WWW-Authenticate': at === 0 ? 'Bearer' : 'Bearer error="invalid_token"',
      });
    }
  });

  test('never says the text of a key', async () => {
    const { key } = unknownKey();
    const error = await refusal(credentials, `Bearer ${key}`);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(key.slice(9));
  });

  test('refuses a key from the moment it expires', async () => {
    const { key } = await createKey(database, { locationId, expiresAt: new Date(Date.now() + 3_000) });
    expect((await credentials.authenticate(`Bearer ${key}`)).locationId).toBe(locationId);
    await waitFor('the expiry', () => refusal(credentials, `Bearer ${key}`));
  });
});

describe('the database', () => {
  test('never hears of malformed keys', async () => {
    const { counted, statements } = counting(database);
    const own = createCredentials(counted, notifications);
    const { key } = unknownKey();
    const malformed = [
      key.slice(0, -1),
      `${key}x`,
      key.toLowerCase(),
      'cmd_live_',
      'x'.repeat(8_000),
      `${key}\n`,
    ];
    for (const text of [...malformed, "' or 1=1", key.replace('live', 'test')]) {
      expect((await refusal(own, `Bearer ${text}`)).errorCode).toBe('unauthorized');
    }
    expect(statements()).toBe(0);
  });

  test('is asked once for a key that many requests bring at the same time', async () => {
    const { counted, statements } = counting(database);
    const own = createCredentials(counted, notifications);
    const { key } = await createKey(database, { locationId });
    const callers = await Promise.all(Array.from({ length: 100 }, () => own.authenticate(`Bearer ${key}`)));
    expect(new Set(callers.map(({ apiKeyId }) => apiKeyId)).size).toBe(1);
    expect(statements()).toBeLessThanOrEqual(2);
  });

  test('is asked once for an unknown key within a second, and in bulk for many', async () => {
    const { counted, statements } = counting(database);
    const own = createCredentials(counted, notifications);
    const { key } = unknownKey();
    const began = performance.now();
    for (let index = 0; index < 200; index += 1) await refusal(own, `Bearer ${key}`);
    const once = statements();
    expect(once).toBeLessThanOrEqual(Math.ceil((performance.now() - began) / 1_000));
    const many = Array.from({ length: 600 }, () => refusal(own, `Bearer ${unknownKey().key}`));
    expect((await Promise.all(many)).length).toBe(600);
    expect(statements()).toBeLessThanOrEqual(once + 5);
  });

  test('is recorded once when a key was used, without an announcement', async () => {
    const own = createCredentials(database, notifications);
    const { id, key } = await createKey(database, { locationId });
    const lastUsed = async () =>
      (await prismaOf(database).apiKey.findFirstOrThrow({ where: { id } })).lastUsedAt;
    const caller = await own.authenticate(`Bearer ${key}`);
    const first = await waitFor('last_used_at', lastUsed);
    expect(own.authenticate(`Bearer ${key}`)).toBe(caller);
    await own.close();
    expect(await lastUsed()).toEqual(first);
    const later = createCredentials(database, notifications);
    await later.authenticate(`Bearer ${key}`);
    await later.close();
    expect(await lastUsed()).toEqual(first);
  });
});

describe('a change', () => {
  const accepted = async (on: Credentials, key: string): Promise<Caller> => on.authenticate(`Bearer ${key}`);
  const revoke = (id: string) =>
    database.pool.query('update api_keys set revoked_at = now() where id = $1', [id]);

  test('by plain SQL is heard in every process', async () => {
    const elsewhere = createNotifications(testDatabase.url);
    const other = createCredentials(openOther(), elsewhere);
    await waitFor('the other listening connection', () => elsewhere.healthy());
    const { id, key } = await createKey(database, { locationId, permissions: ['orders:read'] });
    await accepted(credentials, key);
    await accepted(other, key);
    await database.pool.query(`update api_keys set permissions = '{*}', per_minute = 5 where id = $1`, [id]);
    for (const each of [credentials, other]) {
      await waitFor('the new permissions', async () => (await accepted(each, key)).granted.has('*'));
      expect((await accepted(each, key)).limits.perMinute).toBe(5);
    }
    await revoke(id);
    for (const each of [credentials, other])
      await waitFor('the refusal', () => refusal(each, `Bearer ${key}`), { timeoutMs: 5_000 });
    await elsewhere.close();
  });

  test('is noticed by a process that cannot listen', async () => {
    const deaf = createNotifications('postgres://nobody@127.0.0.1:1/nowhere');
    const own = createCredentials(database, deaf);
    const { id, key } = await createKey(database, { locationId });
    await accepted(own, key);
    await revoke(id);
    await waitFor('the refusal', () => refusal(own, `Bearer ${key}`), { timeoutMs: 5_000 });
    await deaf.close();
  });

  test('while the listening connection was broken is noticed, too', async () => {
    const elsewhere = createNotifications(testDatabase.url);
    const own = createCredentials(database, elsewhere);
    await waitFor('the listening connection', () => elsewhere.healthy());
    const { id, key } = await createKey(database, { locationId });
    await accepted(own, key);
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'comanda-listen' and datname = current_database()`,
    );
    await revoke(id);
    await waitFor('the refusal', () => refusal(own, `Bearer ${key}`), { timeoutMs: 5_000 });
    await waitFor('the connection', () => elsewhere.healthy() && notifications.healthy());
    await elsewhere.close();
  });

  test('that nothing announces is noticed when the key has been kept long enough', async () => {
    const own = createCredentials(database, notifications, { maxAgeMs: 50 });
    const { id, key } = await createKey(database, { locationId });
    await accepted(own, key);
    await runOnce(
      testDatabase.superuserUrl,
      `set session_replication_role = replica; update api_keys set revoked_at = now() where id = '${id}'`,
    );
    await waitFor('the refusal', () => refusal(own, `Bearer ${key}`));
  });

  test('of the location is heard', async () => {
    const { key } = await createKey(database, { locationId });
    await accepted(credentials, key);
    await database.pool.query(`update locations set name = 'Harbour', timezone = 'UTC' where id = $1`, [
      locationId,
    ]);
    await waitFor('the new name', async () => (await accepted(credentials, key)).location.name === 'Harbour');
    expect((await accepted(credentials, key)).location.timezone).toBe('UTC');
  });
});

const others: Database[] = [];
afterAll(() => Promise.all(others.map((other) => other.close())));

function openOther(): Database {
  const other = openDatabase({ url: testDatabase.url });
  others.push(other);
  return other;
}

async function refusal(on: Credentials, authorization: string | undefined): Promise<ApiError> {
  try {
    await on.authenticate(authorization);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('the key was accepted');
}

function counting(real: Database): { counted: Database; statements: () => number } {
  let count = 0;
  const run: Database['run'] = (statement, values) => {
    count += 1;
    return real.run(statement, values);
  };
  return { counted: { ...real, run }, statements: () => count };
}
