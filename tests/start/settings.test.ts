import { availableParallelism } from 'node:os';
import { isAbsolute } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attemptMs } from '../../packages/db/src/lifetimes.ts';
import { forms } from '../../packages/db/src/settings/forms.mjs';
import { readSettings, SettingsError, settingsTable } from '../../packages/db/src/settings/settings.ts';

describe('settings', () => {
  it('have the documented defaults when nothing is set', () => {
    const { dataDir, ...settings } = readSettings({});
    expect(isAbsolute(dataDir) && dataDir.endsWith('.data')).toBe(true);
    expect(settings).toEqual({
      nodeEnv: 'development',
      port: 3000,
      host: '127.0.0.1',
      databaseUrl: undefined,
      databaseDirectUrl: undefined,
      databaseOwnerUrl: undefined,
      databaseRolePrefix: 'comanda',
      logLevel: 'info',
      webhookTimeoutMs: 30_000,
      webhookRetryDelaysSeconds: [60, 300, 900, 3600],
      webhookTargets: 'public',
      deliveries: 'on',
      webhookAllowCidrs: [],
      webhookSourceAddresses: [],
      idempotencyTtlHours: 168,
      keepEventsDays: 30,
      keepAttemptsDays: 30,
      keepSyncJobsDays: 90,
      keepAuditDays: 400,
      keepLimitWindowsDays: 7,
      keepSetAsideDays: 90,
      keepFailedJobsDays: 30,
      encryptionKey: undefined,
      seedDemo: undefined,
      apiConnections: 20,
      workerConnections: 24,
      workerPort: undefined,
      drainSeconds: 30,
      trustedProxies: [],
      apiProcesses: Math.max(1, availableParallelism() - 1),
    });
  });

  it('are read from the environment, with their units', () => {
    const settings = readSettings({
      PORT: '8080',
      WEBHOOK_RETRY_DELAYS: '1, 2,3,0.5',
      WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8, ::1/128',
      WEBHOOK_SOURCE_ADDRESSES: '192.0.2.10, 203.0.113.0/28 ,2001:db8::/48,',
      SEED_DEMO: 'false',
      DATABASE_URL: 'postgres://someone:secret@db.internal/orders',
    });
    expect(settings).toMatchObject({
      port: 8080,
      webhookRetryDelaysSeconds: [1, 2, 3, 0.5],
      webhookAllowCidrs: ['10.0.0.0/8', '::1/128'],
      webhookSourceAddresses: ['192.0.2.10', '203.0.113.0/28', '2001:db8::/48'],
      seedDemo: false,
      databaseUrl: 'postgres://someone:secret@db.internal/orders',
    });
  });

  it('count as unset when they are set to nothing', () => {
    expect(readSettings({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({
      port: 3000,
      databaseUrl: undefined,
    });
  });

  it.each([
    ['PORT', 'abc', 'PORT: must be a whole number from 0 to 65535 (got "abc")'],
    ['PORT', '-1', 'PORT: must be a whole number from 0 to 65535 (got "-1")'],
    ['PORT', '65536', 'PORT: must be a whole number from 0 to 65535 (got "65536")'],
    ['PORT', '1e3', 'PORT: must be a whole number from 0 to 65535 (got "1e3")'],
    [
      'LOG_LEVEL',
      'loud',
      'LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent (got "loud")',
    ],
    [
      'WEBHOOK_TIMEOUT_MS',
      '30001',
      `WEBHOOK_TIMEOUT_MS: must be a whole number from 1 to ${attemptMs} (got "30001")`,
    ],
    ['WEBHOOK_TARGETS', 'all', 'WEBHOOK_TARGETS: must be one of public, any (got "all")'],
    ['SEED_DEMO', 'yes', 'SEED_DEMO: must be one of true, false (got "yes")'],
    [
      'WEBHOOK_RETRY_DELAYS',
      '60,300,900',
      'WEBHOOK_RETRY_DELAYS: must be four numbers of seconds separated by commas (got "60,300,900")',
    ],
    [
      'WEBHOOK_RETRY_DELAYS',
      '1,2,3,-4',
      'WEBHOOK_RETRY_DELAYS: must be four numbers of seconds separated by commas (got "1,2,3,-4")',
    ],
    [
      'WEBHOOK_ALLOW_CIDRS',
      '10.0.0.0/33',
      'WEBHOOK_ALLOW_CIDRS: must be addresses or ranges like 192.0.2.10,203.0.113.0/28 separated by commas (got "10.0.0.0/33")',
    ],
    ...['example.com', '192.0.2', '192.0.2.10/33', '192.0.2.1;192.0.2.2', 'fe80::1%eth0'].map((text) => [
      'WEBHOOK_SOURCE_ADDRESSES',
      text,
      `WEBHOOK_SOURCE_ADDRESSES: must be addresses or ranges like 192.0.2.10,203.0.113.0/28 separated by commas (got "${text}")`,
    ]),
    ...['DATABASE_REPLICA_URL', 'DATABASE_REPLICA_URL_FILE'].map((variable) => [
      variable,
      'postgres://standby/x',
      'DATABASE_REPLICA_URL: is no longer a setting: lists, the catalog, exports and reports are read from DATABASE_URL. Unset it',
    ]),
  ])('refuse %s=%s in one line that names it', (variable, value, message) => {
    expect(() => readSettings({ [variable]: value })).toThrow(new SettingsError(message));
  });

  it.each([
    ['DATABASE_URL', 'mysql://root:hunter2@localhost/x'],
    ['ENCRYPTION_KEY', 'hunter2'],
  ])('refuse a bad %s without repeating it', (variable, value) => {
    const read = () => readSettings({ [variable]: value });
    expect(read).toThrow(new RegExp(`^${variable}: must `));
    expect(read).not.toThrow(/hunter2/);
  });

  it.each([
    ['TRUSTED_PROXIES', 'trustedProxies'],
    ['WEBHOOK_ALLOW_CIDRS', 'webhookAllowCidrs'],
  ] as const)('take an address in %s as the range of it alone', (variable, field) => {
    expect(readSettings({ [variable]: '127.0.0.1, ::1,10.0.0.0/8' })[field]).toEqual([
      '127.0.0.1/32',
      '::1/128',
      '10.0.0.0/8',
    ]);
  });

  it.each(['p@zz', 'p@z@z', 'p/z@z', '77/77', '77#zz', '77?zz', 'p@7777/z'])(
    'refuse a URL whose password is %s, unescaped, without a piece of it',
    (password) => {
      for (const variable of Object.keys(forms).filter((name) => name.endsWith('_URL'))) {
        const read = () =>
          readSettings({ [variable]: `postgresql://ana:${password}@db.internal:5432/orders` });
        expect(read, variable).toThrow(new RegExp(`^${variable}: holds a character .* write "@" as %40`));
        expect(read, variable).not.toThrow(/z|77/);
      }
    },
  );

  it.each([
    'postgresql://ana:p%40ss%2Fx@db/orders',
    'postgresql://ana@a:5432,b:5433/orders?target_session_attrs=any',
    'postgresql://ana@db/orders?application_name=me@home',
    'postgresql:///orders?host=/run/postgresql&user=ana@corp',
    'postgresql://db',
  ])('take %s', (url) => {
    expect(readSettings({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  it('ask for an encryption key in production', () => {
    expect(() => readSettings({ NODE_ENV: 'production' })).toThrow(/^ENCRYPTION_KEY: /);
    const settings = readSettings({ NODE_ENV: 'production', ENCRYPTION_KEY: 'k'.repeat(32) });
    expect(settings.nodeEnv).toBe('production');
  });

  it('are each in the table once, with a description of one line', () => {
    const rows = Object.values(settingsTable);
    expect(new Set(rows.map((row) => row.variable)).size).toBe(rows.length);
    for (const row of rows) expect(row.description).toMatch(/^.{10,120}$/);
    expect(rows.map((row) => row.variable)).toEqual(Object.keys(forms));
  });
});
