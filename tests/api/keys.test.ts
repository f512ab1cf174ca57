import type { Grant } from '@comanda/client';
import { describe, expect, it } from 'vitest';
import { Key, type KeyCreate, KeyPage, KeyWithText } from '../../packages/api/src/resources/keys/schema.ts';
import { useApi } from '../support/api.ts';
import { auditedBy } from '../support/audited.ts';
import { auditOf, refused, untilWaiting } from '../support/money.ts';
import { beginIn } from '../support/session.ts';
import { parseStrict } from '../support/strict.ts';

const api = useApi();

const keys = (key?: string) => api.client(key).keys;
const keyWith = (overrides: Parameters<typeof api.make.key>[0]) => api.make.key(overrides);
const statusOf = async (key: string) => (await api.rest('GET /v2/orders', { key })).status;

describe('keys.create', () => {
  it('makes a key of the own location that works, its text shown once and stored as a hash', async () => {
    const permissions: Grant[] = ['orders:read', 'products:*'];
    const input = { name: 'ERP', permissions, per_minute: 90 };
    const made = parseStrict(KeyWithText, await keys().create.mutate(input));
    expect(made).toMatchObject({ ...input, location_id: api.locationId, monthly: 1_000_000 });
    expect(await statusOf(made.key)).toBe(200);
    expect((await api.rest('GET /v2/payments', { key: made.key })).status).toBe(403);
    const row = await api.prisma.apiKey.findFirstOrThrow({ where: { id: made.id } });
    expect(JSON.stringify(row)).not.toContain(made.key);
  });

  it('writes down who made it, without its text, its beginning or its hash', async () => {
    const { id, key, prefix } = await keys().create.mutate({ name: 'Audited', permissions: ['*'] });
    const entry = await auditOf(api.app.database, id);
    const after = {
      name: 'Audited',
      permissions: ['*'],
      event_types: 'by_permission',
      per_minute: 600,
      monthly: 1_000_000,
      batch_jobs_per_hour: 30,
      max_items_per_batch: 500,
    };
    expect(entry).toEqual([auditedBy(api.key, 'keys.create', null, after)]);
    const { keyHash } = await api.prisma.apiKey.findFirstOrThrow({ where: { id } });
    for (const secret of [key, prefix, Buffer.from(keyHash).toString('hex')])
      expect(JSON.stringify(entry)).not.toContain(secret);
  });

  it.each<[string, Partial<KeyCreate>, RegExp]>([
    ['a permission that it lacks', { permissions: ['orders:read', 'payments:read'] }, /permissions\[1\]/],
    ['the whole of a resource of which it has one action', { permissions: ['orders:*'] }, /permissions\[0\]/],
    ['everything', { permissions: ['*'] }, /permissions\[0\]/],
    ['more requests a minute', { per_minute: 101 }, /per_minute: at most 100/],
    ['more requests a month', { monthly: 1_000_001 }, /monthly: at most 1000000/],
    ['more batch jobs', { batch_jobs_per_hour: 31 }, /batch_jobs_per_hour: at most 30/],
    ['larger batches', { max_items_per_batch: 501 }, /max_items_per_batch: at most 500/],
    ['a later end', { expires_at: '2099-01-01T00:00:01Z' }, /expires_at/],
  ])('a key cannot grant %s', async (_, more, message) => {
    const permissions: Grant[] = ['keys:write', 'orders:read'];
    const maker = await keyWith({ permissions, perMinute: 100, expiresAt: new Date('2099-01-01T00:00:00Z') });
    const before = await api.prisma.apiKey.count();
    const input: KeyCreate = { name: 'More', permissions: ['orders:read'], ...more };
    const refusal = await refused(keys(maker.key).create.mutate(input));
    expect(refusal).toEqual({ code: 'permission_denied', message: expect.stringMatching(message) });
    expect(await api.prisma.apiKey.count()).toBe(before);
  });

  describe('of a person at the app', () => {
    const daysAhead = (days: number) => new Date(Date.now() + days * 86_400_000);
    const sessionOf = (permissions: Grant[], name = 'app: ana') =>
      keyWith({ name, permissions, expiresAt: daysAhead(0.3) });
    const lasting = { name: 'ERP', permissions: ['orders:read'] satisfies Grant[] };

    it('makes a key that outlives the session, where its end is given, and the audit names the person', async () => {
      const session = await sessionOf(['keys:write', 'orders:*']);
      const expires_at = daysAhead(365).toISOString();
      const made = await keys(session.key).create.mutate({ ...lasting, expires_at });
      expect(Date.parse(made.expires_at ?? '')).toBe(Date.parse(expires_at));
      await keys().revoke.mutate({ id: session.id });
      await expect.poll(() => statusOf(session.key)).toBe(401);
      expect(await statusOf(made.key)).toBe(200);
      const { data } = await api.client().audit.list.query({ about: made.id });
      expect(data).toMatchObject([{ operation: 'keys.create', by: 'ana', by_known: true }]);
    });

    it('ends with the session where no end is given', async () => {
      const session = await sessionOf(['keys:write', 'orders:*']);
      const made = await keys(session.key).create.mutate(lasting);
      const { expires_at } = await keys().get.query({ id: session.id });
      expect(made.expires_at).toBe(expires_at);
    });

    it.each<[string, Grant[], string, number]>([
      ['for more than 366 days', ['keys:write', 'orders:*'], 'app: ana', 367],
      ['without the permission to make keys', ['orders:*'], 'app: ana', 30],
      ['with a permission that the person lacks', ['keys:write', 'stock:*'], 'app: ana', 30],
      ['by the key of a program', ['keys:write', 'orders:*'], 'ERP of ana', 30],
    ])('makes no lasting key %s', async (_, permissions, name, days) => {
      const session = await sessionOf(permissions, name);
      const before = await api.prisma.apiKey.count();
      const expires_at = daysAhead(days).toISOString();
      const refusal = await refused(keys(session.key).create.mutate({ ...lasting, expires_at }));
      expect(refusal.code).toBe('permission_denied');
      expect(await api.prisma.apiKey.count()).toBe(before);
    });

    it('makes a key that makes none that outlives it', async () => {
      const session = await sessionOf(['keys:write', 'orders:*']);
      const made = await keys(session.key).create.mutate({
        name: 'Maker',
        permissions: ['keys:write', 'orders:read'],
        expires_at: daysAhead(30).toISOString(),
      });
      const expires_at = daysAhead(31).toISOString();
      const refusal = await refused(keys(made.key).create.mutate({ ...lasting, expires_at }));
      expect(refusal.message).toContain('expires_at: not after');
    });
  });

  it('grants what it has, and no more than that when nothing is said', async () => {
    const expiresAt = new Date('2099-01-01T00:00:00Z');
    const maker = await keyWith({ permissions: ['keys:*', 'orders:*'], perMinute: 100, expiresAt });
    const permissions: Grant[] = ['orders:*', 'orders:export', 'keys:write'];
    const made = await keys(maker.key).create.mutate({ name: 'Less', permissions });
    expect(made).toMatchObject({ per_minute: 100, monthly: 1_000_000 });
    expect(Date.parse(made.expires_at ?? '')).toBe(expiresAt.getTime());
    const child = await keys(made.key).create.mutate({ name: 'Child', permissions: ['orders:read'] });
    expect(child).toMatchObject({ per_minute: 100, expires_at: made.expires_at });
  });

  it.each([
    ['an unknown permission', { permissions: ['orders:eat'] }, 'permissions[0]'],
    ['no permission', { permissions: [] }, 'permissions'],
    ['an empty name', { name: '' }, 'name'],
    ['a limit of none', { per_minute: 0 }, 'per_minute'],
    ['an end without an offset', { expires_at: '2030-01-01T00:00:00' }, 'expires_at'],
    ['null for a limit', { monthly: null }, 'monthly'],
  ])('refuses %s', async (_, wrong, field) => {
    const input = { name: 'Wrong', permissions: ['*'], ...wrong };
    const message = expect.stringContaining(`${field}: `);
    expect(await refused(keys().create.mutate(input as never))).toEqual({
      code: 'validation_error',
      message,
    });
  });

  it('a key that is being revoked leaves no other behind', async () => {
    const maker = await keyWith({ permissions: ['*'] });
    const before = await api.prisma.apiKey.count();
    expect(await statusOf(maker.key)).toBe(200);
    const revoking = await beginIn(api.pool);
    await revoking.query('update api_keys set revoked_at = now() where id = $1', [maker.id]);
    const attempt = refused(keys(maker.key).create.mutate({ name: 'Late', permissions: ['*'] }));
    await untilWaiting(api.app.database, 1);
    await revoking.query('commit');
    expect((await attempt).code).toBe('unauthorized');
    expect(await api.prisma.apiKey.count()).toBe(before);
  });
});

