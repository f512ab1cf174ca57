import type { Grant } from '@comanda/client';
import { newId } from '@comanda/db';
import { describe, expect, it } from 'vitest';
import { Key, KeyRotated } from '../../packages/api/src/resources/keys/schema.ts';
import { useApi } from '../support/api.ts';
import { auditedBy } from '../support/audited.ts';
import { auditOf, refused } from '../support/money.ts';
import { parseStrict } from '../support/strict.ts';

const api = useApi();

const keys = (key?: string) => api.client(key).keys;
const keyWith = (overrides: Parameters<typeof api.make.key>[0]) => api.make.key(overrides);
const statusOf = async (key: string, path = 'orders') => (await api.rest(`GET /v2/${path}`, { key })).status;
const end = new Date('2099-01-01T00:00:00Z');

describe('keys.narrow', () => {
  it('leaves a key some of what it has, at once', async () => {
    const before = { permissions: ['orders:*', 'products:read', 'payments:read'] satisfies Grant[] };
    const after = { permissions: ['orders:read', 'products:read'] satisfies Grant[] };
    const { id, key } = await keyWith(before);
    expect(await statusOf(key, 'payments')).toBe(200);
    const left = parseStrict(Key, await keys().narrow.mutate({ id, ...after }));
    expect(left).toMatchObject({ id, ...after });
    await expect.poll(() => statusOf(key, 'payments')).toBe(403);
    expect(await statusOf(key)).toBe(200);
    // When it was last used is written a little later.
    const { last_used_at: _used, ...kept } = await keys().get.query({ id });
    expect(kept).toEqual(left);
    const audited = await auditOf(api.app.database, id);
    expect(audited).toEqual([auditedBy(api.key, 'keys.narrow', before, after)]);
  });

  it('takes from a key what the caller itself does not have, as it gives nothing', async () => {
    const caller = await keyWith({ permissions: ['keys:write'] });
    const { id } = await keyWith({ permissions: ['*'] });
    const left = await keys(caller.key).narrow.mutate({ id, permissions: ['payments:*'] });
    expect(left.permissions).toEqual(['payments:*']);
  });

  it.each<[string, Grant[], RegExp]>([
    ['everything', ['*'], /permissions\[0\]: must be one that the key has; \* is not/],
    ['the whole of a resource', ['orders:*'], /permissions\[0\]/],
    ['another permission', ['orders:read', 'payments:read'], /permissions\[1\]/],
  ])('gives no key %s that it has not, not by a key that has it', async (_, permissions, message) => {
    const { id } = await keyWith({ permissions: ['orders:read', 'orders:write'] });
    const { code, ...refusal } = await refused(keys().narrow.mutate({ id, permissions }));
    expect([code, refusal.message]).toEqual(['validation_error', expect.stringMatching(message)]);
    expect((await keys().get.query({ id })).permissions).toEqual(['orders:read', 'orders:write']);
  });

  it('ends that a key sees every type of event', async () => {
    const { id } = await keyWith({ permissions: ['events:read'], allEventTypes: true });
    expect((await keys().get.query({ id })).event_types).toBe('all');
    const left = await keys().narrow.mutate({ id, event_types: 'by_permission' });
    expect(left).toMatchObject({ event_types: 'by_permission', permissions: ['events:read'] });
  });

  it('of nothing, of an unknown key, one elsewhere and a revoked one is refused', async () => {
    const { id } = await keyWith({ permissions: ['*'] });
    const elsewhere = await api.make.key({ locationId: await api.make.location() });
    const codeOf = async (input: object) => (await refused(keys().narrow.mutate(input as never))).code;
    const permissions = ['orders:read'];
    expect(await codeOf({ id })).toBe('validation_error');
    expect(await codeOf({ id, permissions: [] })).toBe('validation_error');
    for (const unknown of ['x', newId(), elsewhere.id])
      expect(await codeOf({ id: unknown, permissions })).toBe('resource_not_found');
    await keys().revoke.mutate({ id });
    expect(await codeOf({ id, permissions })).toBe('conflict');
  });
});

