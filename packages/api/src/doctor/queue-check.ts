import { addJob, again, type Database, isState, type JobName, repeat } from '@comanda/db';
import * as metrics from '../metrics/statements.ts';
import {
  type Check,
  count,
  type Finding,
  ok,
  reasonOf,
  type Thresholds,
  warning,
  worst,
  wrong,
} from './check.ts';
import * as sql from './statements.ts';

/** Proves that the queue works, where a heartbeat only says that a process lives. */
export const queueCheck: Check = {
  name: 'queue',
  means: 'Workers do the jobs of the queue, and queue hourly jobs on a timer.',
  advice:
    "Start a worker, and read the log of those that run. It shows nothing, or takes nothing, where the role of the service is not the owner of the queue's tables: they have row security.",
  async run({ database, thresholds }) {
    const [queue] = await database.run(metrics.queueExists, []);
    if (queue?.exists !== true) return wrong('there is no queue yet: no worker has ever run here');
    const hidden = await database.run(sql.hiddenQueue, []);
    if (hidden.length > 0)
      return wrong(`row security hides it from this role: ${hidden.map(({ table }) => table).join(', ')}`);
    const rows = await database.run(metrics.readHeartbeats, []);
    const alive = rows.some(({ kind, alive }) => kind === 'worker' && alive);
    const patience = alive ? thresholds.probeSeconds : Math.min(1, thresholds.probeSeconds);
    const findings = await Promise.all([
      ...probes.map((probe) => tryProbe(database, probe, patience)),
      lookAtClock(database, thresholds),
    ]);
    const outcome = worst(findings.map((finding) => finding.outcome));
    const texts = findings.filter((finding) => finding.outcome === outcome).map(({ found }) => found);
    return { outcome, found: texts.join('; ') };
  },
};

/** A probe, and what may keep the places of its runner busy. */
interface Probe {
  name: JobName & `probe-${string}`;
  others: readonly JobName[];
}

const probes: readonly Probe[] = [
  { name: 'probe-deliveries', others: ['deliver-webhooks'] },
  { name: 'probe-imports', others: ['run-sync-jobs', 'remove-old'] },
];

async function tryProbe(database: Database, { name, others }: Probe, patience: number): Promise<Finding> {
  const began = performance.now();
  let id: string;
  try {
    id = await addJob(database, name, {});
  } catch (error) {
    if (isState(error, 'notGranted')) return wrong(`this role cannot queue: ${reasonOf(error)}`);
    throw error;
  }
  const done = await repeat(async () => {
    const [row] = await database.run(sql.probeState, [id]);
    const seconds = (performance.now() - began) / 1_000;
    if (row === undefined) return ok(`${name} done after ${seconds.toFixed(1)} s`);
    if (row.error !== null) return wrong(`${name} failed: ${row.error.slice(0, 200)}`);
    return seconds > patience ? undefined : again(100);
  });
  if (done !== undefined) return done;
  await database.run(sql.removeProbe, [id]);
  const [busy] = await database.run(sql.jobsAtWork, [others]);
  const found = `no worker did ${name} within ${patience} s`;
  if (busy !== undefined && busy.count > 0) return warning(`${found}: busy with ${count(busy.count, 'job')}`);
  return wrong(found);
}

async function lookAtClock(database: Database, { cronMinutes }: Thresholds): Promise<Finding> {
  const [row] = await database.run(sql.queuedByClock, []);
  if (row === undefined || row.known === 0) return wrong('nothing is queued on a timer');
  const last = row.last === null ? 'never' : row.last.toISOString();
  return (row.minutes ?? 0) > cronMinutes
    ? wrong(`what is due every hour was queued last: ${last}`)
    : ok(`queued on a timer last: ${last}`);
}