it('keys.list pages through the keys of the own location, oldest first, revoked ones included, without texts', async () => {
  const locationId = await api.make.location();
  const reader = await api.make.key({ locationId, permissions: ['keys:read'] });
  const revoked = await api.make.key({ locationId, revokedAt: new Date() });
  const last = await api.make.key({ locationId });
  const pageOf = async (paging: { limit?: number; offset?: number }) =>
    parseStrict(KeyPage, await keys(reader.key).list.query(paging));
  const all = await pageOf({});
  expect(all.data.map(({ id }) => id)).toEqual([reader.id, revoked.id, last.id]);
  expect(all.data.map((key) => 'revoked_at' in key)).toEqual([false, true, false]);
  expect(all.pagination).toEqual({ limit: 50, offset: 0, total: 3 });
  const second = await pageOf({ limit: 1, offset: 1 });
  expect(second.data.map(({ id }) => id)).toEqual([revoked.id]);
  expect(second.pagination).toEqual({ limit: 1, offset: 1, total: 3 });
  for (const { key } of [reader, revoked, last]) expect(JSON.stringify(all)).not.toContain(key);
});

describe('keys.revoke', () => {
  it('refuses the key from then on, everywhere within a second', async () => {
    const { id, key } = await keyWith({ permissions: ['orders:read'] });
    expect(await statusOf(key)).toBe(200);
    const revoked = parseStrict(Key, await keys().revoke.mutate({ id }));
    expect(revoked.revoked_at).toBeDefined();
    await expect.poll(() => statusOf(key), { timeout: 10_000 }).toBe(401);
    const { revoked_at } = revoked;
    const audited = auditedBy(api.key, 'keys.revoke', { revoked_at: null }, { revoked_at });
    expect(await auditOf(api.app.database, id)).toEqual([audited]);
  });

  it('twice changes and writes down nothing', async () => {
    const { id } = await keyWith({});
    const first = await keys().revoke.mutate({ id });
    expect(await keys().revoke.mutate({ id })).toEqual(first);
    expect(await auditOf(api.app.database, id)).toHaveLength(1);
  });

  it('may be turned on the key itself', async () => {
    const own = await keyWith({ permissions: ['keys:write'] });
    expect((await keys(own.key).revoke.mutate({ id: own.id })).id).toBe(own.id);
  });
});
