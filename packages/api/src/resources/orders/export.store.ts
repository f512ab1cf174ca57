import { cancelOnce, type Database, type Leaving, UnwantedError } from '@comanda/db';
import {
  declareCursor,
  exportSettings,
  fetchSome,
  measureRange,
  type RangeRow,
  readPiece,
} from './export.statements.ts';

/** The orders of a range of days as of one moment, read some hundred at a time, fewer where they are large. */
export interface OrderCursor {
  /** That moment, in the time of the location. */
  exportedAt: string;
  /** How many orders the range holds. */
  total: number;
  /** Begins to read: `limit` orders (null: all of them) after the first `offset`, oldest first. */
  begin(limit: number | null, offset: number): Promise<void>;
  /** The JSON texts of the next orders; none at the end. */
  next(): Promise<string[]>;
  /** Ends the query and gives the connection back; may be called again. */
  close(): Promise<void>;
}

/**
 * Opens one snapshot over the orders of a location, both days included. It holds a connection until it is closed,
 * which the opener must see to. Once `left` is gone, what it reads is canceled, and `UnwantedError` is thrown.
 */
export async function openOrderCursor(
  { pool }: Pick<Database, 'pool'>,
  locationId: string,
  { from, to }: { from: string; to: string },
  left?: Leaving,
): Promise<OrderCursor> {
  const client = await pool.connect();
  let open = true;
  const settled = left && cancelOnce(left, client);
  const asking = async <Result>(query: () => Promise<Result>): Promise<Result> => {
    if (left?.isGone) throw new UnwantedError();
    return query().catch((error: unknown) => {
      throw left?.isGone ? new UnwantedError() : error;
    });
  };
  async function close(): Promise<void> {
    if (!open) return;
    open = false;
    await settled?.();
    const broken = await client.query('rollback').then(
      () => undefined,
      (error: Error) => error,
    );
    client.release(broken);
  }
  try {
    await asking(() => client.query('begin isolation level repeatable read read only'));
    // However long the caller takes to read; and rows in the order of the index, so that the first come at once.
    await asking(() => client.query(exportSettings));
    const { rows } = await asking(() => client.query<RangeRow>(measureRange, [locationId, from, to]));
    const { exported_at: exportedAt = '', total = 0 } = rows[0] ?? {};
    /** Those that are found and not yet read. */
    let ids: string[] = [];
    return {
      exportedAt,
      total,
      async begin(limit, offset) {
        await asking(() => client.query(declareCursor, [locationId, from, to, limit, offset]));
      },
      async next() {
        for (;;) {
          if (ids.length === 0) {
            const { rows } = await asking(() => client.query<{ id: string }>(fetchSome));
            ids = rows.map(({ id }) => id);
            if (ids.length === 0) return [];
          }
          const { rows } = await asking(() =>
            client.query<{ doc: string | null }>(readPiece, [locationId, ids]),
          );
          // Taken out of pg's answer: young collections keep answers, and all texts with them (docs/bench/export-memory.md).
          const found = rows.splice(0);
          // As in lists, an order whose payment was taken away by hand does not show.
          const docs = found.flatMap(({ doc }) => doc ?? []);
          ids = ids.slice(found.length);
          if (docs.length > 0) return docs;
        }
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
