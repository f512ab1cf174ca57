import { again, type Database, isId, type Queryable, repeat, type Transaction } from '@comanda/db';
import { type AuditActor, auditAs } from '../../call/audit.ts';
import { conflict, notFound } from '../../errors.ts';
import { importLocation, importUnderWay, type ReadTable, refuseMisfit } from './import.store.ts';
import * as sql from './move.statements.ts';
import { deleteLocation } from './removal.store.ts';
import { type Named, rememberMoved, setLocationStatus } from './status.store.ts';
import type { Manifest } from './whole.schema.ts';
import * as whole from './whole.statements.ts';

/** Where a location goes: the database of that cell, as its owner. */
export interface Destination {
  cell: string;
  database: Database;
  /** The keys of ENCRYPTION_KEY there. */
  keyIds: readonly string[];
}

const byCommand = (locationId: string): AuditActor => ({ kind: 'command_line', locationId });

/** The move of a location that is under way or done, as the database that it leaves knows it. */
export async function findMove(database: Queryable, id: string): Promise<sql.MoveRow | undefined> {
  if (!isId(id)) throw notFound('Location');
  const [found] = await database.run(sql.findMove, [id]);
  return found;
}

/** Does `work` while no other command moves the location. Throws `conflict` when another one does. */
export const movingAlone = <Result>(database: Database, id: string, work: () => Promise<Result>) =>
  alone(database, `comanda locations move ${id}`, 'Another command moves this location.', work);

/**
 * Does `work` while no other command moves a location into that cell: imports are one at a time. Throws `conflict` when
 * another one does, or an import is under way there.
 */
export function arrivingAlone<Result>(
  { database, cell }: Destination,
  work: () => Promise<Result>,
): Promise<Result> {
  const refusal = `Another location is moving to cell ${cell}; one at a time.`;
  return alone(database, 'comanda locations arrive', refusal, async () => {
    // The server may take a moment to see that a command was killed.
    const until = performance.now() + 3_000;
    const isFree = await repeat(async () => {
      const [lock] = await database.run(whole.isImportFree, []);
      return lock?.free === true || performance.now() > until ? lock?.free === true : again(100);
    });
    if (!isFree) throw importUnderWay();
    return work();
  });
}

/** Does `work` while a session of its own holds the lock of that name. Throws `conflict` when another one does. */
function alone<Result>(
  database: Database,
  name: string,
  refusal: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return database.session(async (own) => {
    const [lock] = await own.run(sql.lockMove, [name]);
    if (lock?.taken !== true) throw conflict('guarded', refusal);
    try {
      return await work();
    } finally {
      await own.run(sql.unlockMove, [name]).catch(() => {});
    }
  });
}

/**
 * Remembers that an active location moves; it stays active. Throws `conflict` when it is not active, is there already, or would not
 * fit there: nothing has changed then.
 */
export async function beginMove(
  source: Database,
  target: Destination,
  id: string,
  folder: string,
): Promise<void> {
  const [leaving] = await source.run(whole.describeExport, [id]);
  if (leaving === undefined) throw notFound('Location');
  const { code, name, migration, checksum, encryption_keys } = leaving;
  const export_ = { location: { id, code, name }, schema: { migration, checksum }, encryption_keys };
  await refuseMisfit(target.database, export_, target.keyIds);
  await source.transaction(undefined, async (tx) => {
    await holdActive(tx, id);
    await tx.run(sql.insertMove, [id, target.cell, folder]);
  });
}

/** Refuses writes at the location from now on: its copy follows no more. Throws `conflict` when it is not active. */
export async function refuseWrites(
  source: Database,
  { cell }: Destination,
  id: string,
  seconds: Record<string, number>,
): Promise<void> {
  await source.transaction(undefined, async (tx) => {
    await holdActive(tx, id);
    await advanceMove(tx, id, ['follow', 'drain'], { seconds });
    await tx.run(sql.setStatus, [id, 'read_only']);
    await tx.run(sql.noteRefused, [id]);
    auditAs(tx, byCommand(id), 'locations.move', id, {
      before: { status: 'active' },
      after: { status: 'read_only', cell },
    });
  });
}

/** Holds the location until the transaction ends. Throws `conflict` when it is not active. */
async function holdActive(tx: Transaction, id: string): Promise<void> {
  const [held] = await tx.run(sql.holdLocation, [id]);
  if (held === undefined) throw notFound('Location');
  if (held.status !== 'active')
    throw conflict('guarded', `Only an active location moves; this one is ${held.status}.`);
}

/** Writes down that a step is done. Throws `conflict` when that is not what came next. */
export async function advanceMove(
  database: Queryable,
  id: string,
  [done, next]: readonly [sql.MoveStep, sql.MoveStep],
  { seconds = {}, exportedAt }: { seconds?: Record<string, number>; exportedAt?: string | undefined } = {},
): Promise<void> {
  const [moved] = await database.run(sql.advanceMove, [
    id,
    done,
    next,
    JSON.stringify(seconds),
    exportedAt ?? null,
  ]);
  if (moved === undefined) throw conflict('guarded', 'Another command went on with this move, or ended it.');
}

