import { EventEmitter } from 'node:events';
import { type Database, type Heartbeat, type JobName, jobs, startLoop, statement } from '@comanda/db';
import {
  type ParsedCronItem,
  Logger as QueueLogger,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker';
import type { Logger } from 'pino';
import { startDueJobs } from './due-jobs.ts';
import { livenessOf } from './runner-liveness.ts';
import type { Task, TaskContext } from './tasks/task.ts';

/** The tasks a runner takes from the queue, by name; it takes no others. */
export type Tasks = { [Name in JobName]?: Task<Name> };

/** A runner that is kept going. */
export interface SupervisedRunner {
  /** Resolves once it takes jobs. */
  ready: Promise<void>;
  /** Takes no more jobs and waits for those under way. */
  stop(): Promise<void>;
}

/** The tasks to run and their tools. */
export interface RunnerOptions {
  /** Its own pool: one connection listens, the others serve `concurrency` tasks. */
  database: Database;
  tasks: Tasks;
  context: Omit<TaskContext, 'signal' | 'queueJob'>;
  concurrency: number;
  /** Flags of jobs that it leaves to other workers now; asked before each look for a job. */
  passedOver?: () => string[];
  /** The jobs that it queues on a timer. */
  times?: ParsedCronItem[];
  /** How long a task may go on when it stops, in milliseconds. */
  taskMs: number;
  heartbeat: Heartbeat;
  log: Logger;
}

/**
 * Runs tasks and starts the runner again whenever it ends: an outage of the database makes it end without an
 * error. Jobs it had locked are freed at once, under the id that only it had.
 */
export function superviseRunner(options: RunnerOptions): SupervisedRunner {
  const { context, log } = options;
  let current: Runner | undefined;
  let onReady = () => {};
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });

  const runOnce = async (signal: AbortSignal) => {
    const pools: string[] = [];
    const events: WorkerEvents = new EventEmitter();
    const liveness = livenessOf(events, options.concurrency, { clock: context.clock });
    const dueJobs = startDueJobs({
      database: options.database,
      concurrency: options.concurrency,
      events,
      clock: context.clock,
      tasks: Object.keys(options.tasks),
      passedOver: options.passedOver ?? (() => []),
    });
    try {
      current = await startRunner(options, events, pools);
      onReady();
      if (signal.aborted) await current.stop();
      // It does not reject for every reason it can end: that it ended is what counts.
      const ended = await Promise.race([current.promise, liveness.over]);
      if (ended === 'stuck') current.stop('stuck').catch(() => {});
    } finally {
      await Promise.all([liveness.stop(), dueJobs.stop()]);
      current = undefined;
      await freeJobs(options, pools);
    }
  };
  const loop = startLoop({
    clock: context.clock,
    async round(signal) {
      await runOnce(signal);
      if (!signal.aborted) throw new Error('it ended without an error');
      return undefined;
    },
    failed: (error) => log.warn({ err: error }, 'the job runner ended and is started again'),
  });
  return {
    ready,
    async stop() {
      const ended = loop.stop();
      // It refuses when it is ending already; then there is nothing left to ask.
      await current?.stop().catch(() => {});
      await ended;
    },
  };
}

async function startRunner(options: RunnerOptions, events: WorkerEvents, pools: string[]): Promise<Runner> {
  const { database, concurrency, heartbeat, log } = options;
  events.on('pool:create', ({ workerPool }) => {
    pools.push(workerPool.id);
    // Not yet heard of, it is not judged either: only locks older than the dead time are.
    heartbeat.add(workerPool.id, 'worker_pool').catch(() => {});
  });
  return run({
    pgPool: database.pool,
    taskList: taskList(options),
    concurrency,
    events,
    parsedCronItems: options.times ?? [],
    ...(options.passedOver !== undefined && { forbiddenFlags: options.passedOver }),
    noHandleSignals: true,
    // Its workers are woken by notifications, and by one look for all of them (due-jobs.ts).
    pollInterval: 60_000,
    gracefulShutdownAbortTimeout: options.taskMs,
    // Unbatched, a job that cannot be completed is an unhandled rejection.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: new QueueLogger(() => (level, message) => {
      // Its own lines on success are one per job; a failure is reported by the task's own line.
      if (level === 'error' || level === 'warning') log.warn({ queue: message.slice(0, 500) }, 'queue');
      else log.trace({ queue: message.slice(0, 500) }, 'queue');
    }),
  });
}

/** The tasks as the queue calls them. */
export function taskList({ tasks, context }: Pick<RunnerOptions, 'tasks' | 'context'>): TaskList {
  const entries = Object.entries(tasks).map(([name, task]): [string, TaskList[string]] => {
    const { payload: schema } = jobs[name as JobName];
    const handler = task as Task<JobName>;
    return [
      name,
      async (payload, { abortSignal, job }) => {
        await handler(schema.parse(payload), {
          ...context,
          signal: abortSignal ?? new AbortController().signal,
          queueJob: job.id,
        });
      },
    ];
  });
  return Object.fromEntries(entries);
}

async function freeJobs({ context, heartbeat }: RunnerOptions, pools: readonly string[]): Promise<void> {
  if (pools.length === 0) return;
  await context.database.run(unlockPools, [pools]).catch(() => {});
  for (const pool of pools) await heartbeat.remove(pool).catch(() => {});
}

const unlockPools = statement(
  'unlock_own_pools',
  'select graphile_worker.force_unlock_workers($1::text[])::text as done',
);
