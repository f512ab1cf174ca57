import { type Database, isState, type Settings, type StateMeaning, stateOf } from '@comanda/db';
import type { Outcome } from '../metrics/checks.ts';

export type { Outcome };

/** The worst of some outcomes. */
export function worst(outcomes: readonly Outcome[]): Outcome {
  const order: readonly Outcome[] = ['wrong', 'unknown', 'warning'];
  return order.find((outcome) => outcomes.includes(outcome)) ?? 'ok';
}

/** The finding of a check, in a sentence for a person. */
export interface Finding {
  outcome: Outcome;
  found: string;
  /** The advice for a person, in place of that of the check. */
  advice?: string;
}

/** The thresholds from which a finding is reported. */
export interface Thresholds {
  relayLagSeconds: { warning: number; wrong: number };
  /** A due delivery that no worker handles for this long is stuck. */
  stuckSeconds: number;
  /** Attempts in a row without a success that make an endpoint a failing one. */
  failingAttempts: number;
  clockSkewMs: { warning: number; wrong: number };
  /** Share of the connections that may be used. */
  connections: { warning: number; wrong: number };
  /** Free share of the disk, and free bytes. */
  disk: { warning: number; wrong: number };
  /** A lock that is held for longer holds others up. */
  lockSeconds: number;
  idleInTransactionSeconds: number;
  activeSeconds: number;
  /** A transaction that changed something and stays open for longer makes readers of changes repeat themselves. */
  openWriterSeconds: number;
  deadRows: number;
  /** How long a worker that lives may take for a job that asks nothing of it. */
  probeSeconds: number;
  /** For how long locations are gone through, one after the other. */
  invariantSeconds: number;
  /** So long after the last job that was due on a timer its next is late. */
  cronMinutes: number;
  /** A move to another cell whose step takes longer waits for a person. */
  moveSeconds: number;
  /** The log that an unread slot may keep. */
  slotBytes: number;
  /** Transaction ids that are taken since the oldest row that is not frozen; at 2^31 the server stops. */
  transactionAge: { warning: number; wrong: number };
}

/** The data that a check may read. */
export interface DoctorContext {
  settings: Settings;
  database: Database;
  thresholds: Thresholds;
}

/** One check: what it is called, what it means, and what to do when it does not come out well. */
export interface Check {
  name: string;
  means: string;
  advice: string;
  run(context: DoctorContext): Promise<Finding>;
}

export const ok = (found: string): Finding => ({ outcome: 'ok', found });
export const warning = (found: string): Finding => ({ outcome: 'warning', found });
export const unknown = (found: string): Finding => ({ outcome: 'unknown', found });
export const wrong = (found: string): Finding => ({ outcome: 'wrong', found });

/** The finding for a figure that is worse the larger it is. */
export function judge(figure: number, limits: { warning: number; wrong: number }, found: string): Finding {
  if (figure > limits.wrong) return wrong(found);
  return figure > limits.warning ? warning(found) : ok(found);
}

/** `95 s`, `12 min`, `3 h`, `4 days`. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** `1 delivery`, `2 deliveries`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/**
 * The advice where something could not be checked, or was refused: by its SQLSTATE, from any statement. Undefined where
 * that says nothing of its own.
 */
export function adviceBy(error: unknown): string | undefined {
  const [state, advice] = states.find(([known]) => isState(error, known)) ?? [];
  return state && `SQLSTATE ${stateOf(state)}: ${advice}`;
}

const states: readonly [StateMeaning, string][] = [
  [
    'diskFull',
    'a disk of the database server is full. Free some of it, or enlarge it; look at pg_wal, at the archive and replication slots that keep it, and at the log of the server. Writes succeed again by themselves once there is room.',
  ],
  [
    'noConnectionLeft',
    'the server has no connection left. End sessions that are not needed (pg_stat_activity, as a superuser, for whom some are kept), raise max_connections, or run fewer processes or a pooler.',
  ],
  ['starting', 'the server starts, stops or recovers. Wait for it; its log says how far it is.'],
];

/** The finding of an error: what was tried, and why it failed. */
export function failed(outcome: Exclude<Outcome, 'ok'>, what: string, error: unknown): Finding {
  const advice = adviceBy(error);
  return { outcome, found: `${what}: ${reasonOf(error)}`, ...(advice !== undefined && { advice }) };
}

/** The message of any thrown error. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
