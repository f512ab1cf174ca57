import type { Database, Queryable } from '@comanda/db';
import type { Replica } from '../replica/replica.ts';
import { readReplayed, readWritten } from '../replica/statements.ts';
import { family, type MetricFamily, shared, single } from './family.ts';

/** The servers that answered this process's reads that a replica may answer; without a replica, nothing. */
export function replicaReads(replica: Pick<Replica, 'counts'> | undefined): MetricFamily {
  const samples = Object.entries(replica?.counts ?? {}).map(([name, value]) => {
    const answeredBy = name === 'replica' ? 'replica' : 'primary';
    return { labels: { answered_by: answeredBy, reason: name === 'replica' ? '' : name }, value };
  });
  return family('comanda_replica_reads_total', samples);
}

/**
 * How far the replica is behind; below zero it is ahead, so has another history, and is not read. No value when there is
 * none or it does not answer in time.
 */
export async function replicaLag(
  primary: Database,
  replica: Pick<Replica, 'health'> | undefined,
): Promise<MetricFamily> {
  const lag = replica === undefined ? undefined : await within(lagBytes(primary, replica.health), patienceMs);
  return shared(family('comanda_replica_lag_bytes', lag === undefined ? [] : single(lag)));
}

const patienceMs = 1_000;

/**
 * How much of the log is not replayed yet, in bytes. The replica is asked first: by then the primary has written
 * everything that its standby has, and less than zero proves another history. Throws what the databases throw.
 */
export async function lagBytes(primary: Queryable, replica: Queryable): Promise<number | undefined> {
  const [replayed] = await replica.run(readReplayed, []);
  const [written] = await primary.run(readWritten, []);
  if (written === undefined || replayed?.standby !== true || replayed.position === null) return undefined;
  return written.position - replayed.position;
}

function within(answer: Promise<number | undefined>, ms: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    answer
      .catch(() => undefined)
      .then((lag) => {
        clearTimeout(timer);
        resolve(lag);
      });
  });
}
