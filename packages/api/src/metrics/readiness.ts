import { type Database, diskFullAt, isState, type Queryable } from '@comanda/db';
import { beyondMemory, littleMemory, publishingState, readiness } from './statements.ts';

/**
 * The state of a connection to the database. `read-only`: it answers and refuses every write, as a standby does;
 * `disk-full`: it answers, and its disk has no room for what is written.
 */
export type DatabaseState = 'ok' | 'read-only' | 'disk-full' | 'unreachable';

/** The result of a look at the database. */
export interface Readiness {
  /** By the way that requests take: through the pooler, where there is one. */
  database: DatabaseState;
  /** Past the pooler, where there is one. Requests are served without it; metrics and notifications are not. */
  direct?: DatabaseState;
  /** Whether a worker beats; unknown while the database cannot be asked. */
  worker: 'ok' | 'silent' | 'unknown';
  /** Absent while the database cannot be asked. */
  publishing?: Publishing;
}

/** Whether changes become events. */
export interface Publishing {
  /** `stalled`: changes wait, and none has been published for a minute. Requests are served anyway. */
  state: 'ok' | 'stalled';
  /** Changes that cannot be published, counted up to `countedAtMost`. */
  setAside: number;
}

/** The state of publishing as the bodies of `/readyz` have it. */
export const publishingFields = (publishing: Publishing | undefined) =>
  publishing && { publishing: publishing.state, changes_set_aside: publishing.setAside };

/** Where the database is asked. */
export interface ReadinessPaths {
  /** The way that requests take, over connections apart from theirs: however busy they are, it answers. */
  health: Database;
  /**
   * The pools that work is done with: what these were refused counts. The first is asked in place of `health` when the server has no
   * connection left for that.
   */
  pools: readonly [Database, ...Database[]];
  /** Past the pooler, where `health` goes through one. */
  direct?: Database;
}

/** How long an answer is reused, and how long the database may take, in milliseconds. */
const freshMs = 250;
/** How long the state of publishing is reused, which changes by the minute. */
const publishingFreshMs = 5_000;
const patienceMs = 2_000;
/** Shorter, so that its silence is part of the answer. */
const directMs = 1_500;

/** A write that found no room counts for as long as a caller is asked to wait; then the disk is tried. */
const diskFullMs = 5_000;

/**
 * Asks the database whether requests can be served. However many ask, one question is on its way at a time;
 * while it has no answer for 2 s the database counts as unreachable.
 */
export function createReadiness({ health, pools, direct }: ReadinessPaths): () => Promise<Readiness> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answered = true;
  let answer: Promise<Readiness> = Promise.resolve(unreachable);
  let roomAt = Number.NEGATIVE_INFINITY;
  let publishingAt = Number.NEGATIVE_INFINITY;
  let published: Publishing | undefined;

  const askRequests = async (): Promise<Readiness> => {
    try {
      const [row] = await health.run(readiness, []).catch((error: unknown) => {
        if (!isState(error, 'noConnectionLeft')) throw error;
        return pools[0].run(readiness, []);
      });
      const found = await publishing();
      return {
        database: await room(),
        worker: row?.worker === true ? 'ok' : 'silent',
        ...(found && { publishing: found }),
      };
    } catch (error) {
      return { database: stateBy(error), worker: 'unknown' };
    }
  };
  const publishing = async (): Promise<Publishing | undefined> => {
    const now = performance.now();
    if (now - publishingAt < publishingFreshMs) return published;
    const [row] = await health.run(publishingState, []).catch(() => []);
    published = row && { state: row.stalled ? 'stalled' : 'ok', setAside: row.setAside };
    publishingAt = now;
    return published;
  };
  // A page with room takes a write although the disk is full: so only who was refused knows, and is asked first.
  const room = async (): Promise<DatabaseState> => {
    const refusedAt = Math.max(...pools.map(({ pool }) => diskFullAt(pool)));
    if (refusedAt <= roomAt) return 'ok';
    const now = performance.now();
    if (now - refusedAt < diskFullMs) return 'disk-full';
    const call = { statement: littleMemory, values: [] };
    await health.transaction(call, (tx) => tx.run(beyondMemory, []));
    roomAt = now;
    return 'ok';
  };
  const ask = async (): Promise<Readiness> => {
    const past = direct && within(stateOf(direct), directMs, 'unreachable' as const);
    try {
      const found = await askRequests();
      return past === undefined ? found : { ...found, direct: await past };
    } finally {
      answered = true;
    }
  };
  return () => {
    const now = performance.now();
    if (answered && now - askedAt >= freshMs) {
      askedAt = now;
      answered = false;
      answer = ask();
    }
    const silent: Readiness = direct === undefined ? unreachable : { ...unreachable, direct: 'unreachable' };
    return answered ? answer : within(answer, patienceMs - (now - askedAt), silent);
  };
}

const unreachable: Readiness = { database: 'unreachable', worker: 'unknown' };

const stateOf = (database: Queryable): Promise<DatabaseState> =>
  database.run(readiness, []).then(() => 'ok', stateBy);

function stateBy(error: unknown): DatabaseState {
  if (isState(error, 'readOnly')) return 'read-only';
  return isState(error, 'diskFull') ? 'disk-full' : 'unreachable';
}

function within<Found>(answer: Promise<Found>, ms: number, otherwise: Found): Promise<Found> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(otherwise), Math.max(0, ms));
    void answer.then((found) => {
      clearTimeout(timer);
      resolve(found);
    });
  });
}
