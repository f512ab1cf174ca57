import {
  again,
  belongings,
  type Database,
  isId,
  olderStatementsEnd,
  olderTransactionsEnd,
  ownRow,
  repeat,
  type Transaction,
} from '@comanda/db';
import { notFound, unavailable } from '../../errors.ts';
import type { ExportedTable, Manifest } from './whole.schema.ts';
import * as sql from './whole.statements.ts';

/** Takes the rows of a table, a line each, some at a time; says what it made of them. */
export type WriteTable = (
  file: string,
  lines: AsyncIterable<string[]>,
) => Promise<Pick<ExportedTable, 'rows' | 'bytes' | 'sha256'>>;

const patienceMs = 60_000;
const aboutBytes = 1024 * 1024;

/**
 * Reads all rows of a location as of one moment, and gives them to `write` table by table. For a location that is not
 * active it first waits until work under way there has ended: requests, publishing, attempts to deliver. Throws
 * `resource_not_found`, and 503 when that does not end.
 */
export async function exportLocation(
  database: Database,
  id: string,
  write: WriteTable,
  log: (line: string) => void,
): Promise<Manifest> {
  await comeToRest(database, id, log);
  return database.transaction(undefined, async (tx) => {
    await tx.run(sql.beginSnapshot, []);
    await tx.run(sql.exportSettings, []);
    const [found] = await tx.run(sql.describeExport, [id]);
    if (found === undefined) throw notFound('Location');
    const tables: ExportedTable[] = [];
    for (const each of [ownRow, ...belongings]) {
      const { file } = each;
      await tx.run(sql.declareRows(each), [id]);
      const written = await write(file, linesOf(rowsOf(tx)));
      await tx.run(sql.closeRows, []);
      tables.push({ table: each.table, file, ...written });
      if (written.rows > 0) log(`${each.table}: ${written.rows} rows`);
    }
    return { ...manifestOf(found), tables };
  });
}

/** The manifest of an export, without its files. */
export const manifestOf = ({ id, code, name, migration, checksum, ...rest }: sql.Described) => ({
  format: 1 as const,
  location: { id, code, name },
  schema: { migration, checksum },
  ...rest,
});

/** The rows of the cursor that is open, some at a time, of about a MiB, since one may hold eight. */
export async function* rowsOf<Row extends { line: string }>(tx: Transaction): AsyncGenerator<Row[]> {
  for (let most = 1; ; ) {
    const found = await tx.run(sql.fetchRows<Row>(most), []);
    if (found.length === 0) return;
    const bytes = found.reduce((sum, { line }) => sum + line.length, 0);
    most = Math.min(most * 4, 2_000, Math.max(1, Math.floor((aboutBytes * found.length) / bytes)));
    yield found;
  }
}

async function* linesOf(rows: AsyncIterable<{ line: string }[]>): AsyncGenerator<string[]> {
  for await (const some of rows) yield some.splice(0).map(({ line }) => line);
}

/**
 * Waits until work under way at a location that is not active has ended: requests, transactions, publishing, attempts
 * to deliver. Throws `resource_not_found`, and 503 when that does not end.
 */
export async function comeToRest(database: Database, id: string, log: (line: string) => void): Promise<void> {
  if (!isId(id)) throw notFound('Location');
  const look = async () => {
    const [found] = await database.run(sql.unrest, [id]);
    if (found === undefined) throw notFound('Location');
    return found;
  };
  const { status } = await look();
  if (status === 'active') return;
  // A call that comes later, or from a process that has not heard of the status, is refused by the database itself
  // (`refuse_unless_active`): what has looked at the status before is all that can still write.
  log('waiting for transactions and deliveries that are under way');
  const rests =
    (await olderStatementsEnd(database, patienceMs)) &&
    (await olderTransactionsEnd(database, patienceMs)) &&
    (await isDone(look));
  if (!rests)
    throw unavailable(
      'temporarily_unavailable',
      'The location still has work under way; is a worker running?',
    );
}

/** Whether within the time what was captured is published, and no delivery is under way. */
function isDone(look: () => Promise<{ captured: boolean; claimed: boolean }>): Promise<boolean> {
  const until = performance.now() + patienceMs;
  return repeat(async () => {
    const { captured, claimed } = await look();
    if (!captured && !claimed) return true;
    return performance.now() > until ? false : again(50);
  });
}
