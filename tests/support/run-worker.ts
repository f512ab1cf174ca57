import { type RunningWorker, startWorker } from '@comanda/worker';
import { onTestFinished } from 'vitest';

/** A worker that repeats failed deliveries at once, for the rest of the test. */
export async function runWorker(databaseUrl: string, encryptionKey: string): Promise<RunningWorker> {
  const worker = await startWorker({
    ...{ databaseUrl, encryptionKey, webhookTimeoutMs: 10_000, webhookRetryDelaysSeconds: [0, 0, 0, 0] },
    ...{ webhookTargets: 'any', webhookAllowCidrs: [], logLevel: 'silent' },
  });
  onTestFinished(() => worker.stop());
  return worker;
}
