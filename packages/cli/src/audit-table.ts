import type { AuditEntry, AuditUndo } from '@comanda/api/src/resources/audit/schema.ts';
import { type Lines, rows } from './rows.ts';

/** Audit entries for a person: time, actor, request, action, resource and changes; one a line. */
export const auditTable = (value: unknown): Lines =>
  rows(value as AuditEntry[], {
    TIME: ({ created_at }) => created_at,
    ENTRY: ({ id }) => id,
    WHO: who,
    KEY: ({ api_key_id }) => api_key_id ?? '-',
    REQUEST: ({ request_id }) => request_id ?? '-',
    OPERATION: ({ operation, table }) => [operation, table].filter(Boolean).join(' '),
    RESOURCE: ({ resource_id }) => resource_id ?? '-',
    NAME: ({ resource_name }) => resource_name ?? '-',
    CHANGES: (entry) => [...changes(entry), ...notes(entry)].join('; '),
  });

/** The changes of an undo, as the audit has them. */
export function undoTable(value: unknown): Lines {
  const { dry_run, entries } = value as AuditUndo;
  return [...auditTable(entries), dry_run ? 'nothing was changed: this was a rehearsal' : 'undone'];
}

// Of a manual edit the first rows are shown; --json has all that are kept.
const rowsShown = 3;

function who({ actor, key_name, role, application, by, by_known }: AuditEntry): string {
  if (actor === 'api_key') return `key "${key_name ?? '(deleted)'}"`;
  const means = actor === 'command_line' ? 'command line' : String(role);
  if (!application) return means;
  return `${means} by ${application}${by !== undefined && by_known === false ? ' (stated)' : ''}`;
}

function changes({ changes, rows: kept = [], row_count = 0, resource_id }: AuditEntry): string[] {
  if (changes !== undefined) return [fields(changes)];
  const shown = kept.slice(0, rowsShown).map(({ key, left_out = [], ...row }) => {
    const named = resource_id === undefined || row_count > 1 ? `${Object.values(key).join(' ')}: ` : '';
    return (
      named + [fields(row), ...left_out.map((column) => `${column}: (not kept)`)].filter(Boolean).join(', ')
    );
  });
  return row_count > shown.length ? [`${row_count} rows`, ...shown, '…'] : shown;
}

function notes({ cascaded = {}, caused_by, deed, undo_of, cannot_undo }: AuditEntry): string[] {
  const went = Object.entries(cascaded).map(([table, rows]) => `${rows} ${table}`);
  return [
    went.length > 0 && `with it went ${went.join(', ')}`,
    caused_by && `went with ${caused_by}`,
    undo_of && `undo of ${undo_of}`,
    deed && `deed ${deed}`,
    cannot_undo && caused_by === undefined && `not undone: ${cannot_undo}`,
  ].filter((note) => typeof note === 'string' && note !== '') as string[];
}

type Fields = Readonly<Record<string, unknown>> | null;

function fields({ before, after }: { before: Fields; after: Fields }): string {
  return Object.keys({ ...before, ...after })
    .map((field) => change(field, before?.[field], after?.[field]))
    .join(', ');
}

function change(field: string, before: unknown, after: unknown): string {
  const was = before === undefined || before === null ? '' : `${JSON.stringify(before)} → `;
  return `${field}: ${was}${after === undefined ? '(removed)' : JSON.stringify(after)}`;
}
