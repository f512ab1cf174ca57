import { pidSpace, type Queryable, statement } from '@comanda/db';
import type { EndpointRef } from './deliveries/endpoint-ref.ts';

/** An endpoint, and how many claims on its deliveries were freed. */
export interface FreedEndpoint extends EndpointRef {
  count: number;
}

/** SQL for what a statement frees that returns `location_id` and `endpoint_id` as `freed`. */
export const freedEndpoints = `select location_id as "locationId", endpoint_id as "endpointId", count(*)::int as count
   from freed group by 1, 2`;

/**
 * Frees at once what workers of this machine held that have died, as their pids show: claims of deliveries and locks of
 * jobs. Workers elsewhere are judged by their silence instead. Returns the endpoints of the claims that it freed.
 */
export async function freeOrphans(tx: Queryable): Promise<FreedEndpoint[]> {
  const space = pidSpace();
  if (space === undefined) return [];
  const neighbors = await tx.run(workersOf, [space]);
  const dead = neighbors.flatMap(({ id, pid }) => (isAlive(pid) ? [] : id));
  if (dead.length === 0) return [];
  const freed = await tx.run(releaseOf, [dead]);
  await tx.run(unlockOf, [dead]);
  await tx.run(forget, [dead]);
  return freed;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Anything else than "no such process" is a process that is not ours to signal.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

const workersOf = statement<{ id: string; pid: number }>(
  'orphans_workers',
  `select id, pid from internal.process_heartbeats where kind in ('worker', 'worker_pool') and pid_space = $1`,
);

const releaseOf = statement<FreedEndpoint>(
  'orphans_release',
  `with freed as (
     update webhook_deliveries set leased_until = null, leased_by = null
     where leased_by = any ($1::text[]) and next_attempt_at is not null
     returning location_id, endpoint_id
   ) ${freedEndpoints}`,
);

const unlockOf = statement(
  'orphans_unlock',
  'select graphile_worker.force_unlock_workers($1::text[])::text as done',
);

const forget = statement(
  'orphans_forget',
  'delete from internal.process_heartbeats where id = any ($1::text[])',
);
