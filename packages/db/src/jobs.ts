import { z } from 'zod';
import { type Queryable, statement } from './connection/database.ts';

/** A job of the queue: what its payload holds and how often a crash or fault may run it again. */
export interface JobRow {
  payload: z.ZodType;
  maxAttempts: number;
  /** Names the member of the payload that its flag is made of ({@link jobFlag}). */
  flaggedBy?: string;
}

/**
 * Every job, by task identifier. Payloads hold ids only; the rows they name are the truth. `maxAttempts` is
 * for internal faults: what the job finds out (an endpoint that fails, an item that is refused) is no fault.
 */
export const jobs = {
  'deliver-webhooks': {
    payload: z.object({ locationId: z.uuid(), endpointId: z.uuid() }),
    maxAttempts: 25,
    flaggedBy: 'endpointId',
  },
  // Runs the next sync job of the location. Its tries are in that job's row.
  'run-sync-jobs': { payload: z.object({ locationId: z.uuid() }), maxAttempts: 25 },
  'apply-price-change': {
    payload: z.object({ locationId: z.uuid(), priceChangeId: z.uuid() }),
    maxAttempts: 25,
  },
  certify: {
    payload: z.object({ locationId: z.uuid(), certificationId: z.uuid() }),
    maxAttempts: 3,
  },
  'remove-old': {
    payload: z.object({ rule: z.string(), after: z.uuid().optional() }),
    maxAttempts: 3,
  },
  // Asked for by comanda doctor, one for each of a worker's runners: that it is done is the answer.
  'probe-deliveries': { payload: z.object({}), maxAttempts: 1 },
  'probe-imports': { payload: z.object({}), maxAttempts: 1 },
} as const satisfies Record<string, JobRow>;

/** The name of a job, which is its task identifier in the queue. */
export type JobName = keyof typeof jobs;

/** The payload of a job of that name. */
export type JobPayload<Name extends JobName> = z.infer<(typeof jobs)[Name]['payload']>;

/** When and under which key a job is queued. */
export interface JobOptions {
  /** When it is due; now, unless said. */
  runAt?: Date;
  /** A waiting job with this key is replaced. */
  jobKey?: string;
  /** A waiting job with this key keeps its time, and so its place among those that wait. */
  keepsPlace?: true;
}

/** A job to be queued with others of its kind. */
export interface QueuedJob<Name extends JobName> extends Omit<JobOptions, 'keepsPlace'> {
  payload: JobPayload<Name>;
}

/**
 * Queues a job on the given connection and returns its id: inside a transaction it exists if that commits.
 * It notifies, which makes commits wait for each other: not for the transactions of busy requests.
 */
export async function addJob<Name extends JobName>(
  on: Queryable,
  name: Name,
  payload: JobPayload<Name>,
  options: JobOptions = {},
): Promise<string> {
  const [row] = await on.run(addOne, [
    name,
    JSON.stringify(jobs[name].payload.parse(payload)),
    options.runAt ?? null,
    jobs[name].maxAttempts,
    options.jobKey ?? null,
    flagsOf(name, payload),
    options.keepsPlace === true ? 'preserve_run_at' : 'replace',
  ]);
  if (row === undefined) throw new Error(`the queue did not take the job ${name}`);
  return row.id;
}

/** Queues many jobs of one kind in one statement. Of several with one key the last counts. */
export async function addJobs<Name extends JobName>(
  on: Queryable,
  name: Name,
  queued: readonly QueuedJob<Name>[],
): Promise<void> {
  if (queued.length === 0) return;
  // One statement cannot replace a row twice.
  const distinct = [...new Map(queued.map((job, index) => [job.jobKey ?? index, job])).values()];
  await on.run(addMany, [
    name,
    jobs[name].maxAttempts,
    distinct.map(({ payload }) => JSON.stringify(payload)),
    distinct.map(({ runAt }) => runAt ?? null),
    distinct.map(({ jobKey }) => jobKey ?? null),
    distinct.map(({ payload }) => flagsOf(name, payload)?.[0] ?? null),
  ]);
}

/** The flag of jobs of an endpoint: a worker that cannot serve it takes none of these. */
export const jobFlag = (endpointId: string): string => `endpoint:${endpointId}`;

function flagsOf<Name extends JobName>(name: Name, payload: JobPayload<Name>): string[] | null {
  const { flaggedBy }: JobRow = jobs[name];
  const value = flaggedBy === undefined ? undefined : new Map(Object.entries(payload)).get(flaggedBy);
  return value === undefined ? null : [jobFlag(String(value))];
}

/** The key under which an endpoint has at most one waiting job. */
export const deliveryJobKey = (endpointId: string): string => `deliver-webhooks:${endpointId}`;

/** The key under which the sync jobs of a location have at most one job of the queue that waits. */
export const syncJobsKey = (locationId: string): string => `run-sync-jobs:${locationId}`;

/** The key under which a planned price change has at most one job of the queue. */
export const priceChangeKey = (priceChangeId: string): string => `apply-price-change:${priceChangeId}`;

const addOne = statement<{ id: string }>(
  'add_job',
  `select (graphile_worker.add_job($1, payload := $2::json, run_at := $3::timestamptz,
    max_attempts := $4::int, job_key := $5, flags := $6::text[], job_key_mode := $7)).id::text as id`,
);

const addMany = statement<{ count: string }>(
  'add_jobs',
  `select count(*) from graphile_worker.add_jobs(array(
    select row($1, j.payload, null, j.run_at, $2, j.job_key, null, case when j.flag is not null then array[j.flag] end
    )::graphile_worker.job_spec
    from unnest($3::json[], $4::timestamptz[], $5::text[], $6::text[]) as j (payload, run_at, job_key, flag)))`,
);
