import { setTimeout } from 'node:timers/promises';
import { startServer } from '@comanda/api';
import { issueCode } from '@comanda/api/services';
import { comandaError, createClient } from '@comanda/client';
import { describe, expect, it, vi } from 'vitest';
import { useApi } from '../support/api.ts';
import { openHand } from '../support/by-hand.ts';
import { type CommandOutcome, callComanda } from '../support/command.ts';
import { waitFor } from '../support/wait.ts';

const api = useApi(() => ({ app: 'on' }));

const redeemed = (code: string, url = api.url) =>
  createClient({ url, key: '', retries: 0 }).appCodes.redeem.mutate({ code });
const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => comandaError(error)?.reason,
  );
const made = async (input: Parameters<typeof issueCode>[1] = {}) =>
  (await issueCode(api.app.database, { location_id: api.locationId, ...input })).code;

describe('a code', () => {
  it('gives a key of its own, called after who it is for, that may do what its screens need and ends by itself', async () => {
    const { key, expires_at, ...signedIn } = await redeemed(
      await made({ name: 'nora', screens: ['day'], hours: 2 }),
    );
    expect(signedIn).toEqual({
      name: 'nora',
      screens: ['day'],
      location: { id: api.locationId, name: 'Test Kitchen', timezone: 'UTC', currency: 'USD' },
    });
    const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(1.9);
    expect(hours).toBeLessThan(2.1);
    const { data } = await api.client().keys.list.query({ limit: 200 });
    expect(data.find(({ name }) => name === 'app: nora')).toMatchObject({
      permissions: [
        'reports:read',
        'stock:read',
        'turns:read',
        'turns:write',
        'orders:read',
        'payments:read',
        'products:read',
        'events:read',
      ],
      expires_at,
    });
    await expect(api.client(key).stock.list.query()).resolves.toHaveProperty('data');
    expect(await reasonOf(api.client(key).keys.list.query())).toBe('permission_missing');
  });

  it('is used once, also by two at the same moment', async () => {
    const code = await made();
    const reasons = await Promise.all(Array.from({ length: 5 }, () => reasonOf(redeemed(code))));
    expect(reasons.sort()).toEqual([...Array(4).fill('app_code_used'), 'none']);
  });

  it('is too old after ten minutes', async () => {
    const [old, young] = [await made(), await made()];
    const age =
      'update internal.app_codes set created_at = now() - $2::interval where code_hash = sha256($1)';
    await api.pool.query(age, [Buffer.from(old), '10 minutes 1 second']);
    await api.pool.query(age, [Buffer.from(young), '9 minutes 50 seconds']);
    expect(await reasonOf(redeemed(old))).toBe('app_code_expired');
    expect(await reasonOf(redeemed(young))).toBe('none');
  });

  it('is kept by its hash alone, for a day', async () => {
    const code = await made();
    const rows = await api.sql('select c::text as row from internal.app_codes c');
    expect(rows.map(({ row }) => row).join()).not.toContain(code);
    await api.pool.query(`update internal.app_codes set created_at = now() - interval '25 hours'`);
    await made();
    const left = await api.pool.query('select count(*)::int as left from internal.app_codes');
    expect(left.rows).toEqual([{ left: 1 }]);
  });

  it('is of one location', async () => {
    const other = await api.make.location({ name: 'Other', sandbox: true });
    const { location, key } = await redeemed(await made({ location_id: other }));
    expect(location).toMatchObject({ id: other, name: 'Other' });
    expect(key).toMatch(/^cmd_test_/);
  });
});

describe('signing out', () => {
  const signedOut = (key: string, url = api.url) =>
    createClient({ url, key: '', retries: 0 }).appCodes.signOut.mutate({ key });

  it('revokes the key that the code gave, and writes down who it was', async () => {
    const { key } = await redeemed(await made({ name: 'eva', screens: ['board'] }));
    const other = await redeemed(await made({ name: 'eva', screens: ['board'] }));
    await api.client(key).orders.list.query();
    expect(await signedOut(key)).toEqual({ signed_out: true });
    await expect.poll(() => reasonOf(api.client(key).orders.list.query())).toBe('key_not_valid');
    await expect(api.client(other.key).orders.list.query()).resolves.toHaveProperty('data');
    const { data } = await api.client().audit.list.query({ limit: 1 });
    expect(data).toMatchObject([{ operation: 'keys.revoke', key_name: 'app: eva' }]);
    expect(await reasonOf(signedOut(key))).toBe('key_not_valid');
  });

  it('works when the limit of the key is used up', async () => {
    const { key } = await redeemed(await made({ screens: ['board'] }));
    await api.pool.query('update api_keys set per_minute = 1 where starts_with($1, prefix)', [key]);
    await expect.poll(() => reasonOf(api.client(key).orders.list.query())).toBe('minute_limit');
    expect(await signedOut(key)).toEqual({ signed_out: true });
  });

  it('leaves every key alone that no code gave', async () => {
    for (const key of [api.key.key, 'cmd_live_nothing', ''])
      expect(await reasonOf(signedOut(key))).toBe('key_not_valid');
    await expect(api.client().orders.list.query()).resolves.toHaveProperty('data');
  });

  it('of many at once is done once', async () => {
    const { key } = await redeemed(await made({ screens: ['board'] }));
    await Promise.all(Array.from({ length: 8 }, () => reasonOf(signedOut(key))));
    await expect.poll(() => reasonOf(api.client(key).orders.list.query())).toBe('key_not_valid');
  });
});

