import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readSettings } from '../../packages/db/src/settings/settings.ts';
import { settingWarnings } from '../../packages/db/src/settings/warnings.ts';
import { callComanda } from '../support/command.ts';
import { createTestDatabase, useTestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait.ts';
import { ended, finish, startProgram, unusedPort } from './run.ts';

vi.setConfig({ testTimeout: 120_000 });

const database = useTestDatabase();
const key = 'tests-need-no-secret-that-is-secret';

/** An environment without warnings. */
const plain = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/x',
  ENCRYPTION_KEY: key,
};

const bySettings: Readonly<Record<string, [Record<string, string>, string]>> = {
  'attempts that are kept for longer than their event': [
    { KEEP_ATTEMPTS_DAYS: '60' },
    'KEEP_ATTEMPTS_DAYS=60 has no effect beyond KEEP_EVENTS_DAYS=30: attempts are removed with their event',
  ],
  'webhooks that may reach every address': [
    { WEBHOOK_ALLOW_CIDRS: '0.0.0.0/0' },
    'WEBHOOK_ALLOW_CIDRS=0.0.0.0/0 lets webhooks reach every address, the inner network included',
  ],
  'webhooks that may reach the inner network': [
    { WEBHOOK_TARGETS: 'any' },
    'WEBHOOK_TARGETS=any lets webhooks reach the inner network',
  ],
  'proxies that are every address': [
    { TRUSTED_PROXIES: '::/0' },
    'TRUSTED_PROXIES=::/0 lets every caller choose the address that the log and the audit name',
  ],
};

describe('a setting that is ignored', () => {
  it('is not reported where there is none', () => {
    expect(settingWarnings(readSettings(plain))).toEqual([]);
  });

  it.each(Object.entries(bySettings))('as %s is reported', (_, [more, sentence]) => {
    expect(settingWarnings(readSettings({ ...plain, ...more }))).toEqual([sentence]);
  });

  it('is a warning of comanda config, without a failure of --check', async () => {
    const environment = { ...plain, KEEP_ATTEMPTS_DAYS: '60' };
    const { code, stdout } = await callComanda(environment, 'config', '--check');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('warning: KEEP_ATTEMPTS_DAYS=60 has no effect'),
    });
  });
});

for (const [program, listensOn] of [
  ['api', 'PORT'],
  ['worker', 'WORKER_PORT'],
] as const)
  it(`what the database shows of the settings of the ${program} is reported at its start`, async () => {
    const other = await createTestDatabase();
    const port = await unusedPort();
    const run = startProgram(program, {
      ...plain,
      DATABASE_URL: database.url,
      DATABASE_DIRECT_URL: other.url,
      [listensOn]: String(port),
      DATABASE_ROLE_PREFIX: 'other',
      KEEP_ATTEMPTS_DAYS: '60',
      LOG_LEVEL: 'warn',
    });
    const says = (part: RegExp) => waitFor(String(part), () => part.test(run.output()));
    onTestFinished(async () => {
      await finish(run, 'SIGTERM');
      await other.drop();
    });
    await says(/KEEP_ATTEMPTS_DAYS=60 has no effect/);
    await says(/DATABASE_DIRECT_URL leads to another database than DATABASE_URL/);
    await says(/DATABASE_ROLE_PREFIX=other is not the prefix of the role \w+_service/);
    expect(run.output()).not.toMatch(/owns the tables/);
  });

it('an API that runs as the owner of the tables in production says so, and serves', async () => {
  const port = await unusedPort();
  const run = startProgram('api', {
    ...plain,
    DATABASE_URL: database.superuserUrl,
    PORT: String(port),
    LOG_LEVEL: 'warn',
  });
  onTestFinished(async () => void (await finish(run, 'SIGTERM')));
  await waitFor('the warning', () => /DATABASE_URL: the role \w+ owns the tables/.test(run.output()));
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
});

it('a password with an "@" ends a start with one sentence and exit code 78, before any name is resolved', async () => {
  for (const program of ['api', 'worker']) {
    const run = startProgram(program, {
      ...plain,
      DATABASE_URL: 'postgresql://ana:hunter@2ss@127.0.0.1/orders',
    });
    expect(await ended(run)).toBe(78);
    expect(run.output()).toMatch(/^DATABASE_URL: holds a character in its user or password/m);
    expect(run.output()).not.toMatch(/2ss|ENOTFOUND/);
  }
});