/** Brings the first export into the other cell, where its copy follows; a copy that an earlier try left there is taken as it is. */
export async function receiveLocation(
  { database, cell, keyIds }: Destination,
  manifest: Manifest,
  read: ReadTable,
  log: (line: string) => void,
): Promise<void> {
  const { location, exported_at } = manifest;
  const isThere = async () => (await database.run(sql.findCopy, [location.id, exported_at])).length > 0;
  if (await isThere()) return log(`cell ${cell} has it already`);
  await importLocation(database, manifest, read, { keyIds, log, arrivingAt: cell }).catch(
    async (error: unknown) => {
      // The connection of an earlier try was cut while it committed.
      if (!(await isThere())) throw error;
    },
  );
}

/** The changes made here since the export, which the copy does not have: empty, or a sentence. */
export async function leftBehind(
  source: Queryable,
  { database }: Destination,
  id: string,
  exportedAt: string,
): Promise<string | undefined> {
  const [[here], [there]] = await Promise.all([
    source.run(sql.standing, [id, exportedAt]),
    database.run(sql.standing, [id, exportedAt]),
  ]);
  const entries = (here?.entries ?? 0) - (there?.entries ?? 0);
  if (here?.captured === false && here.events === there?.events && entries === 0) return undefined;
  return `the location was changed here after its export, by hand or from the command line (${entries} more entries in its audit): the copy does not have that`;
}

/** Whether the copy answers reads, so that callers may be led to it. Throws `conflict` when the copy was enabled. */
export async function isCopyOpen(
  { database, cell }: Destination,
  id: string,
  exportedAt: string | null,
): Promise<boolean> {
  if (exportedAt === null) return false;
  const [copy] = await database.run(sql.findCopy, [id, exportedAt]);
  if (copy?.status === 'active') throw ledAway(cell);
  return copy?.status === 'read_only';
}

/** Takes the location up in the other cell. */
export async function enableCopy({ database }: Destination, id: string): Promise<void> {
  await database.run(sql.removeArrival, [id]);
  await setLocationStatus(database, id, 'active');
}

/** Lets the copy answer reads; nothing is written, sent or done there. */
export async function openCopyForReads({ database }: Destination, id: string): Promise<void> {
  await database.run(sql.setStatus, [id, 'read_only']);
}

/**
 * Gives the location up for good: in one transaction its keys answer that callers come again, and the step is done.
 * Returns the changes made here since the export.
 */
export function leaveLocation(
  source: Database,
  target: Destination,
  location: Named,
  { exportedAt, seconds }: { exportedAt: string; seconds: Record<string, number> },
): Promise<string | undefined> {
  const { id } = location;
  const { cell } = target;
  return source.transaction(undefined, async (tx) => {
    await tx.run(sql.holdLocation, [id]);
    const changed = await leftBehind(tx, target, id, exportedAt);
    await advanceMove(tx, id, ['map', 'enable'], { seconds });
    await tx.run(sql.setStatus, [id, 'disabled']);
    await rememberMoved(tx, location, cell);
    auditAs(tx, byCommand(id), 'locations.move', id, {
      before: { status: 'read_only' },
      after: { status: 'disabled', moved_to: cell },
    });
    return changed;
  });
}

/**
 * Takes a move back: the location is active here again, and what came of it to the other cell is deleted there. Cut off
 * it is begun again by the same call. `isLedBack` says that no caller is led to the copy any more. Throws `conflict`
 * where one may be, once the location was given up, and when the copy was enabled.
 */
export async function abortMove(
  source: Database,
  to: Destination,
  id: string,
  { step, exportedAt }: sql.MoveRow,
  { log, isLedBack }: { log: (line: string) => void; isLedBack: boolean },
): Promise<void> {
  if (step === 'enable' || step === 'done') throw givenUp(to.cell);
  const copy = exportedAt === null ? undefined : await closeCopy(to, id, exportedAt, isLedBack);
  if (step !== 'abort')
    await source.transaction(undefined, async (tx) => {
      await tx.run(sql.holdLocation, [id]);
      await advanceMove(tx, id, [step, 'abort']);
      // While it is copied, its status is its own.
      if (step === 'copy' || step === 'load' || step === 'follow') return;
      await tx.run(sql.setStatus, [id, 'active']);
      auditAs(tx, byCommand(id), 'locations.move', id, {
        before: { status: 'read_only', cell: to.cell },
        after: { status: 'active' },
      });
    });
  log('the move is taken back: the location is here as before');
  if (copy !== undefined) await deleteLocation(to.database, id, { confirm: copy.name, log });
  await source.run(sql.removeMove, [id]);
}

/** From then on the copy cannot be enabled; nothing when there is none. */
function closeCopy({ database, cell }: Destination, id: string, exportedAt: string, isLedBack: boolean) {
  return database.transaction(undefined, async (tx) => {
    // An import that was cut off has ended, one way or the other.
    await tx.run(whole.awaitImport, []);
    await tx.run(sql.holdLocation, [id]);
    const [copy] = await tx.run(sql.findCopy, [id, exportedAt]);
    if (copy?.status === 'active' || (copy?.status === 'read_only' && !isLedBack)) throw ledAway(cell);
    if (copy === undefined) return undefined;
    await tx.run(sql.removeArrival, [id]);
    await tx.run(sql.setStatus, [id, 'deleting']);
    return copy;
  });
}

const ledAway = (cell: string) =>
  conflict(
    'guarded',
    `Callers may be led to cell ${cell} already. Lead them back by --abort with --map and --reload; or load the map that --abort with --map writes, and then say --abort --continue.`,
  );

const givenUp = (cell: string) =>
  conflict(
    'guarded',
    `Callers are led to cell ${cell} already: go on with the move, and move the location back then.`,
  );