describe('wrong codes', () => {
  const shaped = (n: number) => `00000000_${n}`.padEnd(41, 'x');

  it('do not keep out a right one from the same address, however many they are', async () => {
    const own = await startedAlone();
    const wrong = await Promise.all(
      Array.from({ length: 60 }, (_, n) => reasonOf(redeemed(shaped(n), own.url))),
    );
    await expect(redeemed(await made({ name: 'ana' }), own.url)).resolves.toMatchObject({ name: 'ana' });
    expect(wrong.filter((reason) => reason === 'app_code_unknown')).toHaveLength(10);
    expect(wrong.filter((reason) => reason === 'too_many_codes')).toHaveLength(50);
    const refused = await redeemed(shaped(1), own.url).catch(comandaError);
    expect(refused).toMatchObject({ reason: 'too_many_codes', httpStatus: 429 });
    expect(refused).toHaveProperty('retryAfterSeconds');
    await own.close();
  });

  it('count when they have no shape of a code, too; one that was right once, or has just been used, does not', async () => {
    const own = await startedAlone();
    const code = await made();
    const race = await Promise.all(Array.from({ length: 30 }, () => reasonOf(redeemed(code, own.url))));
    expect(race.sort()).toEqual([...Array(29).fill('app_code_used'), 'none']);
    for (let n = 0; n < 12; n += 1) expect(await reasonOf(redeemed(code, own.url))).toBe('app_code_used');
    for (const text of ['', 'x', ...Array.from({ length: 8 }, (_, n) => shaped(n))])
      expect(await reasonOf(redeemed(text, own.url))).toBe('app_code_unknown');
    expect(await reasonOf(redeemed('', own.url))).toBe('too_many_codes');
    await own.close();
  });

  it('that come at once are looked up together, over one connection', async () => {
    const own = await startedAlone();
    const run = vi.spyOn(api.app.database, 'run');
    const asked = () => run.mock.calls.filter(([{ name }]) => name === 'find_app_codes').length;
    // The first look-up waits, so that the others come meanwhile however slow the machine is.
    const hand = await openHand(api.databaseUrl);
    await hand.sql('begin');
    await hand.sql('lock table internal.app_codes');
    const answers = Array.from({ length: 60 }, (_, n) => reasonOf(redeemed(shaped(n), own.url)));
    await waitFor('a look-up', () => Promise.resolve(asked() > 0));
    await setTimeout(300);
    await hand.sql('commit');
    await hand.close();
    await Promise.all(answers);
    const [looks, before] = [asked(), asked()];
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan(60);
    await reasonOf(redeemed('no code', own.url));
    expect(asked()).toBe(before);
    run.mockRestore();
    await own.close();
  });
});

it('where the app is not served, no code is taken', async () => {
  const own = await startedAlone('off');
  expect(await reasonOf(redeemed(await made(), own.url))).toBe('unknown_path');
  await own.close();
});

/** Another process, as it were: it counts for itself. */
async function startedAlone(app: 'on' | 'off' = 'on') {
  const server = await startServer(
    { ...api.app, policy: { ...api.app.policy, app } },
    { host: '127.0.0.1', port: 0 },
  );
  return { url: server.url, close: () => server.drain(1_000) };
}

describe('comanda app code', () => {
  const json = ({ stdout }: CommandOutcome) => JSON.parse(stdout) as Record<string, unknown>;
  const comanda = (...argv: string[]) =>
    callComanda({ DATABASE_URL: api.databaseUrl }, 'app', 'code', ...argv, '--json');

  it('prints a link that signs in', async () => {
    const answer = json(await comanda('--location', api.locationId, '--name', 'bo', '--screens', 'board'));
    expect(answer).toMatchObject({ name: 'bo', screens: ['board'], use_within_minutes: 10 });
    expect(answer.address).toBe('guessed from HOST and PORT');
    const code = String(answer.url).split('#code=')[1] ?? '';
    expect(await redeemed(code)).toMatchObject({ name: 'bo', screens: ['board'] });
  });

  it('refuses a screen that is none', async () => {
    const { code, stdout } = await comanda('--screens', 'board,kitchen');
    expect(code).toBe(1);
    expect(stdout).toContain('must be some of board, day');
  });
});
