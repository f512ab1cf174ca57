import { EventEmitter } from 'node:events';
import {
  createSecretBox,
  openDatabase,
  parseEncryptionKeys,
  readSettings,
  startHeartbeat,
} from '@comanda/db';
import type { WorkerOptions } from '@comanda/worker';
import { Logger as QueueLogger, runOnce, type WorkerEvents } from 'graphile-worker';
import { type Logger, pino } from 'pino';
import { beforeEach, onTestFinished } from 'vitest';
import { clearBatch } from '../../packages/worker/src/deliveries/clearing.ts';
import { createParts } from '../../packages/worker/src/parts.ts';
import { createFairQueue } from '../../packages/worker/src/relay/fair-queue.ts';
import { publishRound, publishSetAside } from '../../packages/worker/src/relay/round.ts';
import { retentionRules } from '../../packages/worker/src/retention/rules.ts';
import { taskList } from '../../packages/worker/src/runner.ts';
import { sweepAs } from '../../packages/worker/src/sweeper.ts';
import { underDeed } from './by-hand.ts';
import { createMovedClock, type MovedClock } from './moved-clock.ts';
import { use } from './use.ts';

/** The parts of a worker without its loops: a test calls their rounds. */
export interface SteppedWorker {
  /** Its id in `process_heartbeats`. */
  id: string;
  clock: MovedClock;
  /**
   * Sweeps, and runs rounds of relay, jobs, deliveries, clearing and, once an hour, retention, until nothing is left to do now.
   * Resolves to the changes published, jobs run and batches cleared: 0 means that nothing moved.
   */
  turn(): Promise<number>;
  /** Does what a turn begins with, once: the attempts that it starts go on. */
  begin(): Promise<number>;
  /** Makes due what is due later, an hour on: retries, changes that were set aside, jobs, the last pass of a clearing, retention. */
  makeDue(): Promise<void>;
  /** Finishes what is in flight, gives back the rest, and stops. */
  stop(): Promise<void>;
}

/** Settings of a stepped worker that tests choose. */
export type SteppedSettings = Partial<
  Pick<
    WorkerOptions,
    'deliveries' | 'webhookTimeoutMs' | 'webhookRetryDelaysSeconds' | 'webhookTargets' | 'webhookAllowCidrs'
  >
> & {
  log?: Logger;
  /** Another way to the database for claims and records of attempts. */
  attemptsUrl?: string;
};

const hourMs = 3_600_000;
const graceMs = 5_000;
/** A turn that takes more rounds does not end: its work makes work. */
const mostRounds = 1_000;

