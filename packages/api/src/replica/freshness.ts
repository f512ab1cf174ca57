import { again, type Queryable, repeat, type Statement } from '@comanda/db';
import { joinReads } from '../places/joined-reads.ts';
import {
  type LogPosition,
  readBeat,
  readIdentity,
  readReplayed,
  readWritten,
  showsBeat,
} from './statements.ts';
import { hasOtherHistory, unsuitable } from './suitability.ts';

/** Why the primary answers what the replica might have. */
export const reasons = ['behind', 'unreachable', 'unsuitable', 'interrupted', 'unsure'] as const;
export type Reason = (typeof reasons)[number];

/** The replica cannot answer, for the reason given; `message` says more. */
export class SentBackError extends Error {
  override name = 'SentBackError';
  readonly reason: Reason;
  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Whether a replica shows what the primary has committed. */
export interface Freshness {
  /**
   * Resolves once the replica shows all that was committed when this was called; by whichever process.
   * @throws {SentBackError} when it does not within `patienceMs`.
   */
  reached(): Promise<void>;
  /**
   * The same, after making sure that it is a standby of this database at all, and holds its commits.
   * @throws {SentBackError}
   */
  verify(): Promise<void>;
}

/** How long a replica has to catch up with one read, in milliseconds. */
export const patienceMs = 50;

const longestPauseMs = 4;

/**
 * Asks both servers, each at most one question at a time however many wait: under load that costs next to nothing.
 * `replica` is a connection that no read holds.
 */
export function createFreshness(primary: Queryable, replica: Queryable): Freshness {
  /** Of which servers it is known that one is a standby of the other. */
  let verified: { timeline: string; primary: string; replica: string } | undefined;
  /** The furthest that the replica has said to be. */
  let furthest: LogPosition = 0;
  const waiting = new Set<Waiting>();
  let looking = false;
  const askWritten = joinReads(
    async () => new Map((await primary.run(readWritten, [])).map((row) => ['', row] as const)),
    () => '',
  );

  async function written(): Promise<LogPosition> {
    const known = furthest;
    const row = await askWritten(undefined).catch((cause: unknown) => {
      throw new SentBackError('unsure', 'the primary does not say how far it is', { cause });
    });
    if (row === undefined) throw new SentBackError('unsure', 'the primary does not say how far it is');
    if (row.timeline !== verified?.timeline || row.since !== verified.primary)
      throw new SentBackError('unsuitable', 'the primary is another server now, or was restarted');
    // Asked after the replica: what that had from here was written by then.
    if (row.position < known) throw new SentBackError('unsuitable', hasOtherHistory.ahead);
    return row.position;
  }

  function replayed(position: LogPosition): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        clearTimeout(timer);
        waiting.delete(entry);
        end();
      };
      const entry: Waiting = {
        position,
        resolve: () => settle(resolve),
        reject: (error) => settle(() => reject(error)),
      };
      const timer = setTimeout(() => {
        entry.reject(new SentBackError('behind', `it has not caught up within ${patienceMs} ms`));
      }, patienceMs);
      waiting.add(entry);
      if (!looking) void look();
    });
  }

  // Answers only those who asked before the question was sent.
  async function look(): Promise<void> {
    looking = true;
    let pauseMs = 0.5;
    await repeat(async () => {
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      const asked = [...waiting];
      try {
        const [row] = await replica.run(readReplayed, []);
        if (row?.standby !== true)
          throw new SentBackError('unsuitable', 'it is no standby, or no longer one');
        if (row.since !== verified?.replica)
          throw new SentBackError('unsuitable', 'it is another server now, or was restarted');
        furthest = Math.max(furthest, row.position ?? 0);
        for (const { position, resolve } of asked) if ((row.position ?? -1) >= position) resolve();
      } catch (error) {
        const refusal = error instanceof SentBackError ? error : unreachable(error);
        for (const { reject } of asked) reject(refusal);
      }
      // Logged while no caller waits: the next caller looks by itself.
      looking = waiting.size > 0;
      if (!looking) return undefined;
      return again([...waiting].every((entry) => asked.includes(entry)) ? pauseMs : 0);
    });
  }

  return {
    async reached() {
      await replayed(await written());
    },
    async verify() {
      const onPrimary = <Row>(question: Statement<Row>, values: readonly unknown[] = []) =>
        primary.run(question, values).catch((cause: unknown) => {
          throw new SentBackError('unsure', 'the primary does not answer', { cause });
        });
      const onReplica = <Row>(question: Statement<Row>, values: readonly unknown[] = []) =>
        replica.run(question, values).catch((error: unknown) => {
          throw unreachable(error);
        });
      const [[mine], [its]] = await Promise.all([onPrimary(readIdentity), onReplica(readIdentity)]);
      if (mine === undefined || its === undefined) throw new SentBackError('unsuitable', 'it says nothing');
      const fault = unsuitable(its, mine);
      if (fault !== undefined) throw new SentBackError('unsuitable', fault);
      verified = { timeline: mine.timeline, primary: mine.since, replica: its.since };
      furthest = 0;
      const [beat] = await onPrimary(readBeat);
      if (beat === undefined) throw new SentBackError('unsure', 'no process has said yet that it lives');
      await replayed(await written());
      // Fails when what was replayed is beyond what is written.
      await written();
      const values = [beat.id, beat.seenAt];
      const [found] = await onReplica(showsBeat, values);
      if (found?.shown === true) return;
      const [still] = await onPrimary(showsBeat, values);
      if (still?.shown === true) throw new SentBackError('unsuitable', hasOtherHistory.astray);
      throw new SentBackError('unsure', 'the process with the newest heartbeat has just ended');
    },
  };
}

interface Waiting {
  position: LogPosition;
  resolve(): void;
  reject(error: SentBackError): void;
}

const unreachable = (cause: unknown) =>
  new SentBackError('unreachable', cause instanceof Error ? cause.message : String(cause), { cause });
