import type { AuditEntry } from '../resources/audit/schema.ts';

/** Audit entries for a person: when, who, by which request, what, of which resource, what changed; one a line. */
export function auditTable(value: unknown): string {
  const entries = value as AuditEntry[];
  if (entries.length === 0) return 'none';
  const rows = [head, ...entries.map(cells)].map((row) => row.map(printable));
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const head = ['TIME', 'WHO', 'KEY', 'REQUEST', 'OPERATION', 'RESOURCE', 'CHANGES'];

function cells(entry: AuditEntry): string[] {
  const who = entry.actor === 'command_line' ? 'command line' : `key "${entry.key_name ?? '(deleted)'}"`;
  const { before, after } = entry.changes;
  return [
    entry.created_at,
    who,
    entry.api_key_id ?? '-',
    entry.request_id ?? '-',
    entry.operation,
    entry.resource_id ?? '-',
    Object.keys({ ...before, ...after })
      .map((field) => change(field, before?.[field], after?.[field]))
      .join(', '),
  ];
}

function change(field: string, before: unknown, after: unknown): string {
  const was = before === undefined || before === null ? '' : `${JSON.stringify(before)} → `;
  return `${field}: ${was}${after === undefined ? '(removed)' : JSON.stringify(after)}`;
}

// Names come from callers: what would move the cursor is shown as its code.
const printable = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Bidi_Control}]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