/** Makes one. Retries are due after a minute, 5 and 15 minutes and an hour, unless said: `makeDue` brings them forward. */
export async function createSteppedWorker(
  url: string,
  encryptionKey: string,
  { log = pino({ level: 'silent' }), attemptsUrl = url, ...given }: SteppedSettings = {},
): Promise<SteppedWorker> {
  const clock = createMovedClock();
  const settings = { ...readSettings({ WEBHOOK_TARGETS: 'any', WEBHOOK_TIMEOUT_MS: '10000' }), ...given };
  const open = (name: string, at: string) =>
    openDatabase({ url: at, work: 'worker', applicationName: `comanda-worker${name}`, poolSize: 4 });
  const [database, attempts] = [open('', url), open('-attempts', attemptsUrl)];
  const heartbeat = await startHeartbeat(database, 'worker', {
    clock,
    paused: settings.deliveries === 'paused',
  });
  const parts = createParts({
    settings,
    database,
    attempts,
    heartbeat,
    log,
    clock,
    secrets: createSecretBox(parseEncryptionKeys(encryptionKey)),
    load: { inFlight: 0 },
    meter: { observe() {} },
  });
  const { deliveries, context } = parts;
  const queue = createFairQueue(clock.now);
  const relay = { queue, ...(settings.deliveries !== 'paused' && { first: deliveries.firstAttempts }) };
  const tasks = taskList({ tasks: { ...parts.deliveryTasks, ...parts.importTasks }, context });
  let removalAt = clock.now() + hourMs;

  const publish = async () => {
    let { changes } = await publishSetAside(database, log);
    for (;;) {
      const round = await publishRound(database, log, relay);
      if (round.changes === 0) break;
      changes += round.changes;
    }
    await queue.idle();
    if (changes > 0) heartbeat.published();
    return changes;
  };

  const runJobs = async () => {
    const { rows } = await database.pool.query(dueJob, [Object.keys(tasks), parts.signing.passedOver()]);
    if (rows.length === 0) return 0;
    let jobs = 0;
    const events: WorkerEvents = new EventEmitter();
    // A removal of old rows makes no other work.
    events.on('job:start', ({ job }) => {
      if (job.task_identifier !== 'remove-old') jobs += 1;
    });
    await runOnce({
      pgPool: database.pool,
      taskList: tasks,
      events,
      concurrency: 2,
      noHandleSignals: true,
      forbiddenFlags: parts.signing.passedOver(),
      logger: new QueueLogger(() => () => {}),
    });
    return jobs;
  };

  const queueRemovals = async () => {
    if (clock.now() < removalAt) return;
    removalAt = clock.now() + hourMs;
    for (const { name } of retentionRules)
      await database.pool.query(`select graphile_worker.add_job('remove-old', $1)`, [{ rule: name }]);
  };

  const clear = async () => {
    let batches = 0;
    while ((await clearBatch(database)) !== undefined) batches += 1;
    return batches;
  };

  let stopping = false;
  let beginning: Promise<unknown> = Promise.resolve();
  const begin = ({ sweeps = true } = {}) => {
    const round = (async () => {
      await queueRemovals();
      const changes = await publish();
      if (stopping) return changes;
      if (sweeps) await sweepAs(database, heartbeat);
      return changes + (await runJobs());
    })();
    beginning = round.catch(() => {});
    return round;
  };

  return {
    id: heartbeat.id,
    clock,
    begin: () => begin(),
    async turn() {
      let sum = 0;
      for (let round = 1; round <= mostRounds; round += 1) {
        const begun = await begin({ sweeps: round === 1 });
        await deliveries.idle();
        const moved = begun + (await clear());
        sum += moved;
        if (moved > 0) continue;
        await parts.health.write();
        return sum;
      }
      throw new Error(`there is still work after ${mostRounds} rounds`);
    },
    async makeDue() {
      await underDeed(database.pool, 'repair: the time of a test', dueNow, []);
      clock.advance(hourMs);
      await heartbeat.alive();
    },
    async stop() {
      stopping = true;
      await Promise.all([deliveries.stop(graceMs), beginning]);
      await parts.sender.close();
      await Promise.all([parts.collecting.stop(), context.certifications.stop()]);
      await heartbeat.stop();
      await Promise.all([database.close(), attempts.close()]);
    },
  };
}

/** One for the tests of a file, each of which begins when what the one before left has ended. */
export function useSteppedWorker(
  at: { url: string; encryptionKey: string },
  settings?: SteppedSettings,
): SteppedWorker {
  const worker = use(
    () => createSteppedWorker(at.url, at.encryptionKey, settings),
    (stepped) => stepped.stop(),
  );
  beforeEach(async () => {
    await worker.turn();
  });
  return worker;
}

/** One more for the rest of the test. */
export async function stepWorker(
  at: { url: string; encryptionKey: string },
  settings?: SteppedSettings,
): Promise<SteppedWorker> {
  const worker = await createSteppedWorker(at.url, at.encryptionKey, settings);
  onTestFinished(() => worker.stop());
  return worker;
}

const dueJob = `select from graphile_worker.jobs
  where task_identifier = any ($1) and run_at <= now() and locked_at is null and attempts < max_attempts
    and not coalesce(flags ?| $2, false) limit 1`;

const dueNow = `
  with deliveries as (update webhook_deliveries set next_attempt_at = now() where next_attempt_at > now()),
    changes as (update internal.captured_changes set retry_at = now() where retry_at > now()),
    syncs as (update sync_jobs set due_at = now() where due_at > now()),
    clearings as (update internal.endpoint_clearings set asked_at = asked_at - interval '1 hour', look_at = now() where look_at > now())
  update graphile_worker._private_jobs set run_at = now() where run_at > now()`;
