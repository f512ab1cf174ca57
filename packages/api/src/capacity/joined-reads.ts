import type { Queryable, Statement } from '@comanda/db';
import { bounds, noSlot } from './bounds.ts';

/**
 * A kind of read that is done together for all callers at once. It holds no state: `JoinedReads` keeps the waiting
 * callers.
 */
export interface JoinedRead<Key, Value> {
  /** Answers what there is, by the text of its key. */
  read(database: Queryable, keys: Key[]): Promise<ReadonlyMap<string, Value>>;
  textOf(key: Key): string;
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

/** Reads that callers of one process join: each kind of them holds one connection at most, however many ask. */
export class JoinedReads {
  readonly #database: Queryable;
  readonly #readers = new Map<JoinedRead<unknown, unknown>, Reader>();

  /** Creates them; nothing is asked. */
  constructor(database: Queryable) {
    this.#database = database;
  }

  /** Reads one key; undefined when there is no such. Throws 503 while a read of the kind does not finish. */
  read<Key, Value>(what: JoinedRead<Key, Value>, key: Key): Promise<Value | undefined> {
    let reader = this.#readers.get(what);
    if (reader === undefined) {
      reader = new Reader(what, this.#database);
      this.#readers.set(what, reader);
    }
    return reader.read(key) as Promise<Value | undefined>;
  }
}

/** A key, and those who asked for it. */
interface Asked {
  text: string;
  key: unknown;
  callers: { resolve(value: unknown): void; reject(error: unknown): void }[];
}

/**
 * Joins reads of single rows into reads of many: at most one is under way, and callers that ask meanwhile are answered
 * by the next. That one starts after they asked, so every caller sees what was committed before its request, as alone.
 * Under load this divides the cost of a query by the number of waiting callers; a lone caller does not wait.
 */
class Reader {
  readonly #what: JoinedRead<unknown, unknown>;
  readonly #database: Queryable;
  /** By the text of their keys. */
  #waiting = new Map<string, Asked>();
  #readingSince: number | undefined;

  constructor(what: JoinedRead<unknown, unknown>, database: Queryable) {
    this.#what = what;
    this.#database = database;
  }

  read(key: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const since = this.#readingSince;
      if (since !== undefined && performance.now() - since > bounds.slots.stuckMs) throw noSlot();
      this.#ask({ text: this.#what.textOf(key), key, callers: [{ resolve, reject }] });
      if (since === undefined) void this.#readAll();
    });
  }

  #ask(asked: Asked): void {
    const known = this.#waiting.get(asked.text);
    if (known === undefined) this.#waiting.set(asked.text, asked);
    else known.callers = known.callers.concat(asked.callers);
  }

  async #readAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      this.#readingSince = performance.now();
      const asked = [...this.#waiting.values()];
      const batch = asked.slice(0, bounds.joined.reads);
      this.#waiting = new Map();
      try {
        const keys = batch.map(({ key }) => key);
        const found = await this.#what.read(this.#database, keys);
        for (const { text, callers } of batch) for (const { resolve } of callers) resolve(found.get(text));
        for (const later of asked.slice(batch.length)) this.#ask(later);
      } catch (error) {
        for (const { callers } of asked) for (const { reject } of callers) reject(error);
      }
    }
    this.#readingSince = undefined;
  }
}
