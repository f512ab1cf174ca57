import { again, type Clock, type Loop, type Queryable, startLoop, statement } from '@comanda/db';
import type { WorkerEvents, WorkerPool } from 'graphile-worker';

/** The runner whose jobs are looked after. */
export interface DueJobsOptions {
  database: Queryable;
  tasks: readonly string[];
  passedOver(): readonly string[];
  concurrency: number;
  events: WorkerEvents;
  clock: Clock;
}

/** A notification that was lost, or a job that was freed, is found after so long. */
const mostMs = 5_000;
/** Two looks are so far apart at least. */
const leastMs = 500;

/**
 * Looks when the next job of a runner is due, for all of its workers together, and wakes as many as there are jobs. A new
 * job notifies the runner: the look after it finds a job that is due later. Each look wakes one worker at least, whose
 * question shows that the runner lives (runner-liveness.ts).
 */
export function startDueJobs(options: DueJobsOptions): Loop {
  const { database, tasks, passedOver, concurrency, events, clock } = options;
  let pool: WorkerPool | undefined;
  let notBefore = clock.now();
  events.on('pool:create', ({ workerPool }) => {
    pool = workerPool;
  });
  events.on('pool:gracefulShutdown', () => {
    pool = undefined;
  });
  const loop = startLoop({
    clock,
    firstRestMs: leastMs,
    async round() {
      const earlyMs = notBefore - clock.now();
      if (earlyMs > 0) return again(earlyMs);
      notBefore = clock.now() + leastMs;
      const [next] = await database.run(nextDueJobs, [tasks, passedOver(), concurrency]);
      pool?.nudge(Math.max(1, next?.due ?? 0));
      return again(Math.max(leastMs, Math.min(mostMs, next?.inMs ?? mostMs)));
    },
  });
  events.on('pool:listen:notification', loop.wake);
  // A job that failed is due later, once that is written.
  events.on('job:error', () => {
    notBefore = clock.now() + leastMs;
    loop.wake();
  });
  return loop;
}

/**
 * $1 tasks, $2 flags, $3 how many jobs at most: how many of the next ones are due, and in how many milliseconds the first of
 * them is. The queue's own table, whose index has the jobs that may run: its view has no such column.
 */
const nextDueJobs = statement<{ due: number; inMs: number | null }>(
  'next_due_jobs',
  `select count(*) filter (where n.run_at <= now())::int as due,
     extract(epoch from min(n.run_at) - now())::float8 * 1000 as "inMs"
   from (
     select j.run_at from graphile_worker._private_jobs j
     where j.is_available
       and j.task_id = any (array(select t.id from graphile_worker._private_tasks t where t.identifier = any ($1::text[])))
       and (j.flags ?| $2::text[]) is not true
     order by j.priority, j.run_at limit $3
   ) n`,
);
