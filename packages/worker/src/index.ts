import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '@comanda/api/services';
import {
  createSecretBox,
  type Database,
  openDatabase,
  parseEncryptionKeys,
  readSettings,
  repositoryRoot,
  requireSchema,
  type Settings,
  startHeartbeat,
} from '@comanda/db';
import type { Logger } from 'pino';
import { backoffMs } from './backoff.ts';
import { startClearing } from './deliveries/clearing.ts';
import { createDeliveries } from './deliveries/deliveries.ts';
import { createPlaces } from './deliveries/places.ts';
import { createSigning } from './deliveries/signing.ts';
import { createSilence } from './deliveries/silence.ts';
import { createWebhookSender } from './http/sender.ts';
import { listenForChanges } from './relay/listen.ts';
import { startRelay } from './relay/relay.ts';
import { superviseRunner } from './runner.ts';
import { startSweeper, sweep } from './sweeper.ts';
import { answerProbe } from './tasks/answer-probe.ts';
import { deliverWebhooks } from './tasks/deliver-webhooks.ts';
import { type Keep, removalTimes, removeOld } from './tasks/remove-old.ts';
import { syncProducts } from './tasks/sync-products.ts';
import { createWaker } from './waker.ts';

/** What a worker needs; `Settings` has it all. */
export type WorkerOptions = Pick<
  Settings,
  'webhookTimeoutMs' | 'webhookRetryDelaysSeconds' | 'webhookTargets' | 'webhookAllowCidrs' | 'logLevel'
> &
  Partial<Keep> & {
    databaseUrl: string;
    encryptionKey: string;
    /** Ends the start while it waits for the database. */
    signal?: AbortSignal;
  };

/** A worker that runs. */
export interface RunningWorker {
  /** Its id in `process_heartbeats`, under which it holds deliveries. */
  id: string;
  /** Takes no more work, finishes what is in flight within 30 s, hands over the rest. */
  stop(): Promise<void>;
}

/** How long what is in flight may take once the worker is asked to stop; attempts take 30 s at most. */
const drainMs = 30_500;

/**
 * Starts the relay, the deliveries, the job runners, the sweeper and the clearing, and resolves once all of them run. Waits
 * for a database that is away. Any number of workers may share one database.
 *
 * @throws {SettingsError} for an encryption key that cannot be one, or a database that lacks migrations.
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const log = createLog(options.logLevel, 'worker');
  const secrets = createSecretBox(parseEncryptionKeys(options.encryptionKey));
  const open = (name: string, poolSize: number): Database =>
    openDatabase({
      url: options.databaseUrl,
      work: 'worker',
      applicationName: `comanda-worker${name}`,
      poolSize,
      // The relay gives its statements two minutes.
      abandonMs: 150_000,
      onError: (error) => log.warn({ err: error }, 'a database connection broke'),
    });
  const database = open('', 8);
  await requireSchema(database.pool, (line) => log.warn(line), options.signal);
  const heartbeat = await untilUsable(() => startHeartbeat(database, 'worker'), log, options.signal);
  // What our predecessor died over is ours to finish, before anything else.
  await sweep(database, undefined).catch((error: unknown) => log.warn({ err: error }, 'sweeping failed'));

  const sender = createWebhookSender({
    timeoutMs: options.webhookTimeoutMs,
    targets: options.webhookTargets,
    allowCidrs: options.webhookAllowCidrs,
  });
  const attempts = open('-attempts', 4);
  const signing = createSigning(attempts, heartbeat.id, log);
  const deliveries = createDeliveries({
    database: attempts,
    signing,
    places: createPlaces(),
    silence: createSilence(),
    log,
    sender,
    secrets,
    version: serviceVersion(),
    workerId: heartbeat.id,
    timeoutMs: options.webhookTimeoutMs,
    retryDelaysSeconds: options.webhookRetryDelaysSeconds,
    load: { inFlight: 0 },
  });
  const context = { database, deliveries, log };
  const deliveryJobs = open('-deliveries', 6);
  const deliveryRunner = superviseRunner({
    database: deliveryJobs,
    tasks: { 'deliver-webhooks': deliverWebhooks, 'probe-deliveries': answerProbe },
    passedOver: signing.passedOver,
    context,
    concurrency: 4,
    heartbeat,
    log,
  });
  const importJobs = open('-imports', 6);
  const importRunner = superviseRunner({
    database: importJobs,
    tasks: {
      'sync-products': syncProducts,
      'remove-old': removeOld({ ...readSettings({}), ...options }),
      'probe-imports': answerProbe,
    },
    times: removalTimes(),
    context,
    concurrency: 4,
    heartbeat,
    log,
  });
  const waker = createWaker();
  const relay = startRelay(database, waker, log);
  const listener = listenForChanges(database, waker.wake, log);
  const sweeper = startSweeper(database, heartbeat, log);
  const clearing = startClearing(database, log);
  await Promise.all([deliveryRunner.ready, importRunner.ready]);
  log.info({ id: heartbeat.id }, 'ready');

  return {
    id: heartbeat.id,
    async stop() {
      log.info('draining');
      await Promise.all([
        listener.stop(),
        sweeper.stop(),
        clearing.stop(),
        relay.stop(),
        deliveryRunner.stop(),
        importRunner.stop(),
        deliveries.stop(drainMs).then(() => sender.close()),
      ]);
      await heartbeat.stop();
      await Promise.all([database, attempts, deliveryJobs, importJobs].map((pool) => pool.close()));
      log.info('stopped');
    },
  };
}

/** Does `work` again and again while the database does not let it, as one that is read-only. */
async function untilUsable<Result>(
  work: () => Promise<Result>,
  log: Logger,
  signal?: AbortSignal,
): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      log.warn({ err: error }, 'the database cannot be used yet');
      await new Promise((resolve) => setTimeout(resolve, backoffMs(failures)));
    }
  }
}

function serviceVersion(): string {
  const file: { version: string } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
  return file.version;
}
