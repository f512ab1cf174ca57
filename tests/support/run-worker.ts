import { type RunningWorker, startWorker, type WorkerOptions } from '@comanda/worker';
import { onTestFinished } from 'vitest';

/** Starts a worker that repeats failed deliveries at once and logs nothing, unless `settings` say otherwise. */
export const startTestWorker = (
  databaseUrl: string,
  encryptionKey: string,
  settings: Partial<WorkerOptions> = {},
): Promise<RunningWorker> =>
  startWorker({
    databaseUrl,
    encryptionKey,
    webhookTimeoutMs: 10_000,
    webhookRetryDelaysSeconds: [0, 0, 0, 0],
    webhookTargets: 'any',
    webhookAllowCidrs: [],
    logLevel: 'silent',
    ...settings,
  });

/** One for the rest of the test. */
export async function runWorker(databaseUrl: string, encryptionKey: string): Promise<RunningWorker> {
  const worker = await startTestWorker(databaseUrl, encryptionKey);
  onTestFinished(() => worker.stop());
  return worker;
}
