import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '@comanda/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AuditEntry } from '../../packages/api/src/resources/audit/schema.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { parseStrict } from '../support/strict.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

async function comanda(...argv: string[]): Promise<Outcome> {
  const script = join(repositoryRoot, 'scripts', 'comanda.mjs');
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: api.databaseUrl };
  return promisify(execFile)(process.execPath, [script, ...argv], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Outcome) => error,
  );
}

const json = ({ stdout }: Outcome) => JSON.parse(stdout) as Record<string, unknown>;
const entries = ({ stdout }: Outcome) => parseStrict(z.array(AuditEntry), JSON.parse(stdout));

// Every command is a process of its own, which a busy machine starts slowly.
describe('comanda audit', { timeout: 120_000 }, () => {
  it('shows who changed what by which key and request, newest first', async () => {
    const { database } = api.app;
    const locationId = await createLocation(database, { timezone: 'America/Montevideo' });
    const key = await createKey(database, { locationId });
    const { paymentMethods } = api.client(key.key);
    const made = await paymentMethods.create.mutate({ name: 'Card', type: 'card' });
    await paymentMethods.update.mutate({ id: made.id, name: 'Visa', enabled: false });

    const [updated, created, ...rest] = entries(await comanda('audit', '--location', locationId, '--json'));
    expect(rest).toEqual([]);
    expect(updated).toEqual({
      id: expect.any(String),
      location_id: locationId,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-03:00$/),
      actor: 'api_key',
      api_key_id: key.id,
      key_name: 'test',
      request_id: expect.any(String),
      operation: 'paymentMethods.update',
      resource_id: made.id,
      changes: { before: { name: 'Card', enabled: true }, after: { name: 'Visa', enabled: false } },
    });
    expect(created).toMatchObject({ operation: 'paymentMethods.create', changes: { before: null } });
    expect(created?.request_id).not.toBe(updated?.request_id);

    const { stdout } = await comanda('audit', '--location', locationId);
    const [head, first, second, ...lines] = stdout.trimEnd().split('\n');
    expect(lines).toEqual([]);
    expect(head).toMatch(/^TIME +WHO +KEY +REQUEST +OPERATION +RESOURCE +CHANGES$/);
    expect(first).toContain(`key "test"`);
    for (const shown of [updated?.created_at, key.id, updated?.request_id, made.id])
      expect(first).toContain(String(shown));
    expect(first).toMatch(/ paymentMethods\.update .* name: "Card" → "Visa", enabled: true → false$/);
    expect(second).toMatch(/ paymentMethods\.create .* name: "Card", type: "card", enabled: true$/);
    expect(first?.indexOf('paymentMethods')).toBe(second?.indexOf('paymentMethods'));
  });

  it('shows what the command line did, without the text of any key', async () => {
    const location = json(await comanda('locations', 'create', '--name', 'Bar Nuevo', '--json'));
    const id = String(location.id);
    const create = ['keys', 'create', '--name', 'ERP', '--permissions', 'orders:*', '--location', id];
    const key = json(await comanda(...create, '--json'));
    await comanda('keys', 'revoke', String(key.id), '--json');
    await comanda('keys', 'revoke', String(key.id), '--json');

    const outcome = await comanda('audit', '--location', id, '--json');
    const shown = entries(outcome).map(({ actor, operation, resource_id }) => [
      actor,
      operation,
      resource_id,
    ]);
    expect(shown).toEqual([
      ['command_line', 'keys.revoke', key.id],
      ['command_line', 'keys.create', key.id],
      ['command_line', 'locations.create', id],
    ]);
    expect(outcome.stdout).not.toContain(String(key.key));
    expect(outcome.stdout).not.toContain(String(key.prefix));
    const readable = (await comanda('audit', '--location', id)).stdout;
    expect(readable).toMatch(/ command line .* keys\.create .*permissions: \["orders:\*"\]/);
  });

  it('shows at a location what another one did to it, and nothing else of others', async () => {
    const made = await api.client().locations.create.mutate({ name: 'Second' });
    const [entry, ...rest] = entries(await comanda('audit', '--location', made.id, '--json'));
    expect(rest).toEqual([]);
    expect(entry).toMatchObject({ location_id: api.locationId, resource_id: made.id });
  });

  it('shows every location without --location, and at most --limit entries', async () => {
    const all = entries(await comanda('audit', '--json'));
    expect(new Set(all.map(({ location_id }) => location_id)).size).toBeGreaterThan(1);
    const two = entries(await comanda('audit', '--limit', '2', '--json'));
    expect(two).toEqual(all.slice(0, 2));
  });

  it('shows control characters of a name as their codes', async () => {
    const { database } = api.app;
    const locationId = await createLocation(database);
    const key = await createKey(database, { locationId });
    await api.client(key.key).locations.update.mutate({ id: locationId, name: 'Red \u001b[31m\nkitchen' });
    await database.prisma.apiKey.updateMany({ where: { id: key.id }, data: { name: 'a\u0007b' } });
    const { stdout } = await comanda('audit', '--location', locationId);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stdout).toContain('key "a\\u0007b"');
    expect(stdout).toContain('\\u001b[31m');
  });

  it('says none where nothing was done', async () => {
    const locationId = await createLocation(api.app.database);
    expect((await comanda('audit', '--location', locationId)).stdout).toBe('none\n');
    expect(entries(await comanda('audit', '--location', locationId, '--json'))).toEqual([]);
  });

  it.each([
    ['an unknown location', ['--location', 'nowhere'], 'resource_not_found'],
    ['a limit of none', ['--limit', '0'], 'validation_error'],
    ['a limit that is no number', ['--limit', 'many'], 'validation_error'],
    ['a limit past the most', ['--limit', '1001'], 'validation_error'],
    ['an unknown option', ['--since', 'yesterday'], 'invalid_request'],
  ])('refuses %s', async (_, argv, code) => {
    const outcome = await comanda('audit', ...argv, '--json');
    expect(outcome.code).toBe(1);
    expect(json(outcome)).toEqual({ error: { code, message: expect.any(String) } });
  });
});
