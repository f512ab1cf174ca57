import { openDatabase, type Settings } from '@comanda/db';
import type { App } from './context.ts';
import { createCredentials } from './credentials/credentials.ts';
import { createLimiter } from './limits/limiter.ts';
import { createLog } from './log.ts';
import { createNotifications } from './notifications.ts';
import { relayWaker } from './relay-wake.ts';
import { createSecretBox, parseEncryptionKeys } from './resources/webhook-endpoints/secrets.ts';

/** An app and the way to let go of what it holds. */
export interface RunningApp extends App {
  close(): Promise<void>;
}

/** What an app is made of; `Settings` has it all. */
export type AppSettings = Pick<
  Settings,
  'idempotencyTtlHours' | 'webhookTargets' | 'webhookAllowCidrs' | 'logLevel'
> & { databaseUrl: string; encryptionKey: string };

/** Opens the database, starts listening for changed keys, registers the process. */
export async function createApp(settings: AppSettings): Promise<RunningApp> {
  const log = createLog(settings.logLevel, 'api');
  const database = openDatabase({
    url: settings.databaseUrl,
    applicationName: 'comanda-api',
    onError: (error) => log.warn({ err: error }, 'a database connection broke'),
  });
  const notifications = createNotifications(settings.databaseUrl);
  const credentials = createCredentials(database, notifications);
  const limiter = createLimiter(database, { notifications });
  return {
    database,
    credentials,
    limiter,
    log,
    secrets: createSecretBox(parseEncryptionKeys(settings.encryptionKey)),
    wakeRelay: relayWaker(database),
    policy: {
      idempotencyTtlHours: settings.idempotencyTtlHours,
      webhookTargets: settings.webhookTargets,
      webhookAllowCidrs: settings.webhookAllowCidrs,
    },
    async close() {
      await limiter.close();
      await credentials.close();
      await notifications.close();
      await database.close();
    },
  };
}
