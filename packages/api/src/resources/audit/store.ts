import { type Database, isId, type Queryable, type Transaction } from '@comanda/db';
import { operator } from '../../call/operator.ts';
import { notFound } from '../../errors.ts';
import { wireTime } from '../../wire.ts';
import { askedFor } from './asked.statements.ts';
import { personOf, undoneBy } from './rules.ts';
import type { AuditEntry, AuditList, AuditUndo } from './schema.ts';
import * as sql from './statements.ts';

/**
 * Lists audit entries of every location, of one author or of one subject, newest first, their times in the zone of
 * the location where the change was made. Rows deleted by cascade are counted with their cause, and shown when their
 * table or id is asked for. Throws `resource_not_found` for an unknown location.
 */
export async function list(database: Database, wanted: AuditList): Promise<AuditEntry[]> {
  const { location_id: location } = wanted;
  const known = location === undefined || (await exists(database, location));
  if (!known && !isId(location)) throw notFound('Location');
  const found = await entries(database, wanted);
  if (!known && found.length === 0) throw notFound('Location');
  return found;
}

/**
 * Undoes a manual edit: the values before are written again as by hand, through the same guards and into the audit;
 * `dryRun` takes it back. `deed` is declared to pass guards. Throws `resource_not_found`, and what the database refuses
 * it with (CM008: it cannot be undone, or a guard does not let it pass).
 */
export async function undo(
  database: Database,
  id: string,
  { dryRun, deed }: { dryRun: boolean; deed: string | undefined },
): Promise<AuditUndo> {
  const [entry] = isId(id) ? await database.run(sql.findEntry, [id]) : [];
  if (entry === undefined) throw notFound('Audit entry');
  let written: AuditEntry[] = [];
  const takenBack = new Error('taken back');
  try {
    await database.transaction(undefined, async (tx) => {
      if (deed !== undefined && deed !== '') await tx.run(sql.declareDeed, [deed]);
      written = await undoIn(tx, id, operator.getStore());
      if (dryRun) throw takenBack;
    });
  } catch (error) {
    if (error !== takenBack) throw error;
  }
  return { dry_run: dryRun, entries: written };
}

/** Undoes an entry in the name of a person or a key, and answers what that has written. */
export async function undoIn(tx: Transaction, id: string, by: string | undefined): Promise<AuditEntry[]> {
  const [session] = await tx.run(sql.nameSession, [undoneBy(by)]);
  await tx.run(sql.undoHandEdit, [id]);
  // By its name the service is known where one role does everything.
  await tx.run(sql.nameSession, [session?.before ?? '']);
  return (await tx.run(sql.listUndone, [id])).map(entryOf);
}

async function entries(
  on: Queryable,
  { location_id, since, table, by, id, limit }: Partial<AuditList>,
): Promise<AuditEntry[]> {
  const values = [location_id, limit, since, table, by, id].map((value) => value ?? null);
  return (await on.run(sql.listEntries(askedFor({ table, by, row: id })), values)).map(entryOf);
}

/** An entry as callers see it. */
export function entryOf(stored: sql.EntryRow): AuditEntry {
  const { timezone, created_at, actor_kind, changes, login, row_names: names, ...row } = stored;
  const present = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
  return {
    ...(present as Pick<AuditEntry, 'id' | 'operation'>),
    created_at: wireTime(created_at, timezone ?? 'UTC'),
    actor: actor_kind,
    ...personOf(stored),
    ...('rows' in changes
      ? { rows: (changes.rows ?? []).map((each, at) => withName(each, names?.[at])) }
      : { changes }),
  };
}

const withName = (row: NonNullable<AuditEntry['rows']>[number], name: string | null | undefined) =>
  name == null ? row : { ...row, name };

async function exists(database: Database, id: string): Promise<boolean> {
  return isId(id) && (await database.run(sql.findLocation, [id])).length > 0;
}
