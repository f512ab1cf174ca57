import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import {
  configurationExitCode,
  listenError,
  reportDatabaseSettings,
  reportServing,
  requireSchema,
  type Settings,
  SettingsError,
  stoppingIn,
} from '@comanda/db';
import { note } from '@comanda/db/terminal';
import { createApp, type RunningApp } from '../app.ts';
import { doctorMetrics } from '../doctor/metrics.ts';
import { startServer } from '../http/server.ts';
import { withSiblings } from './siblings.ts';

/** How long the start waits for a look at the database; one that is away is served as such. */
const lookMs = 1_000;

/**
 * Serves until the process is asked to stop; alone, or as one of the processes behind a port.
 * @throws {SettingsError} for settings that cannot work.
 */
export async function serve(settings: Settings): Promise<void> {
  const { databaseUrl, encryptionKey, host, port } = settings;
  if (databaseUrl === undefined) throw new SettingsError('DATABASE_URL: must be set');
  if (encryptionKey === undefined) throw new SettingsError('ENCRYPTION_KEY: must be set');
  refuseSmallHeap(getHeapStatistics().heap_size_limit);
  // Of several processes the first watches for all.
  const checks = cluster.isPrimary ? doctorMetrics(process.env) : undefined;
  const app = await createApp({ ...settings, databaseUrl, encryptionKey, ...(checks && { checks }) });
  const checked = requireSchema(app.database.pool, (line) => app.log.warn(line));
  await Promise.race([checked, sleep(lookMs)]);
  checked.catch(refuse);
  // Of several processes the first reports for all.
  if (cluster.isPrimary || cluster.worker?.id === 1)
    checked.then(() => reportDatabaseSettings(settings, (line) => app.log.warn(line))).catch(() => {});
  const metrics = cluster.isWorker ? withSiblings(app.metrics) : app.metrics;
  const server = await startServer({ ...app, metrics }, { host, port }).catch(
    (error: NodeJS.ErrnoException) => {
      throw listenError(error, { variable: 'PORT', host, port });
    },
  );
  stopWhenAsked(app, server, stoppingIn(settings.drainSeconds));
  app.log.info({ url: server.url }, 'ready');
  process.send?.({ ready: true, url: server.url });
  // Of several processes the first reports for all.
  if (cluster.isPrimary) reportServing((error) => app.log.warn({ err: error }, 'systemd was not notified'));
}

const MiB = 1024 ** 2;
/** The limit of V8 with `--max-old-space-size=80`: the code and its schemas take 60 MiB, a list of 4 MiB the rest. */
const leastHeapBytes = 128 * MiB;

/** @throws {SettingsError} for a heap in which the process would end with its first large answers. */
export function refuseSmallHeap(heapBytes: number): void {
  if (heapBytes < leastHeapBytes)
    throw new SettingsError(
      `NODE_OPTIONS: the heap may have ${Math.floor(heapBytes / MiB)} MiB, and an API process needs ${leastHeapBytes / MiB}: set --max-old-space-size to 80 or more, or give the process more memory`,
    );
}

/** Ends the process with one line when it cannot run with its settings; throws any other error it is given. */
export function refuse(error: unknown): void {
  if (!(error instanceof SettingsError)) throw error;
  note(error.message);
  process.exit(configurationExitCode);
}

function stopWhenAsked(
  app: RunningApp,
  server: { drain(graceMs: number): Promise<void> },
  stopping: ReturnType<typeof stoppingIn>,
): void {
  let isStopping = false;
  const stop = (reason: string) => {
    if (isStopping) return;
    isStopping = true;
    app.log.info({ reason }, 'draining');
    setTimeout(() => process.exit(1), stopping.processMs).unref();
    server
      .drain(stopping.requestsMs)
      .then(() => app.close())
      .then(() => process.exit(0))
      .catch((error: unknown) => {
        app.log.error({ err: error }, 'stopped with an error');
        process.exit(1);
      });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // The process that started this one is gone: no other would stop it.
  process.on('disconnect', () => stop('disconnect'));
  const { worker } = cluster;
  // Otherwise Node would end it at once, with requests in flight.
  worker?.once('disconnect', () => {
    worker.exitedAfterDisconnect = true;
  });
}
