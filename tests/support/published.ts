import { randomBytes } from 'node:crypto';
import type { RunningWorker, WorkerOptions } from '@comanda/worker';
import { startTestApi, type TestApi } from './api.ts';
import { startTestWorker } from './run-worker.ts';
import { createSteppedWorker, type SteppedWorker } from './stepped-worker.ts';
import { useClosed } from './use.ts';
import { waitFor } from './wait.ts';

/** An API with a worker on the same database: changes are published and delivered. */
export interface PublishingApi extends TestApi {
  /** Starts one more worker; it is stopped with the API. */
  startWorker(): Promise<RunningWorker>;
  /** Waits until everything that was changed so far is published. */
  published(): Promise<void>;
}

/**
 * One for the tests of a file. Failed deliveries are tried again at once, unless `retryDelaysSeconds` say when; `settings`
 * are of the API.
 */
export const usePublishingApi = (
  retryDelaysSeconds?: WorkerOptions['webhookRetryDelaysSeconds'],
  settings: Parameters<typeof startTestApi>[0] = {},
): PublishingApi => useClosed(() => startPublishingApi(retryDelaysSeconds, settings));

/** An API whose changes are published and delivered when the test says. */
export interface SteppedApi extends TestApi {
  worker: SteppedWorker;
  encryptionKey: string;
  /** Publishes everything that was changed so far, and delivers what is due. */
  published(): Promise<void>;
}

/** One for the tests of a file; `settings` are of the API. */
export const useSteppedApi = (settings: Parameters<typeof startTestApi>[0] = {}): SteppedApi =>
  useClosed(async () => {
    const encryptionKey = randomBytes(32).toString('base64');
    const api = await startTestApi({ encryptionKey, ...settings });
    const worker = await createSteppedWorker(api.databaseUrl, encryptionKey);
    return {
      ...api,
      worker,
      encryptionKey,
      async published() {
        await worker.turn();
      },
      async close() {
        await worker.stop();
        await api.close();
      },
    };
  });

async function startPublishingApi(
  retryDelaysSeconds: WorkerOptions['webhookRetryDelaysSeconds'] = [0.05, 0.05, 0.05, 0.05],
  settings: Parameters<typeof startTestApi>[0] = {},
): Promise<PublishingApi> {
  const encryptionKey = randomBytes(32).toString('base64');
  const api = await startTestApi({ encryptionKey, ...settings });
  const workers: RunningWorker[] = [];
  async function begin(): Promise<RunningWorker> {
    const delays = { webhookRetryDelaysSeconds: retryDelaysSeconds };
    const worker = await startTestWorker(api.databaseUrl, encryptionKey, delays);
    workers.push(worker);
    return worker;
  }
  await begin();
  return {
    ...api,
    startWorker: begin,
    published: async () => {
      await waitFor('every change to be published', async () => {
        const { rows } = await api.app.database.pool.query('select from internal.captured_changes limit 1');
        return rows.length === 0;
      });
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.stop()));
      await api.close();
    },
  };
}
