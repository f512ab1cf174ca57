import { queueForsaken, queueForsakenPriceChanges } from '@comanda/api/services';
import {
  addJobs,
  again,
  type Clock,
  type Database,
  deliveryJobKey,
  type Heartbeat,
  heartbeats,
  type Loop,
  type Queryable,
  startLoop,
  statement,
} from '@comanda/db';
import type { Logger } from 'pino';
import { abortedWith } from './certification/certifications.ts';
import { abortSilent, areSilent } from './certification/statements.ts';
import type { EndpointRef } from './deliveries/endpoint-ref.ts';
import { type FreedEndpoint, freedEndpoints, freeOrphans } from './orphans.ts';

/** The repairs of one sweep. */
export interface Swept {
  /** Endpoints that had due deliveries and no worker. */
  endpoints: number;
  /** Claims of workers that died. */
  claims: number;
  /** Locations with sync jobs that no worker would have continued. */
  syncJobs: number;
  /** Planned price changes that are due and had no job. */
  priceChanges: number;
  /** Certifications whose worker died. */
  certifications: number;
}

const everyMs = 5_000;
const deadSeconds = heartbeats.deadMs / 1_000;

/**
 * Repairs the effects of a crash, every few seconds, one worker at a time: queues missing jobs for due deliveries,
 * sync jobs and planned prices, frees the claims and jobs of workers that are dead: those of this machine at once, others by their
 * silence.
 */
export function startSweeper(database: Database, heartbeat: Heartbeat, log: Logger, clock: Clock): Loop {
  return startLoop({
    clock,
    firstRestMs: everyMs,
    async round() {
      const swept = await sweepAs(database, heartbeat);
      if (swept && Object.values(swept).some((count) => count > 0)) log.info({ ...swept }, 'swept');
      return again(everyMs);
    },
    failed: (error) => log.warn({ err: error }, 'sweeping failed; the next round tries again'),
  });
}

/** Sweeps once for a worker, which judges others by their silence when its own beats have come for long enough. */
export function sweepAs(database: Database, heartbeat: Heartbeat): Promise<Swept | undefined> {
  const mayJudge = heartbeat.steadyMs() >= heartbeats.deadMs;
  return sweep(database, mayJudge ? heartbeat.id : undefined);
}

/**
 * Sweeps once; nothing when another worker is at it. `judge` is the worker that may take silence for death, if
 * one may; it does not while its own last beat looks old, for then the clock has jumped.
 */
export function sweep(database: Database, judge: string | undefined): Promise<Swept | undefined> {
  return database.transaction({ statement: sweeperLock, values: [] }, async (tx, [row]) => {
    if (row?.taken !== true) return undefined;
    // What does not need another's answer is sent with it: a worker at rest is woken less often.
    const [[own], orphans, certifications] = await Promise.all([
      judge === undefined ? [] : tx.run(ownBeat, [judge, deadSeconds]),
      freeOrphans(tx),
      abortSilentRuns(tx),
    ]);
    const [silent, endpoints, syncJobs, priceChanges] = await Promise.all([
      own?.fresh === true ? freeSilent(tx) : [],
      tx.run(unattended, []),
      queueForsaken(tx),
      queueForsakenPriceChanges(tx),
    ]);
    const freed = [...orphans, ...silent];
    await queueMissing(tx, [...freed, ...endpoints]);
    const claims = freed.reduce((sum, one) => sum + one.count, 0);
    return { claims, certifications, endpoints: endpoints.length, syncJobs, priceChanges };
  });
}

/** Jobs for what was just freed, however new it is: a first attempt has none; and for what has been due for a while. */
async function queueMissing(tx: Queryable, endpoints: readonly EndpointRef[]): Promise<void> {
  await addJobs(
    tx,
    'deliver-webhooks',
    endpoints.map(({ locationId, endpointId }) => ({
      payload: { locationId, endpointId },
      jobKey: deliveryJobKey(endpointId),
    })),
  );
}

/** Frees what workers held that have not beaten for long, and forgets these. */
async function freeSilent(tx: Queryable): Promise<FreedEndpoint[]> {
  const [freed] = await Promise.all([
    tx.run(freeClaims, [deadSeconds]),
    tx.run(unlockJobs, [deadSeconds]),
    tx.run(forgetTheDead, []),
  ]);
  return freed;
}

async function abortSilentRuns(tx: Queryable): Promise<number> {
  const [silent] = await tx.run(areSilent, [deadSeconds]);
  if (silent?.found !== true) return 0;
  const [aborted] = await tx.run(abortSilent, [abortedWith, deadSeconds]);
  return aborted?.count ?? 0;
}

const sweeperLock = statement<{ taken: boolean }>(
  'sweeper_lock',
  `select pg_try_advisory_xact_lock(hashtextextended('comanda sweeper', 0)) as taken`,
);

const ownBeat = statement<{ fresh: boolean }>(
  'sweep_own_beat',
  `select now() - seen_at between interval '-1 second' and make_interval(secs => $2) as fresh
   from internal.process_heartbeats where id = $1`,
);

// An endpoint with a claim that is held is being worked on.
const unattended = statement<EndpointRef>(
  'sweep_unattended',
  `select d.location_id as "locationId", d.endpoint_id as "endpointId" from webhook_deliveries d
   join webhook_endpoints e on e.location_id = d.location_id and e.id = d.endpoint_id and e.status = 'active'
     and d.number > e.delivers_after
   join locations l on l.id = d.location_id and l.status = 'active'
   where d.next_attempt_at <= now() - interval '2 seconds'
   group by 1, 2 having bool_and(d.leased_until is null or d.leased_until <= now()) limit 1000`,
);

// A beat of the future is one from before the clock was set back: all that live have beaten since.
function living(holder: string): string {
  return `select from internal.process_heartbeats h where h.id = ${holder} and abs(extract(epoch from now() - h.seen_at)) <= $1`;
}

const freeClaims = statement<FreedEndpoint>(
  'sweep_free_claims',
  `with freed as (
     update webhook_deliveries d set leased_until = null, leased_by = null
     where d.next_attempt_at is not null and d.leased_by is not null and not exists (${living('d.leased_by')})
     returning location_id, endpoint_id
   ) ${freedEndpoints}`,
);

const unlockJobs = statement(
  'sweep_unlock_jobs',
  `select graphile_worker.force_unlock_workers(array(
     select distinct j.locked_by from graphile_worker.jobs j
     where abs(extract(epoch from now() - j.locked_at)) > $1 and not exists (${living('j.locked_by')})
   ))::text as done`,
);

const forgetTheDead = statement(
  'sweep_forget_the_dead',
  `delete from internal.process_heartbeats where kind in ('worker', 'worker_pool') and seen_at < now() - interval '1 hour'`,
);
