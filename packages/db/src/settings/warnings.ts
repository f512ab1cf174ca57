import type { Settings } from './settings.ts';

/**
 * Settings that are allowed and yet do harm, or do nothing, where they are set: a sentence for each, without secrets. The start,
 * `comanda config` and doctor report them; `readSettings` has refused what is not allowed.
 */
export function settingWarnings(settings: Settings): string[] {
  const { nodeEnv, host, databaseUrl, encryptionKey, keepAttemptsDays, keepEventsDays } = settings;
  const production = nodeEnv === 'production';
  const warnings = [
    production &&
      settings.webhookTargets === 'any' &&
      'WEBHOOK_TARGETS=any lets webhooks reach the inner network',
    ...settings.webhookAllowCidrs.map(
      (range) =>
        range.endsWith('/0') &&
        `WEBHOOK_ALLOW_CIDRS=${range} lets webhooks reach every address, the inner network included`,
    ),
    ...settings.trustedProxies.map(
      (range) =>
        range.endsWith('/0') &&
        `TRUSTED_PROXIES=${range} lets every caller choose the address that the log and the audit name`,
    ),
    production &&
      settings.seedDemo === true &&
      'SEED_DEMO=true makes a demo location with a key that may do everything',
    production &&
      databaseUrl === undefined &&
      'DATABASE_URL is not set: production runs on the embedded database',
    !production &&
      !/^(127\.|::1$|localhost$)/.test(host) &&
      `HOST=${host} opens the API to the network, NODE_ENV is ${nodeEnv}`,
    settings.deliveries === 'paused' && 'DELIVERIES=paused: no webhook is sent',
    settings.logLevel === 'silent' && 'LOG_LEVEL=silent: nothing is logged, not even faults',
    databaseUrl !== undefined &&
      encryptionKey === undefined &&
      'ENCRYPTION_KEY is not set: the key is in DATA_DIR of one machine, while the database is elsewhere',
    keepAttemptsDays > keepEventsDays &&
      `KEEP_ATTEMPTS_DAYS=${keepAttemptsDays} has no effect beyond KEEP_EVENTS_DAYS=${keepEventsDays}: attempts are removed with their event`,
  ];
  return warnings.filter((warning) => typeof warning === 'string');
}
