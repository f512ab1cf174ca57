import type { Queryable, Statement } from '@comanda/db';
import { bulkheadLimits } from './bulkhead-limits.ts';
import { noPlace } from './no-place.ts';

/**
 * A kind of read that is done together for all callers at once. It holds no state: `JoinedReads` keeps the waiting
 * callers.
 */
export interface JoinedRead<Key, Value> {
  /** Answers what there is, by the text of its key. */
  read(database: Queryable, keys: Key[]): Promise<ReadonlyMap<string, Value>>;
  textOf(key: Key): string;
}

/** Reads that callers of one process join: each kind of them holds one connection at most, however many ask. */
export interface JoinedReads {
  /** Reads one key; undefined when there is no such. Throws 503 while a read of the kind does not finish. */
  read<Key, Value>(what: JoinedRead<Key, Value>, key: Key): Promise<Value | undefined>;
}

/** Makes them; the queue is empty. */
export function createJoinedReads(database: Queryable): JoinedReads {
  const readers = new Map<unknown, unknown>();
  return {
    read<Key, Value>(what: JoinedRead<Key, Value>, key: Key) {
      let ask = readers.get(what) as Ask<Key, Value> | undefined;
      if (ask === undefined) {
        ask = joinReads((keys) => what.read(database, keys), what.textOf);
        readers.set(what, ask);
      }
      return ask(key);
    },
  };
}

type Ask<Key, Value> = (key: Key) => Promise<Value | undefined>;

/**
 * Joins reads of single rows into reads of many: at most one is under way, and callers that ask meanwhile are answered
 * by the next. That one starts after they asked, so every caller sees what was committed before its request, as alone.
 * `read` answers what it found, by the text of its key; a key that is not among it is answered with undefined. An error
 * that `read` throws reaches all callers that waited for it. While a read does not finish for `stuckMs`, reads are
 * refused with 503.
 *
 * Under load this divides the cost of a query by the number of waiting callers; a lone caller does not wait.
 */
export function joinReads<Key, Value>(
  read: (keys: Key[]) => Promise<ReadonlyMap<string, Value>>,
  textOf: (key: Key) => string,
  stuckMs = bulkheadLimits.stuckMs,
): Ask<Key, Value> {
  let waiting: Waiting<Key, Value> = new Map();
  let readingSince: number | undefined;

  async function readAll(): Promise<void> {
    while (waiting.size > 0) {
      readingSince = performance.now();
      const asked = waiting;
      waiting = new Map();
      try {
        const found = await read([...asked.values()].slice(0, mostAtOnce).map(({ key }) => key));
        let taken = 0;
        for (const [text, entry] of asked) {
          if (taken++ < mostAtOnce) for (const { resolve } of entry.callers) resolve(found.get(text));
          else putBack(text, entry);
        }
      } catch (error) {
        for (const { callers } of asked.values()) for (const { reject } of callers) reject(error);
      }
    }
    readingSince = undefined;
  }

  function putBack(text: string, entry: Asked<Key, Value>): void {
    const later = waiting.get(text);
    if (later === undefined) waiting.set(text, entry);
    else later.callers = later.callers.concat(entry.callers);
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (readingSince !== undefined && performance.now() - readingSince > stuckMs) throw noPlace();
      putBack(textOf(key), { key, callers: [{ resolve, reject }] });
      if (readingSince === undefined) void readAll();
    });
}

/** A row that a joined read answers: of which location, and of which id. */
export interface JoinedRow {
  location_id: string;
  id: string;
}

/**
 * Single rows by location and id. The statement takes $1 the locations and $2 the ids, as many of each, and returns a
 * row for each pair that exists.
 */
export function rowsById<Row extends JoinedRow>(statement: Statement<Row>): JoinedRead<JoinedRow, Row> {
  const textOf = ({ location_id, id }: JoinedRow) => location_id + id.toLowerCase();
  return {
    textOf,
    async read(database, keys) {
      const values = [keys.map(({ location_id }) => location_id), keys.map(({ id }) => id)];
      const rows = await database.run(statement, values);
      return new Map(rows.map((row) => [textOf(row), row]));
    },
  };
}

const mostAtOnce = 100;

type Waiting<Key, Value> = Map<string, Asked<Key, Value>>;

interface Asked<Key, Value> {
  key: Key;
  callers: { resolve(value: Value | undefined): void; reject(error: unknown): void }[];
}
