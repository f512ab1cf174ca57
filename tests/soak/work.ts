import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from './stage.ts';

/** A delivery that a worker has in hand. */
export interface Claim {
  locationId: string;
  id: string;
  /** The attempt that it makes. */
  attempt: number;
}

/** The work under way. */
export interface Work {
  calls: number;
  claims: Claim[];
}

/**
 * The deliveries to the shops' consumer that workers have in hand; of one worker, by its process id, or of all. Those
 * of bad neighbors hang for as long as they like, and are deleted with their endpoints.
 */
export async function claimsOf({ database, consumer }: Stage, pid?: number): Promise<Claim[]> {
  const { rows } = await database.pool.query<Claim>(
    `select d.location_id as "locationId", d.id, d.attempts + 1 as attempt
     from webhook_deliveries d join internal.process_heartbeats h on h.id = d.leased_by
     join webhook_endpoints e on e.location_id = d.location_id and e.id = d.endpoint_id and starts_with(e.url, $2)
     where d.leased_until > now() and d.next_attempt_at is not null and ($1::int is null or h.pid = $1)`,
    [pid ?? null, consumer.hookUrl('')],
  );
  return rows;
}

/** Whether every attempt is recorded, by any worker. */
export async function areRecorded({ database }: Stage, claims: readonly Claim[]): Promise<boolean> {
  const { rows } = await database.pool.query(
    `select from unnest($1::uuid[], $2::uuid[], $3::int[]) as c(location_id, id, attempt)
     join webhook_deliveries d on d.location_id = c.location_id and d.id = c.id
     where d.attempts < c.attempt and d.next_attempt_at is not null limit 1`,
    [
      claims.map(({ locationId }) => locationId),
      claims.map(({ id }) => id),
      claims.map(({ attempt }) => attempt),
    ],
  );
  return rows.length === 0;
}

/** Looks until it finds work under way, for at most 10 s; answers what it saw last. */
export async function findWork(
  calls: () => number,
  claims: () => Promise<Claim[]>,
  enough: (work: Work) => boolean,
): Promise<Work> {
  const end = performance.now() + 10_000;
  for (;;) {
    const held = await claims();
    const work = { calls: calls(), claims: held };
    if (enough(work) || performance.now() > end) return work;
    await sleep(2);
  }
}
