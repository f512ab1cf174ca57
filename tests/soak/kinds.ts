import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../support/chance.ts';
import { childrenOf, gone, signalTo } from './process-tree.ts';
import type { Stage } from './stage.ts';
import type { StartRun } from './start-run.ts';
import { type Claim, claimsOf, findWork, type Work } from './work.ts';

/** The failures that callers may meet while it lasts. */
export type Consequence = 'connection refused' | 'no answer' | '503';

/** A way in which something goes away. */
export interface Kind {
  id: string;
  name: string;
  consequences: readonly Consequence[];
  /** Makes up its mind whom it strikes. */
  aim(stage: Stage, chance: Chance): Target;
}

/** The target. */
export interface Target {
  /** Calls that it would interrupt, as of now. */
  calls(): number;
  claims(): Promise<Claim[]>;
  /** Whether that is work that makes the kill count. */
  enough(work: Work): boolean;
  /** Resolves once it is gone; to what it had in hand then, where that is known better. */
  strike(): Promise<Claim[] | undefined>;
  /** Brings back what no supervisor brings back. */
  repair?(): Promise<void>;
  /** APIs that are away with it, and must serve again. */
  addresses: string[];
  /** Whether deliveries go on by themselves after it: what was in hand is made again. */
  delivers: boolean;
  /** The supervisor that sees a child die of it. */
  supervisor?: StartRun;
  /** The child that must have a successor. */
  child?: { bundle: 'api' | 'worker'; pid: number };
}

const awayMs = 20_000;
const drainPatienceMs = 40_000;
/** Anything that a process had sent before it was stopped is carried out by then. */
const settleMs = 60;
const mostFreezes = 10;

const anyCall = ({ calls }: Work) => calls > 0;
const anyClaim = ({ claims }: Work) => claims.length > 0;
const both = (work: Work) => anyCall(work) && anyClaim(work);
const no = async () => [];

/** Every kind. */
export const kinds: readonly Kind[] = [
  {
    ...{ id: 'api', name: 'API killed (-9)', consequences: ['connection refused', 'no answer'] },
    aim: (stage, chance) => api(stage, chance.pick(stage.runs), 'SIGKILL'),
  },
  {
    ...{ id: 'worker', name: 'worker killed (-9)', consequences: [] },
    aim: (stage, chance) => worker(stage, chance.pick(stage.runs), 'SIGKILL'),
  },
  {
    ...{ id: 'postgres', name: 'PostgreSQL killed (-9)', consequences: ['503'] },
    aim: (stage) => postgres(stage, 'SIGKILL'),
  },
  {
    ...{ id: 'postgres-stop', name: 'PostgreSQL stopped', consequences: ['503'] },
    aim: (stage) => postgres(stage, 'SIGINT'),
  },
  {
    ...{ id: 'api-stop', name: 'API asked to stop (SIGTERM)', consequences: ['connection refused'] },
    aim: (stage, chance) => api(stage, chance.pick(stage.runs), 'SIGTERM'),
  },
  {
    ...{ id: 'worker-stop', name: 'worker asked to stop (SIGTERM)', consequences: [] },
    aim: (stage, chance) => worker(stage, chance.pick(stage.runs), 'SIGTERM'),
  },
  {
    ...{ id: 'second', name: 'second npm start killed (-9)', consequences: ['connection refused'] },
    aim: (stage) => run(stage, stage.runs[1], 'kill'),
  },
  {
    id: 'first',
    name: 'first npm start, with the database, killed (-9)',
    consequences: ['connection refused', '503'],
    aim: (stage) => run(stage, stage.runs[0], 'kill'),
  },
  {
    id: 'first-stop',
    name: 'first npm start, with the database, stopped and started',
    consequences: ['connection refused', '503'],
    aim: (stage) => run(stage, stage.runs[0], 'stop'),
  },
  {
    ...{ id: 'consumer', name: 'consumer killed (-9), away for 20 s', consequences: [] },
    aim: consumer,
  },
];

