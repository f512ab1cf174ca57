import { operation, router } from '../../call/operation.ts';
import { AuditListHere, AuditPage, AuditUndo, AuditUndoRequest } from './schema.ts';
import * as auditEntries from './service.ts';

/** Contract: internal procedures; typed client only. */
export const auditRouter = router({
  list: operation({
    permission: 'audit:read',
    summary: 'List the audit',
    description:
      'Newest first: changes of the location by internal procedures, at the command line and by hand in the database. Each ' +
      'entry names its author, with the values before and after. With `about`, `table` or `by` the changes of programs ' +
      'to the catalog are shown as well.',
  })
    .input(AuditListHere)
    .output(AuditPage)
    .query(({ ctx, input }) => auditEntries.list(ctx, input)),

  undo: operation({
    permission: 'audit:undo',
    summary: 'Undo what was changed by hand',
    description:
      'Writes the values before again, through the guards of manual edits. A value that a later change depends on, an ' +
      'edit that needs a deed, and an edit of a key are a conflict.',
    errors: ['resource_not_found', 'conflict'],
  })
    .input(AuditUndoRequest)
    .output(AuditUndo)
    .mutation(({ ctx, input }) => auditEntries.undo(ctx, input)),
});