describe('keys.rotate', () => {
  it('makes a key that may do the same, and lets the old one run out', async () => {
    const old = await keyWith({ name: 'ERP', permissions: ['orders:*'], perMinute: 90 });
    const made = parseStrict(KeyRotated, await keys().rotate.mutate({ id: old.id, grace_hours: 1 }));
    const same = { name: 'ERP', permissions: ['orders:*'], per_minute: 90 };
    expect(made).toMatchObject({ ...same, old: { id: old.id } });
    expect(made).not.toHaveProperty('expires_at');
    expect([await statusOf(old.key), await statusOf(made.key)]).toEqual([200, 200]);
    const left = Date.parse(made.old.expires_at) - Date.parse(made.created_at);
    expect(left / 3_600_000).toBeCloseTo(1, 2);
    expect(await auditOf(api.app.database, made.id)).toMatchObject([
      { operation: 'keys.rotate', changes: { before: null, after: { in_place_of: old.id } } },
    ]);
    expect(await auditOf(api.app.database, old.id)).toMatchObject([
      { operation: 'keys.rotate', changes: { after: { replaced_by: made.id } } },
    ]);
  });

  it('without grace ends the old one at once', async () => {
    const old = await keyWith({ permissions: ['orders:*'] });
    const made = await keys().rotate.mutate({ id: old.id, grace_hours: 0 });
    await expect.poll(() => statusOf(old.key)).toBe(401);
    expect(await statusOf(made.key)).toBe(200);
  });

  it('never outlives the key that makes it', async () => {
    const caller = await keyWith({ permissions: ['*'], expiresAt: end });
    const lasting = await keyWith({ permissions: ['orders:*'] });
    const made = await keys(caller.key).rotate.mutate({ id: lasting.id });
    expect(Date.parse(made.expires_at ?? '')).toBe(end.getTime());
    const soon = await keyWith({ permissions: ['orders:*'], expiresAt: new Date('2050-01-01T00:00:00Z') });
    const { expires_at = '' } = await keys(caller.key).rotate.mutate({ id: soon.id });
    expect(Date.parse(expires_at)).toBe(Date.parse('2050-01-01T00:00:00Z'));
  });

  it('by a person at the app lasts until the end that is given, for at most 366 days', async () => {
    const daysAhead = (days: number) => new Date(Date.now() + days * 86_400_000);
    const session = await keyWith({ name: 'app: ana', permissions: ['*'], expiresAt: daysAhead(0.3) });
    const { id } = await keyWith({ permissions: ['orders:*'] });
    const rotated = (days: number) =>
      keys(session.key).rotate.mutate({ id, expires_at: daysAhead(days).toISOString() });
    expect((await refused(rotated(367))).code).toBe('permission_denied');
    const made = await rotated(300);
    const left = Date.parse(made.expires_at ?? '') - Date.parse(made.created_at);
    expect(left / 86_400_000).toBeCloseTo(300, 2);
    const { data } = await api.client().audit.list.query({ about: made.id });
    expect(data).toMatchObject([{ operation: 'keys.rotate', by: 'ana', by_known: true }]);
  });

  it('by the key of a program never outlives it, whatever end is given', async () => {
    const caller = await keyWith({ permissions: ['*'], expiresAt: new Date('2050-01-01T00:00:00Z') });
    const { id } = await keyWith({ permissions: ['orders:*'] });
    const late = keys(caller.key).rotate.mutate({ id, expires_at: end.toISOString() });
    expect((await refused(late)).code).toBe('permission_denied');
  });

  it('gives no caller the text of a key that may do more than its own', async () => {
    const caller = await keyWith({ permissions: ['keys:*', 'orders:read'], perMinute: 100 });
    for (const more of [
      { permissions: ['orders:write'] },
      { permissions: ['orders:read'], perMinute: 101 },
    ]) {
      const { id, key } = await keyWith(more as never);
      expect((await refused(keys(caller.key).rotate.mutate({ id }))).code).toBe('permission_denied');
      expect((await keys().get.query({ id })).expires_at).toBeUndefined();
      expect(key).toEqual(expect.any(String));
    }
  });

  it('sees the types of its permissions, for any types of the old one', async () => {
    const { id } = await keyWith({ permissions: ['events:read'], allEventTypes: true });
    expect((await keys().rotate.mutate({ id })).event_types).toBe('by_permission');
  });

  it('of a key that is of a person, has ended, is revoked, unknown or elsewhere is refused', async () => {
    const person = await keyWith({ name: 'app: bob', permissions: ['orders:read'] });
    const permissions: Grant[] = ['orders:read'];
    const ended = await keyWith({ permissions, expiresAt: new Date('2020-01-01T00:00:00Z') });
    const revoked = await keyWith({ permissions });
    await keys().revoke.mutate({ id: revoked.id });
    const codeOf = async (id: string) => (await refused(keys().rotate.mutate({ id }))).code;
    for (const { id } of [person, ended, revoked]) expect(await codeOf(id)).toBe('conflict');
    const elsewhere = await api.make.key({ locationId: await api.make.location() });
    for (const id of ['x', newId(), elsewhere.id]) expect(await codeOf(id)).toBe('resource_not_found');
  });
});
