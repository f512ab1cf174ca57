import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { settingsInForce, strangeVariables } from '../../packages/db/src/settings/report.ts';
import { readSettings, SettingsError } from '../../packages/db/src/settings/settings.ts';
import { callComanda } from '../support/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'comanda-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const url = 'postgresql://ana:hunter2@db:5433/comanda?sslmode=verify-full&sslpassword=hunter2';

describe('a secret in a file', () => {
  it('is what its variable would be, without the line break that editors leave', () => {
    const settings = readSettings({
      DATABASE_URL_FILE: file('url', `${url}\n`),
      ENCRYPTION_KEY_FILE: file('key', 'k'.repeat(32)),
    });
    expect(settings).toMatchObject({ databaseUrl: url, encryptionKey: 'k'.repeat(32) });
  });

  it.each([
    [
      'that is not there',
      { ENCRYPTION_KEY_FILE: '/nonexistent/key' },
      'ENCRYPTION_KEY_FILE: /nonexistent/key cannot be read (ENOENT)',
    ],
    [
      'that is empty',
      { ENCRYPTION_KEY_FILE: file('empty', '\n') },
      `ENCRYPTION_KEY_FILE: ${join(folder, 'empty')} is empty`,
    ],
    [
      'together with its variable',
      { ENCRYPTION_KEY: 'k'.repeat(32), ENCRYPTION_KEY_FILE: file('both', 'k'.repeat(32)) },
      'ENCRYPTION_KEY_FILE: ENCRYPTION_KEY is set as well; set one of the two',
    ],
  ])('%s is refused in one line', (_, environment, message) => {
    expect(() => readSettings(environment)).toThrow(new SettingsError(message));
  });

  it('is not repeated when it cannot be used', () => {
    const read = () => readSettings({ DATABASE_URL_FILE: file('bad', 'mysql://root:hunter2@localhost/x') });
    expect(read).toThrow(/^DATABASE_URL: must be a URL/);
    expect(read).not.toThrow(/hunter2/);
  });
});

describe('a variable that nothing reads', () => {
  it.each([
    ['WEBHOOK_TARGET', 'WEBHOOK_TARGETS'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['ENCRYPTION_KEY_FILES', 'ENCRYPTION_KEY_FILE'],
    ['LOGLEVEL', 'LOG_LEVEL'],
  ])('as %s is reported with the one that was meant', (variable, meant) => {
    expect(strangeVariables({ [variable]: 'x' })).toEqual([{ variable, meant }]);
  });

  it('is ignored when it differs more, is ours, or is set by Kubernetes', () => {
    const names = [
      'PATH',
      'HOME',
      'LANG',
      'DATABASE_URL',
      'DATABASE_URL_FILE',
      'PORT',
      'API_PORT',
      'COMANDA_SERVICE_HOST',
      'API_PROCESS_PORT',
    ];
    expect(strangeVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
  });
});

describe('comanda config', () => {
  const environment = {
    DATABASE_URL_FILE: file('config-url', url),
    ENCRYPTION_KEY: 'hunter2'.repeat(5),
    PORT: '8080',
  };

  it('says of every setting what holds and where it comes from, and shows no secret', async () => {
    const { code, stdout } = await callComanda(environment, 'config', '--json');
    expect(code).toBe(0);
    expect(stdout).not.toContain('hunter2');
    const { settings } = JSON.parse(stdout);
    expect(settings).toEqual(settingsInForce(environment));
    expect(settings).toEqual(
      expect.arrayContaining([
        { variable: 'PORT', value: '8080', from: 'environment' },
        {
          variable: 'DATABASE_URL',
          value: 'postgresql://ana:***@db:5433/comanda?sslmode=verify-full&sslpassword=***',
          from: 'file',
        },
        { variable: 'ENCRYPTION_KEY', value: '(set)', from: 'environment' },
        { variable: 'LOG_LEVEL', value: 'info', from: 'default' },
        { variable: 'DATABASE_OWNER_URL', value: null, from: 'default' },
      ]),
    );
  }, 60_000);

  it('warns of a mistyped name, and with --check fails for it', async () => {
    const mistyped = { ...environment, WEBHOOK_TARGET: 'any' };
    const sentence = 'WEBHOOK_TARGET is no setting and does nothing; is WEBHOOK_TARGETS meant?';
    const warned = await callComanda(mistyped, 'config');
    expect(warned).toMatchObject({ code: 0, stdout: expect.stringContaining(`warning: ${sentence}`) });
    expect(await callComanda(mistyped, 'config', '--check')).toMatchObject({ code: 1 });
    expect(await callComanda(environment, 'config', '--check')).toMatchObject({ code: 0 });
  }, 120_000);
});
