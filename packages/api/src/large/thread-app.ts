import { createSecretBox, openDatabase, parseEncryptionKeys } from '@comanda/db';
import { createCapacity } from '../capacity/capacity.ts';
import { createCredentials } from '../credentials/credentials.ts';
import { createBatchQuota } from '../limits/batch-quota.ts';
import type { App } from '../request/context.ts';
import { createLog } from '../request/log.ts';
import { relayWaker } from '../request/relay-wake.ts';
import { largeConnections } from './connections.ts';
import type { ThreadSettings } from './messages.ts';

/**
 * The part of an app that the work of an admitted call needs: a database with few connections, and the counts in it.
 * Admission, notifications and metrics belong to the server, and throw here.
 */
export function openThreadApp(settings: ThreadSettings): App & { close(): Promise<void> } {
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
  const absent = (): never => {
    throw new Error('the thread for large bodies has none');
  };
  return {
    ...{ database, capacity, log, credentials },
    secrets: createSecretBox(parseEncryptionKeys(settings.encryptionKey)),
    wakeRelay: relayWaker(database),
    policy: {
      idempotencyTtlHours: settings.idempotencyTtlHours,
      webhookTargets: settings.webhookTargets,
      webhookAllowCidrs: settings.webhookAllowCidrs,
      app: settings.app ?? 'off',
    },
    limiter: {
      ...{ batchHeaders: batch.headers, refuseUsedUp: batch.refuseUsedUp, startBatch: batch.start },
      ...{ admit: absent, usage: absent, close: async () => {} },
    },
    ...{ clientAddress: absent, readiness: absent },
    get webhookSourceAddresses() {
      return absent();
    },
    get live() {
      return absent();
    },
    get metrics() {
      return absent();
    },
    get deprecations() {
      return absent();
    },
    get large() {
      return absent();
    },
    async close() {
      capacity.slots.close();
      await credentials.close();
      await database.close();
    },
  };
}
