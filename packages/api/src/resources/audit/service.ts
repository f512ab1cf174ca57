import { isId, means, refusalSentence, sqlState } from '@comanda/db';
import { type Answer, nextOf } from '../../call/answer.ts';
import { audit } from '../../call/audit.ts';
import type { CallContext } from '../../call/context.ts';
import { inTransaction } from '../../call/writing.ts';
import { conflict, notFound } from '../../errors.ts';
import { grants } from '../../permissions.ts';
import type { Page } from '../../wire.ts';
import { askedFor } from './asked.statements.ts';
import { isUndoneByKey, mayBeUndone } from './rules.ts';
import type { AuditEntry, AuditListEntry, AuditListHere, AuditUndo, AuditUndoRequest } from './schema.ts';
import * as sql from './statements.ts';
import { entryOf, undoIn } from './store.ts';

/** Lists what was done at the location of the key, newest first; what went by cascade as `comanda audit` does. */
export async function list(
  ctx: CallContext,
  { limit, offset, since, table, by, about }: AuditListHere,
): Promise<Answer<Page<AuditListEntry>>> {
  const values = [ctx.caller.locationId, limit, since ?? null, table ?? null, by ?? null, about ?? null];
  const asked = askedFor({ table, by, row: about });
  const { database } = ctx.app;
  const rows = await database.run(sql.listEntriesHere(asked), [...values, offset]);
  const counted = await database.run(sql.countEntriesHere(asked), values);
  const mayUndo = grants(ctx.caller.granted, 'audit:undo');
  const data = rows.map(entryOf).map(
    (entry): AuditListEntry => ({
      ...entry,
      ...(mayUndo && mayBeUndone(entry) && { can_undo: true }),
    }),
  );
  const total = counted[0]?.total ?? 0;
  const isCut = data.length > 0 && data.length < Math.min(limit, total - offset);
  const pagination = { limit: isCut ? data.length : limit, offset, total };
  return { value: { data, pagination }, ...nextOf(pagination) };
}

/**
 * Undoes a manual edit at the location of the key, through the guards of manual edits, and records its author. Throws
 * `resource_not_found`, and `conflict` for what cannot be undone, a guard does not let pass, or keys do not undo: edits
 * of keys, and what needs a deed.
 */
export async function undo(ctx: CallContext, { id, dry_run }: AuditUndoRequest): Promise<Answer<AuditUndo>> {
  const { locationId, keyName } = ctx.caller;
  let written: AuditEntry[] = [];
  const takenBack = new Error('taken back');
  try {
    return await inTransaction(ctx, async (tx) => {
      const [entry] = isId(id) ? await tx.run(sql.findEntryHere, [locationId, id]) : [];
      if (entry === undefined) throw notFound('Audit entry');
      if (!isUndoneByKey(entry.table)) throw conflict('guarded', `Edits of ${entry.table} are ${elsewhere}.`);
      written = await undoIn(tx, id, keyName);
      if (dry_run) throw takenBack;
      const rows = written.reduce((sum, { row_count = 0 }) => sum + row_count, 0);
      audit(tx, ctx, 'audit.undo', id, { before: null, after: { table: entry.table, rows } });
      return { value: { dry_run, entries: written } };
    });
  } catch (error) {
    if (error === takenBack) return { value: { dry_run, entries: written } };
    const state = sqlState(error);
    if (state === undefined) throw error;
    if (means(state.code, 'notGranted')) throw conflict('guarded', `This is ${elsewhere}.`);
    const sentence = refusalSentence(state);
    // Another row has the name, or hangs on what would go; or a rule is younger than the edit.
    if (means(state.code, 'constraint') && state.table !== 'audit_entries')
      throw conflict('guarded', `A later change is in the way: ${sentence ?? state.message}.`);
    if (means(state.code, 'guarded') && sentence !== undefined) throw conflict('guarded', sentence);
    throw error;
  }
}

const elsewhere = 'undone at the command line alone: comanda audit undo';
