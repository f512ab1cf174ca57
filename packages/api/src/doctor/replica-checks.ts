import { openSqlDatabase, type Settings, type SqlDatabase } from '@comanda/db';
import { lagBytes } from '../metrics/replica-families.ts';
import { createFreshness, SentBackError } from '../replica/freshness.ts';
import { type Check, type Finding, failed, ok, type Thresholds, warning, wrong } from './check.ts';

/** Whether the replica can answer reads; nothing when there is none. Without it the primary answers all of them. */
export function replicaChecks({ databaseReplicaUrl: url }: Settings): readonly Check[] {
  if (url === undefined) return [];
  const check: Check = {
    name: 'replica',
    means:
      'The replica is a standby of the database and keeps up; while it is not, the primary answers alone.',
    advice:
      'Point DATABASE_REPLICA_URL at a streaming standby of the same database, and see on the primary in pg_stat_replication that it streams.',
    async run({ database, thresholds }) {
      const replica = openSqlDatabase({ url, work: 'health', applicationName: 'comanda-doctor' });
      try {
        return await look(database, replica, thresholds);
      } catch (error) {
        return failed('warning', 'it cannot be asked', error);
      } finally {
        await replica.close();
      }
    },
  };
  return [check];
}

async function look(database: SqlDatabase, replica: SqlDatabase, thresholds: Thresholds): Promise<Finding> {
  try {
    await createFreshness(database, replica).verify();
  } catch (error) {
    if (!(error instanceof SentBackError) || error.reason === 'unreachable') throw error;
    if (error.reason === 'unsuitable') return wrong(error.message);
  }
  const lag = await lagBytes(database, replica);
  if (lag === undefined) return warning('it does not say how far it is');
  const found = `a standby, ${lag} bytes behind`;
  return lag > thresholds.replicaLagBytes ? warning(found) : ok(found);
}
