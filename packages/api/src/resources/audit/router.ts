import { operation, router } from '../../request/operation.ts';
import { AuditListHere, AuditPage, AuditUndo, AuditUndoRequest } from './schema.ts';
import * as auditEntries from './service.ts';

/** Contract: internal procedures; typed client only. */
export const auditRouter = router({
  list: operation({
    permission: 'audit:read',
    summary: 'List the audit',
    description:
      'Newest first: what internal procedures, the command line and hands in the database changed at the location. Each ' +
      'entry says by whom, with the values before and after. With `about`, `table` or `by` the changes of programs ' +
      'to the catalog are shown as well.',
  })
    .input(AuditListHere)
    .output(AuditPage)
    .query(({ ctx, input }) => auditEntries.list(ctx, input)),

  undo: operation({
    permission: 'audit:undo',
    summary: 'Undo what was changed by hand',
    description:
      'Writes the values before again, through the guards of manual edits. What a later change depends on, what needs ' +
      'a deed and edits of keys are a conflict.',
    errors: ['resource_not_found', 'conflict'],
  })
    .input(AuditUndoRequest)
    .output(AuditUndo)
    .mutation(({ ctx, input }) => auditEntries.undo(ctx, input)),
});
