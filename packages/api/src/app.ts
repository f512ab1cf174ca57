import {
  createNotifications,
  createSecretBox,
  openDatabase,
  parseEncryptionKeys,
  type Settings,
} from '@comanda/db';
import { clientAddressBehind } from './call/client-address.ts';
import type { App } from './call/context.ts';
import { createLog } from './call/log.ts';
import { operationsOf } from './call/operations.ts';
import { relayWaker } from './call/relay-wake.ts';
import { createCapacity } from './capacity/capacity.ts';
import { createCredentials } from './credentials/credentials.ts';
import { type Deprecations, deprecations } from './deprecations.ts';
import { jobNames } from './http/mcp/tools.ts';
import { createLargeBodies, threadSettings } from './large/large-bodies.ts';
import { createLimiter } from './limits/limiter.ts';
import type { LiveBounds } from './live/bounds.ts';
import { createLive } from './live/live.ts';
import type { CheckMetrics } from './metrics/checks.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createReadiness } from './metrics/readiness.ts';
import { appRouter } from './router.ts';

/** An app and the way to let go of what it holds. */
export interface RunningApp extends App {
  close(): Promise<void>;
}

/** The parts of an app; `Settings` has them all. */
export type AppSettings = Pick<
  Settings,
  'idempotencyTtlHours' | 'webhookTargets' | 'webhookAllowCidrs' | 'logLevel'
> &
  Partial<
    Pick<
      Settings,
      'databaseDirectUrl' | 'apiConnections' | 'trustedProxies' | 'app' | 'webhookSourceAddresses'
    >
  > & {
    databaseUrl: string;
    encryptionKey: string;
    /** Other bounds on streams of events; a test's. */
    live?: Partial<LiveBounds>;
    /** The checks of doctor, for `/metrics`; without them it has none. */
    checks?: CheckMetrics;
    /** In place of those of the table. */
    deprecations?: Deprecations;
  };

/** Opens the database, starts listening for changed keys, registers the process. */
export async function createApp(settings: AppSettings): Promise<RunningApp> {
  const log = createLog(settings.logLevel, 'api');
  const database = openDatabase({
    url: settings.databaseUrl,
    work: 'api',
    ...(settings.apiConnections && { poolSize: settings.apiConnections }),
    applicationName: 'comanda-api',
    unnamed: settings.databaseDirectUrl !== undefined,
    onError: (error) => log.warn({ err: error }, 'a database connection broke'),
  });
  // Apart from the requests: however busy they keep their connections, health and metrics answer.
  const directUrl = settings.databaseDirectUrl ?? settings.databaseUrl;
  const health = openDatabase({
    url: directUrl,
    work: 'health',
    applicationName: 'comanda-health',
  });
  const pooled =
    settings.databaseDirectUrl === undefined
      ? undefined
      : openDatabase({
          url: settings.databaseUrl,
          work: 'health',
          applicationName: 'comanda-health',
          unnamed: true,
        });
  const capacity = createCapacity(database);
  const notifications = createNotifications(directUrl);
  const credentials = createCredentials(database, notifications);
  const live = createLive({
    database,
    slots: capacity.slots,
    notifications,
    credentials,
    log,
    ...(settings.live && { bounds: settings.live }),
  });
  const limiter = createLimiter(database, { notifications });
  const readiness = createReadiness({
    health: pooled ?? health,
    pools: [database],
    ...(pooled && { direct: health }),
  });
  const large = createLargeBodies(threadSettings(settings), log);
  return {
    database,
    credentials,
    limiter,
    capacity,
    large,
    live,
    log,
    metrics: createMetrics({
      operations: [...operationsOf(appRouter).map(({ name }) => name), ...jobNames],
      database,
      health,
      readiness,
      ...(settings.checks && { checks: settings.checks }),
    }),
    readiness,
    secrets: createSecretBox(parseEncryptionKeys(settings.encryptionKey)),
    wakeRelay: relayWaker(database),
    clientAddress: clientAddressBehind(settings.trustedProxies ?? []),
    deprecations: settings.deprecations ?? deprecations,
    webhookSourceAddresses: settings.webhookSourceAddresses ?? [],
    policy: {
      idempotencyTtlHours: settings.idempotencyTtlHours,
      webhookTargets: settings.webhookTargets,
      webhookAllowCidrs: settings.webhookAllowCidrs,
      app: settings.app ?? 'off',
    },
    async close() {
      await large.close();
      await live.close();
      capacity.slots.close();
      await limiter.close();
      await credentials.close();
      await notifications.close();
      await Promise.all([health.close(), pooled?.close()]);
      await database.close();
    },
  };
}
