import { createLog } from '@comanda/api/services';
import {
  backoffMs,
  type Clock,
  createSecretBox,
  type Database,
  type Heartbeat,
  openDatabase,
  parseEncryptionKeys,
  publishing,
  readSettings,
  requireSchema,
  retry,
  type Settings,
  startHeartbeat,
  stoppingIn,
  systemClock,
} from '@comanda/db';
import type { Logger } from 'pino';
import { startClearing } from './deliveries/clearing.ts';
import { startHealth } from './deliveries/health.ts';
import { createAttemptMeter } from './metrics/attempt-meter.ts';
import { startMetricsServer } from './metrics/server.ts';
import { workerMetrics } from './metrics/worker-metrics.ts';
import { createParts } from './parts.ts';
import { listenForChanges } from './relay/listen.ts';
import { startRelay } from './relay/relay.ts';
import { superviseRunner } from './runner.ts';
import { startSweeper, sweep } from './sweeper.ts';
import { type Keep, removalTimes } from './tasks/remove-old.ts';
import { startWarden } from './warden.ts';

/** The parts of a worker; `Settings` has them all. */
export type WorkerOptions = Pick<
  Settings,
  'webhookTimeoutMs' | 'webhookRetryDelaysSeconds' | 'webhookTargets' | 'webhookAllowCidrs' | 'logLevel'
> &
  Partial<
    Keep &
      Pick<
        Settings,
        'deliveries' | 'drainSeconds' | 'workerConnections' | 'workerPort' | 'host' | 'databaseRolePrefix'
      >
  > & {
    databaseUrl: string;
    encryptionKey: string;
    /** Ends the start while it waits for the database. */
    signal?: AbortSignal;
    /** The time of its loops; the machine's unless given. */
    clock?: Clock;
  };

/** A worker that runs. */
export interface RunningWorker {
  /** Its id in `process_heartbeats`, under which it holds deliveries. */
  id: string;
  /** Takes no more work, finishes what is in flight within 30 s, hands over the rest. */
  stop(): Promise<void>;
  /** Where it answers who watches it, if anywhere. */
  url?: string;
}

/**
 * Starts the relay, the deliveries, the job runners, the sweeper, the warden and the clearing, and resolves once all of them run. Waits
 * for a database that is away. Any number of workers may share one database.
 *
 * @throws {SettingsError} for an encryption key that cannot be one, or a database that lacks migrations.
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const log = createLog(options.logLevel, 'worker');
  const secrets = createSecretBox(parseEncryptionKeys(options.encryptionKey));
  const settings = { ...readSettings({}), ...options };
  const { deliveriesMs, taskMs } = stoppingIn(settings.drainSeconds);
  // Two of a runner's connections listen and look for jobs; the others are its tasks'.
  const share = (parts: number) => Math.floor((settings.workerConnections * parts) / 24);
  const concurrency = share(6) - 2;
  const open = (name: string, poolSize: number): Database =>
    openDatabase({
      url: options.databaseUrl,
      work: 'worker',
      applicationName: `comanda-worker${name}`,
      poolSize,
      abandonMs: publishing.abandonMs,
      onError: (error) => log.warn({ err: error }, 'a database connection broke'),
    });
  const database = open('', share(8));
  const attempts = open('-attempts', share(4));
  const deliveryJobs = open('-deliveries', share(6));
  const importJobs = open('-imports', share(6));
  const pools = [attempts, deliveryJobs, importJobs];
  const { clock = systemClock } = options;
  const load = { inFlight: 0 };
  const meter = createAttemptMeter();
  let draining = false;
  let isHeard: (() => boolean) | undefined;
  // From the beginning: while the start waits for the database, it says so.
  const watching =
    settings.workerPort === undefined
      ? undefined
      : await startMetricsServer(
          workerMetrics({
            database,
            others: pools,
            isHeard: () => isHeard?.(),
            meter,
            load,
            draining: () => draining,
          }),
          { host: settings.host, port: settings.workerPort },
        );
  const heartbeat = await begin().catch(async (error: unknown) => {
    await watching?.close();
    throw error;
  });
  // Work left by a process that died is finished before anything else.
  await sweep(database, undefined).catch((error: unknown) => log.warn({ err: error }, 'sweeping failed'));

  const parts = createParts({ settings, database, attempts, secrets, heartbeat, load, meter, log, clock });
  const { deliveries, signing, context } = parts;
  const deliveryRunner = superviseRunner({
    database: deliveryJobs,
    tasks: parts.deliveryTasks,
    passedOver: signing.passedOver,
    context,
    concurrency,
    taskMs,
    heartbeat,
    log,
  });
  const importRunner = superviseRunner({
    database: importJobs,
    tasks: parts.importTasks,
    times: removalTimes(),
    context,
    concurrency,
    taskMs,
    heartbeat,
    log,
  });
  // Of a paused worker first attempts wait in the queue, too.
  const relay = startRelay(database, log, {
    ...(options.deliveries !== 'paused' && { first: deliveries.firstAttempts }),
    published: heartbeat.published,
    clock,
  });
  const listener = listenForChanges(database, relay.wake, { log, clock });
  const sweeper = startSweeper(database, heartbeat, log, clock);
  const warden = startWarden(database, settings.databaseRolePrefix, log, clock);
  const clearing = startClearing(database, log, clock);
  const healthLoop = startHealth(parts.health, clock);
  await Promise.all([deliveryRunner.ready, importRunner.ready]);
  isHeard = () => heartbeat.steadyMs() > 0;
  log.info({ id: heartbeat.id, ...(watching && { url: watching.url }) }, 'ready');

  return {
    id: heartbeat.id,
    ...(watching && { url: watching.url }),
    async stop() {
      draining = true;
      log.info('draining');
      await Promise.all([
        listener.stop(),
        context.certifications.stop(),
        sweeper.stop(),
        warden.stop(),
        clearing.stop(),
        relay.stop(),
        deliveryRunner.stop(),
        importRunner.stop(),
        deliveries.stop(deliveriesMs).then(async () => {
          await parts.sender.close();
          await Promise.all([healthLoop.stop(), parts.collecting.stop()]);
        }),
      ]);
      await heartbeat.stop();
      await watching?.close();
      await Promise.all([database, ...pools].map((pool) => pool.close()));
      log.info('stopped');
    },
  };

  async function begin(): Promise<Heartbeat> {
    await requireSchema(database.pool, (line) => log.warn(line), options.signal);
    return untilUsable(
      () => startHeartbeat(database, 'worker', { paused: options.deliveries === 'paused', clock }),
      { log, clock },
      options.signal,
    );
  }
}

/** Does `work` again and again while the database does not let it, as one that is read-only. */
function untilUsable<Result>(
  work: () => Promise<Result>,
  { log, clock }: { log: Logger; clock: Clock },
  signal?: AbortSignal,
): Promise<Result> {
  const judge = (error: unknown, failures: number) => {
    signal?.throwIfAborted();
    log.warn({ err: error }, 'the database cannot be used yet');
    return backoffMs(failures);
  };
  return retry(work, judge, clock);
}
