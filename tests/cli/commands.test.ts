import { describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { type CommandOutcome, callComanda } from '../support/command.ts';
import { words } from '../support/words.ts';

const api = useApi();

const comanda = (...argv: string[]) => callComanda({ DATABASE_URL: api.databaseUrl }, ...argv);

const json = (outcome: CommandOutcome) => JSON.parse(outcome.stdout) as Record<string, unknown>;

describe('keys', () => {
  it('creates a key that works, lists it without its text, and revokes it', async () => {
    const create = 'keys create --name ERP --permissions webhooks:read,orders:* --per-minute 90 --json';
    const made = await comanda(...words(create));
    expect(made.code, made.stderr).toBe(0);
    const key = json(made);
    const granted = { permissions: ['webhooks:read', 'orders:*'], per_minute: 90, monthly: 1_000_000 };
    expect(key).toMatchObject({ location_id: api.locationId, ...granted });
    const list = () => api.rest('GET /v2/webhook-endpoints', { key: String(key.key) });
    const answer = await list();
    expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, '90']);

    const listed = await comanda('keys', 'list', '--json');
    expect(listed.stdout).toContain(String(key.id));
    expect(listed.stdout).not.toContain(String(key.key));

    const revoked = await comanda('keys', 'revoke', String(key.id), '--json');
    expect(json(revoked)).toHaveProperty('revoked_at');
    await expect.poll(async () => (await list()).status, { timeout: 5_000 }).toBe(401);
  });

  const valid = ['--name', 'x', '--permissions', '*'];
  it.each([
    ['an unknown permission', ['--name', 'x', '--permissions', 'orders:eat'], /unknown permission/],
    ['no permission', ['--name', 'x', '--permissions', ''], /permission/],
    ['no name', ['--permissions', '*'], /--name is required/],
    ['a limit that is no number', [...valid, '--per-minute', 'many'], /per_minute/],
    ['an unknown location', [...valid, '--location', 'nowhere'], /location_id/],
    ['a bad expiry', [...valid, '--expires-at', 'tomorrow'], /expires_at/],
    ['an unknown option', [...valid, '--color', 'red'], /color/],
  ])('refuses %s with exit 1 and one JSON document', async (_what, argv, message) => {
    const outcome = await comanda('keys', 'create', ...argv, '--json');
    expect(outcome.code).toBe(1);
    const { error } = json(outcome) as { error: { code: string; message: string } };
    expect(Object.keys(error)).toEqual(['code', 'message']);
    expect(error.message).toMatch(message);
  });

  it('answers resource_not_found for an unknown key to revoke', async () => {
    const outcome = await comanda('keys', 'revoke', 'nobody', '--json');
    expect(outcome.code).toBe(1);
    expect(json(outcome)).toMatchObject({ error: { code: 'resource_not_found' } });
  });
});

describe('locations', () => {
  it('creates a location with its defaults and cash to pay with', async () => {
    const made = json(await comanda('locations', 'create', '--name', 'Bar Nuevo', '--json'));
    expect(made).toMatchObject({ name: 'Bar Nuevo', timezone: 'UTC', currency: 'USD' });
    const methods =
      await api.sql`select name, type, enabled from payment_methods where location_id = ${made.id}`;
    expect(methods).toEqual([{ name: 'Cash', type: 'cash', enabled: true }]);
    const listed = await comanda('locations', 'list', '--json');
    expect(listed.stdout).toContain(String(made.id));
  });

  it('refuses an unknown time zone and currency', async () => {
    const wrong = words('locations create --name X --timezone Mars/Base --currency pesos --json');
    const stdout = expect.stringMatching(/timezone: .*currency: /);
    expect(await comanda(...wrong)).toMatchObject({ code: 1, stdout });
  });
});

it('db url prints the connection string', async () => {
  expect(json(await comanda('db', 'url', '--json'))).toEqual({ url: api.databaseUrl });
});

describe('help', () => {
  it('lists every command, and the options of one', async () => {
    expect((await comanda('--help')).stdout).toContain('keys create');
    const stdout = expect.stringContaining('--max-items-per-batch');
    expect(await comanda('keys', 'create', '--help')).toMatchObject({ code: 0, stdout });
  });

  it('fails for an unknown command', async () => {
    const stderr = expect.stringContaining('unknown command "fly away"');
    expect(await comanda('fly', 'away')).toMatchObject({ code: 1, stderr });
  });
});
