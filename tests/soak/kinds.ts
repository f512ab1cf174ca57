import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../support/chance.ts';
import { childrenOf, signalTo } from './process-tree.ts';
import type { Stage } from './stage.ts';

/** A way in which something goes away. */
export interface Kind {
  name: string;
  /** The work that it must interrupt: calls, deliveries, or both. */
  meets: readonly ('calls' | 'deliveries')[];
  /** Whether a supervisor sees a child die of it. */
  childDies?: boolean;
  /** Does it, and brings back what no supervisor brings back. */
  strike(stage: Stage, chance: Chance): Promise<void>;
}

const child =
  (bundle: 'api' | 'worker', signal: NodeJS.Signals): Kind['strike'] =>
  async ({ starts }, chance) => {
    const start = chance.pick(starts);
    const pid = start.child(bundle);
    if (pid === 0) throw new Error(`the ${start.name} has no ${bundle}`);
    await signalTo([pid], signal);
  };

const server =
  (signal: 'SIGKILL' | 'SIGINT'): Kind['strike'] =>
  async ({ postmaster }) => {
    const main = postmaster();
    const all = [main, ...childrenOf(main)];
    // SIGINT is its fast stop. Killed, its processes must die too: they would serve on for a moment.
    await signalTo(signal === 'SIGKILL' ? all : [main], signal, all);
  };

const start =
  (which: 0 | 1, signal: 'SIGKILL' | 'SIGTERM'): Kind['strike'] =>
  async ({ starts }) => {
    await starts[which].end(signal);
    await starts[which].begin();
  };

/** Every kind. */
export const kinds: readonly Kind[] = [
  { name: 'API killed (-9)', meets: ['calls'], childDies: true, strike: child('api', 'SIGKILL') },
  { name: 'API asked to stop', meets: ['calls'], childDies: true, strike: child('api', 'SIGTERM') },
  { name: 'worker killed (-9)', meets: ['deliveries'], childDies: true, strike: child('worker', 'SIGKILL') },
  {
    name: 'worker asked to stop',
    meets: ['deliveries'],
    childDies: true,
    strike: child('worker', 'SIGTERM'),
  },
  { name: 'PostgreSQL killed (-9)', meets: ['calls', 'deliveries'], strike: server('SIGKILL') },
  { name: 'PostgreSQL stopped', meets: ['calls', 'deliveries'], strike: server('SIGINT') },
  { name: 'second npm start killed (-9)', meets: ['calls'], strike: start(1, 'SIGKILL') },
  { name: 'first npm start, with the database, killed (-9)', meets: ['calls'], strike: start(0, 'SIGKILL') },
  { name: 'first npm start, with the database, stopped', meets: ['calls'], strike: start(0, 'SIGTERM') },
  {
    name: 'consumer without a success for 20 s',
    meets: ['deliveries'],
    async strike({ consumer }) {
      consumer.behave(() => ({ status: 503 }));
      await sleep(20_000);
      consumer.behave(manners);
    },
  },
];

/** The consumer takes its time, fails now and then, and refuses a few events for good. */
export const manners: Parameters<Stage['consumer']['behave']>[0] = ({ eventId, arrivals }) => {
  const lot = lotOf(eventId);
  const fails = isRefused(eventId) || (arrivals.length === 1 && lot % 50 === 1);
  return { afterMs: lot % 10 < 4 ? 20 + (lot % 280) : 0, status: fails ? 500 : 204 };
};

/** One event in 500: its delivery must end as dead. */
export const isRefused = (eventId: string): boolean => lotOf(eventId) % 500 === 2;

const lotOf = (eventId: string) => Number.parseInt(eventId.slice(-7), 16);
