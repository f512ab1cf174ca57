import { AuditList } from '@comanda/api/src/resources/audit/schema.ts';
import * as auditEntries from '@comanda/api/src/resources/audit/store.ts';
import { auditTable, undoTable } from './audit-table.ts';
import type { Work } from './command.ts';
import { number, parse } from './input.ts';

/** `comanda audit` */
export const listAudit: Work = {
  run: ({ database }, { location, limit, ...options }) =>
    auditEntries.list(
      database,
      parse(AuditList, { ...options, location_id: location, limit: number(limit) }),
    ),
  show: auditTable,
};

/** `comanda audit undo` */
export const undoAudit: Work = {
  as: 'owner',
  run: ({ database }, { 'dry-run': dryRun, deed }, [id = '']) =>
    auditEntries.undo(database, id, { dryRun: dryRun !== undefined, deed }),
  show: undoTable,
};
