import { describe, expect, it, vi } from 'vitest';
import { useApi } from '../support/api.ts';
import { type CommandOutcome, runComanda } from '../support/command.ts';
import { words } from '../support/words.ts';

// Every command is a process of its own.
vi.setConfig({ testTimeout: 120_000 });

const api = useApi();

const comanda = (...argv: string[]) => runComanda({ DATABASE_URL: api.databaseUrl }, ...argv);

const json = (outcome: CommandOutcome) => JSON.parse(outcome.stdout) as Record<string, unknown>;

describe('keys', () => {
  it('creates a key that works, lists it without its text, and revokes it', async () => {
    const made = await comanda(
      ...words('keys create --name ERP --permissions webhooks:read,orders:* --per-minute 90 --json'),
    );
    expect(made.code, made.stderr).toBe(0);
    const key = json(made);
    expect(key).toMatchObject({
      location_id: api.locationId,
      permissions: ['webhooks:read', 'orders:*'],
      per_minute: 90,
      monthly: 1_000_000,
    });
    const answer = await api.rest('GET /v2/webhook-endpoints', { key: String(key.key) });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('90');

    const listed = await comanda('keys', 'list', '--json');
    expect(listed.stdout).toContain(String(key.id));
    expect(listed.stdout).not.toContain(String(key.key));

    const revoked = await comanda('keys', 'revoke', String(key.id), '--json');
    expect(json(revoked)).toHaveProperty('revoked_at');
    await expect
      .poll(async () => (await api.rest('GET /v2/webhook-endpoints', { key: String(key.key) })).status, {
        timeout: 5_000,
      })
      .toBe(401);
  });

  it.each([
    ['an unknown permission', ['--name', 'x', '--permissions', 'orders:eat'], /unknown permission/],
    ['no permission', ['--name', 'x', '--permissions', ''], /permission/],
    ['no name', ['--permissions', '*'], /--name is required/],
    [
      'a limit that is no number',
      ['--name', 'x', '--permissions', '*', '--per-minute', 'many'],
      /per_minute/,
    ],
    ['an unknown location', ['--name', 'x', '--permissions', '*', '--location', 'nowhere'], /location_id/],
    ['a bad expiry', ['--name', 'x', '--permissions', '*', '--expires-at', 'tomorrow'], /expires_at/],
    ['an unknown option', ['--name', 'x', '--permissions', '*', '--color', 'red'], /color/],
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
    const methods = await api.prisma.paymentMethod.findMany({
      where: { locationId: String(made.id) },
    });
    expect(methods.map(({ name, type, enabled }) => ({ name, type, enabled }))).toEqual([
      { name: 'Cash', type: 'cash', enabled: true },
    ]);
    const listed = await comanda('locations', 'list', '--json');
    expect(listed.stdout).toContain(String(made.id));
  });

  it('refuses an unknown time zone and currency', async () => {
    const outcome = await comanda(
      ...words('locations create --name X --timezone Mars/Base --currency pesos --json'),
    );
    expect(outcome.code).toBe(1);
    expect(outcome.stdout).toMatch(/timezone: .*currency: /);
  });
});

it('db url prints the connection string', async () => {
  expect(json(await comanda('db', 'url', '--json'))).toEqual({ url: api.databaseUrl });
});

describe('help', () => {
  it('lists every command, and the options of one', async () => {
    expect((await comanda('--help')).stdout).toContain('keys create');
    const help = await comanda('keys', 'create', '--help');
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('--max-items-per-batch');
  });

  it('fails for an unknown command', async () => {
    const outcome = await comanda('fly', 'away');
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain('unknown command "fly away"');
  });
});
