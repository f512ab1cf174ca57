import { isReadOnly, type Queryable } from '@comanda/db';
import { readiness } from './statements.ts';

/** What a look at the database found. */
export interface Readiness {
  /** `read-only`: it answers and does not let us write, as a standby. */
  database: 'ok' | 'read-only' | 'unreachable';
  /** Whether a worker beats; unknown while the database cannot be asked. */
  worker: 'ok' | 'silent' | 'unknown';
}

/** How long an answer is told again, and how long the database may take, in milliseconds. */
const freshMs = 250;
const patienceMs = 2_000;

/**
 * Asks the database whether requests can be served. However many ask, one question is on its way at a time;
 * while it has no answer for 2 s the database counts as unreachable.
 */
export function createReadiness(database: Queryable): () => Promise<Readiness> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answered = true;
  let answer: Promise<Readiness> = Promise.resolve(unreachable);

  const ask = async (): Promise<Readiness> => {
    try {
      const [row] = await database.run(readiness, []);
      return { database: 'ok', worker: row?.worker === true ? 'ok' : 'silent' };
    } catch (error) {
      return isReadOnly(error) ? { database: 'read-only', worker: 'unknown' } : unreachable;
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
    return answered ? answer : within(answer, patienceMs - (now - askedAt));
  };
}

const unreachable: Readiness = { database: 'unreachable', worker: 'unknown' };

function within(answer: Promise<Readiness>, ms: number): Promise<Readiness> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(unreachable), Math.max(0, ms));
    void answer.then((found) => {
      clearTimeout(timer);
      resolve(found);
    });
  });
}
