import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '@comanda/db';
import { joinReads } from '../joined-reads.ts';
import { type LogPosition, readIdentity, readReplayed, readWritten } from './statements.ts';
import { unsuitable } from './suitability.ts';

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
   * The same, after making sure that it is a standby of this database at all.
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
  let timeline: string | undefined;
  const waiting = new Set<Waiting>();
  let looking = false;
  const askWritten = joinReads(
    async () => new Map((await primary.run(readWritten, [])).map((row) => ['', row] as const)),
    () => '',
  );

  async function written(): Promise<{ position: LogPosition; timeline: string }> {
    const row = await askWritten(undefined).catch((cause: unknown) => {
      throw new SentBackError('unsure', 'the primary does not say how far it is', { cause });
    });
    if (row === undefined) throw new SentBackError('unsure', 'the primary does not say how far it is');
    return row;
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
    for (let pauseMs = 1; waiting.size > 0; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const asked = [...waiting];
      try {
        const [row] = await replica.run(readReplayed, []);
        if (row?.standby !== true)
          throw new SentBackError('unsuitable', 'it is no standby, or no longer one');
        for (const { position, resolve } of asked) if ((row.position ?? -1) >= position) resolve();
      } catch (error) {
        const told = error instanceof SentBackError ? error : unreachable(error);
        for (const { reject } of asked) reject(told);
      }
      if (waiting.size > 0 && [...waiting].every((entry) => asked.includes(entry))) await sleep(pauseMs);
    }
    looking = false;
  }

  return {
    async reached() {
      const now = await written();
      if (now.timeline !== timeline)
        throw new SentBackError('unsuitable', 'the primary is another server now');
      await replayed(now.position);
    },
    async verify() {
      const [[mine], [its]] = await Promise.all([
        primary.run(readIdentity, []).catch((cause: unknown) => {
          throw new SentBackError('unsure', 'the primary does not answer', { cause });
        }),
        replica.run(readIdentity, []).catch((error: unknown) => {
          throw unreachable(error);
        }),
      ]);
      const fault = mine === undefined || its === undefined ? 'it says nothing' : unsuitable(its, mine);
      if (fault !== undefined) throw new SentBackError('unsuitable', fault);
      timeline = mine?.timeline;
      await replayed((await written()).position);
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