function childOf(run: StartRun, bundle: 'api' | 'worker'): number {
  const pid = run.child(bundle);
  if (pid === undefined) throw new Error(`${run.name} has no ${bundle}`);
  return pid;
}

function api({ traffic }: Stage, run: StartRun, signal: 'SIGKILL' | 'SIGTERM'): Target {
  const pid = childOf(run, 'api');
  return {
    ...{ calls: () => traffic.inFlight(run.url), claims: no, enough: anyCall },
    async strike() {
      signalTo(pid, signal);
      await gone([pid], drainPatienceMs);
      return undefined;
    },
    ...{ addresses: [run.url], delivers: false, supervisor: run, child: { bundle: 'api', pid } },
  };
}

function worker(stage: Stage, run: StartRun, signal: 'SIGKILL' | 'SIGTERM'): Target {
  const pid = childOf(run, 'worker');
  return {
    ...{ calls: () => 0, claims: () => claimsOf(stage, pid), enough: anyClaim },
    async strike() {
      if (signal === 'SIGTERM') {
        signalTo(pid, signal);
        await gone([pid], drainPatienceMs);
        return undefined;
      }
      const claims = await freezeAtWork(stage, pid);
      signalTo(pid, signal);
      await gone([pid], drainPatienceMs);
      return claims;
    },
    ...{ addresses: [], delivers: true, supervisor: run, child: { bundle: 'worker', pid } },
  };
}

/**
 * Stops the worker where it has deliveries in hand: as it is stopped, the deliveries found are those that die with
 * it.
 */
async function freezeAtWork(stage: Stage, pid: number): Promise<Claim[]> {
  for (let tries = 1; ; tries += 1) {
    signalTo(pid, 'SIGSTOP');
    await sleep(settleMs);
    const claims = await claimsOf(stage, pid);
    if (claims.length > 0 || tries === mostFreezes) return claims;
    // Its deliveries had ended before it was stopped.
    signalTo(pid, 'SIGCONT');
    await findWork(
      () => 0,
      () => claimsOf(stage, pid),
      anyClaim,
    );
  }
}

function postgres(stage: Stage, signal: 'SIGKILL' | 'SIGINT'): Target {
  return {
    ...everything(stage),
    async strike() {
      const postmaster = stage.postmaster();
      if (postmaster === undefined) throw new Error('there is no PostgreSQL to strike');
      const all = [postmaster, ...childrenOf(postmaster)];
      // SIGINT is its fast stop. Killed, its processes must die too: they would serve on for a moment.
      for (const pid of signal === 'SIGKILL' ? all : [postmaster]) signalTo(pid, signal);
      await gone(all, drainPatienceMs);
      return undefined;
    },
  };
}

function run(stage: Stage, struck: StartRun, how: 'kill' | 'stop'): Target {
  const alone = struck === stage.runs[1];
  const pid = childOf(struck, 'worker');
  return {
    ...everything(stage),
    ...(alone && {
      calls: () => stage.traffic.inFlight(struck.url),
      claims: () => claimsOf(stage, pid),
      addresses: [struck.url],
    }),
    async strike() {
      await struck[how]();
      return undefined;
    },
    repair: () => struck.start(),
  };
}

function consumer(stage: Stage): Target {
  return {
    ...{ calls: () => 0, claims: () => claimsOf(stage), enough: anyClaim },
    async strike() {
      await stage.consumer.kill();
      return undefined;
    },
    async repair() {
      await sleep(awayMs);
      await stage.consumer.start();
    },
    ...{ addresses: [], delivers: true },
  };
}

const everything = (stage: Stage) => ({
  calls: () => stage.traffic.inFlight(),
  claims: () => claimsOf(stage),
  enough: both,
  addresses: stage.runs.map(({ url }) => url),
  delivers: true,
});
