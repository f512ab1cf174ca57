import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../support/chance.ts';
import { waitFor } from '../support/wait.ts';
import type { Consequence, Kind, Target } from './kinds.ts';
import type { Stage } from './stage.ts';
import { areRecorded, type Claim, findWork } from './work.ts';

/** A kill and what came of it. Times in ms since the epoch. */
export interface Kill {
  kind: string;
  at: number;
  /** When everything was as before; what callers met until then is its doing, as far as it may be. */
  until: number;
  consequences: readonly Consequence[];
  /** The work that it interrupted; without any it proves nothing. */
  calls: number;
  deliveries: number;
  real: boolean;
  /** From the kill to the first good answer of every API that was away with it. */
  servedMs?: number;
  /** From the kill until deliveries arrive again and those in hand are recorded; the consumer's, from its return. */
  deliveredMs?: number;
  /** Whether a supervisor saw a child die of it. */
  childDied: boolean;
  /** The part that did not come back. */
  complaints: string[];
}

/** Within this time of a kill everything goes on: the promise. */
const promiseMs = 60_000;
/** And so long it is waited for. */
const patienceMs = 150_000;
/** Changes requested while it was away may be published a little later. */
const lateMs = 1_000;

/** Waits for work that it can interrupt, strikes, and waits until all goes on. */
export async function kill(stage: Stage, kind: Kind, chance: Chance): Promise<Kill> {
  const target = kind.aim(stage, chance);
  const { calls, claims } = await findWork(target.calls, target.claims, target.enough);
  const at = Date.now();
  const met = (await target.strike()) ?? claims;
  const goneAt = Date.now();
  const result: Kill = {
    ...{ kind: kind.name, at, until: goneAt, consequences: kind.consequences },
    ...{ calls, deliveries: met.length, real: target.enough({ calls, claims: met }) },
    ...{ childDied: target.supervisor !== undefined, complaints: [] },
  };
  const repaired = target.repair?.();
  const away = kind.id === 'consumer';
  if (away) await repaired;
  const since = away ? Date.now() : at;
  const [served, delivered] = await Promise.all([
    servedAgain(stage, target).catch((error: unknown) => complain(result, error)),
    deliveredAgain(stage, target, met, goneAt).catch((error: unknown) => complain(result, error)),
    repaired,
  ]);
  if (served !== undefined) result.servedMs = served - since;
  if (delivered !== undefined) result.deliveredMs = delivered - since;
  for (const [what, ms] of Object.entries({ served: result.servedMs, delivered: result.deliveredMs }))
    if (ms !== undefined && ms > promiseMs) result.complaints.push(`${kind.name}: ${what} after ${ms} ms`);
  result.until = Date.now() + lateMs;
  return result;
}

function complain({ complaints, kind }: Kill, error: unknown): undefined {
  complaints.push(`${kind}: ${error instanceof Error ? error.message : String(error)}`);
}

/** When every address that was away had answered from the database, and the load had a good answer. */
async function servedAgain(stage: Stage, { addresses }: Target): Promise<number | undefined> {
  if (addresses.length === 0) return undefined;
  const next = stage.traffic.nextSuccess();
  const times = await Promise.all(addresses.map((url) => answers(url, stage.restaurants[0]?.key ?? '')));
  // The load asks all the time; a stalled load would be reported by its own end.
  const loadAt = await Promise.race([next, sleep(patienceMs, Number.POSITIVE_INFINITY)]);
  return Math.max(...times, loadAt);
}

async function answers(url: string, key: string): Promise<number> {
  await waitFor(
    `${url} to serve again`,
    async () => {
      const response = await fetch(`${url}/v2/products?limit=1`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(5_000),
      });
      await response.text();
      return response.status === 200;
    },
    { timeoutMs: patienceMs, intervalMs: 20 },
  );
  return Date.now();
}

/** When something had arrived again, what was in hand was recorded, and a child that died had a successor. */
async function deliveredAgain(
  stage: Stage,
  { delivers, supervisor, child }: Target,
  claims: readonly Claim[],
  goneAt: number,
): Promise<number | undefined> {
  const replaced = () => {
    const pid = child && supervisor?.child(child.bundle);
    return child === undefined || (pid !== undefined && pid !== child.pid);
  };
  if (!delivers) {
    await waitFor('a successor', replaced, { timeoutMs: patienceMs });
    return undefined;
  }
  await waitFor(
    'deliveries to go on',
    async () => {
      stage.journal.read();
      return stage.journal.lastAt() > goneAt && replaced() && (await areRecorded(stage, claims));
    },
    { timeoutMs: patienceMs, intervalMs: 25 },
  );
  return Date.now();
}
