import { createSecretBox, openDatabase, parseEncryptionKeys } from '@comanda/db';
import type { Executor } from '../call/context.ts';
import { createLog } from '../call/log.ts';
import { createCapacity } from '../capacity/capacity.ts';
import { createCredentials } from '../credentials/credentials.ts';
import { createBatchQuota } from '../limits/batch-quota.ts';
import { usageOf } from '../limits/usage.ts';
import type { ThreadSettings } from './messages.ts';
import { largeConnections } from './messages.ts';

/** What work in the thread for large bodies uses: a database with few connections, and the counts in it. */
export function openExecutor(settings: ThreadSettings): Executor & { close(): Promise<void> } {
  const log = createLog(settings.logLevel, 'api');
  const database = openDatabase({
    url: settings.databaseUrl,
    work: 'api',
    poolSize: largeConnections,
    applicationName: 'comanda-api-large',
    unnamed: settings.databaseDirectUrl !== undefined,
    onError: (error) => log.warn({ err: error }, 'a database connection broke'),
  });
  const batch = createBatchQuota(database, () => null);
  const capacity = createCapacity(database);
  // No notification comes here: a key is read again when it was read more than 0.8 s ago.
  const credentials = createCredentials(database, {
    on: () => {},
    healthy: () => false,
    close: async () => {},
  });
  return {
    database,
    capacity,
    credentials,
    secrets: createSecretBox(parseEncryptionKeys(settings.encryptionKey)),
    policy: {
      idempotencyTtlHours: settings.idempotencyTtlHours,
      webhookTargets: settings.webhookTargets,
      webhookAllowCidrs: settings.webhookAllowCidrs,
      app: settings.app ?? 'off',
    },
    limiter: {
      batchHeaders: batch.headers,
      refuseUsedUp: batch.refuseUsedUp,
      startBatch: batch.start,
      usage: (caller) => usageOf(database, caller, undefined, null),
    },
    async close() {
      capacity.slots.close();
      await credentials.close();
      await database.close();
    },
  };
}
