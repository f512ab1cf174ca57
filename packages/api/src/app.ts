import {
  createNotifications,
  createSecretBox,
  openDatabase,
  parseEncryptionKeys,
  type Settings,
} from '@comanda/db';
import { createCredentials } from './credentials/credentials.ts';
import { createLimiter } from './limits/limiter.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createReadiness } from './metrics/readiness.ts';
import { operationsOf } from './operations.ts';
import { createBulkhead } from './places/bulkhead.ts';
import { createInFlight } from './places/in-flight.ts';
import { readsFrom } from './replica/reads.ts';
import { createReplica } from './replica/replica.ts';
import type { App } from './request/context.ts';
import { createLog } from './request/log.ts';
import { relayWaker } from './request/relay-wake.ts';
import { appRouter } from './router.ts';

/** An app and the way to let go of what it holds. */
export interface RunningApp extends App {
  close(): Promise<void>;
}

/** What an app is made of; `Settings` has it all. */
export type AppSettings = Pick<
  Settings,
  'idempotencyTtlHours' | 'webhookTargets' | 'webhookAllowCidrs' | 'logLevel'
> &
  Partial<Pick<Settings, 'databaseDirectUrl' | 'databaseReplicaUrl'>> & {
    databaseUrl: string;
    encryptionKey: string;
  };

/** Opens the database, starts listening for changed keys, registers the process. */
export async function createApp(settings: AppSettings): Promise<RunningApp> {
  const log = createLog(settings.logLevel, 'api');
  const bulkhead = createBulkhead();
  const database = openDatabase({
    url: settings.databaseUrl,
    work: 'api',
    applicationName: 'comanda-api',
    unnamed: settings.databaseDirectUrl !== undefined,
    onError: (error) => log.warn({ err: error }, 'a database connection broke'),
  });
  // Apart from the requests: however busy they keep their connections, health and metrics answer.
  const directUrl = settings.databaseDirectUrl ?? settings.databaseUrl;
  const watch = openDatabase({
    url: directUrl,
    work: 'watch',
    applicationName: 'comanda-watch',
  });
  const url = settings.databaseReplicaUrl;
  const unnamed = settings.databaseDirectUrl !== undefined;
  const replica = url === undefined ? undefined : createReplica({ primary: database, url, unnamed, log });
  const notifications = createNotifications(directUrl);
  const credentials = createCredentials(database, notifications);
  const limiter = createLimiter(database, { notifications });
  return {
    database,
    reads: replica?.reads ?? readsFrom(database),
    credentials,
    limiter,
    inFlight: createInFlight(),
    bulkhead,
    log,
    metrics: createMetrics({
      ...{ operations: operationsOf(appRouter).map(({ name }) => name), database, watch },
      ...(replica && { replica }),
    }),
    readiness: createReadiness(watch),
    secrets: createSecretBox(parseEncryptionKeys(settings.encryptionKey)),
    wakeRelay: relayWaker(database),
    policy: {
      idempotencyTtlHours: settings.idempotencyTtlHours,
      webhookTargets: settings.webhookTargets,
      webhookAllowCidrs: settings.webhookAllowCidrs,
    },
    async close() {
      bulkhead.close();
      await limiter.close();
      await credentials.close();
      await notifications.close();
      await watch.close();
      await replica?.close();
      await database.close();
    },
  };
}
