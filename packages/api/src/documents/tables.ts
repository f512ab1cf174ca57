import { type ErrorCode, errorCodes } from '../errors.ts';
import { events } from '../events.ts';
import { permissions } from '../permissions.ts';
import { comingNext, type SpecifiedOperation, specification } from '../specification.ts';

/** `docs/api.md`: every operation, permission, error and event as tables, from the tables that the code runs on. */
export function apiTables(): string {
  return [
    '# The API in tables',
    'Made by `npm run docs`; do not edit. The whole documents are served at `/openapi-v1.json`, `/openapi-v2.json` and `/docs`.',
    '## Operations',
    `Every operation can also answer ${codes(everywhere)}. What writes takes an \`Idempotency-Key\`, which is optional unless ` +
      'the table says it, and answers `conflict` when the key came with another body.',
    '### v1',
    operationTable('/v1/'),
    '### v2',
    operationTable('/v2/'),
    '## Permissions',
    'A key may also hold `resource:*` or `*`.',
    table(
      ['Permission', 'Lets a key', 'Operations'],
      Object.entries(permissions).map(([name, meaning]) => [`\`${name}\``, meaning, operationsWith(name)]),
    ),
    '## Errors',
    table(
      ['Code', 'HTTP status', 'Meaning'],
      Object.entries(errorCodes).map(([code, { status, meaning }]) => [
        `\`${code}\``,
        String(status),
        meaning,
      ]),
    ),
    '## Events',
    '`data` is named after its schema in the v2 document.',
    table(
      ['Type', 'Group', 'Sent when', '`data`'],
      Object.entries(events).map(([type, { category, trigger, data }]) => [
        `\`${type}\``,
        category,
        trigger,
        `\`${data.meta()?.id}\``,
      ]),
    ),
    '',
  ].join('\n\n');
}

const everywhere: ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'permission_denied',
  'validation_error',
  'rate_limited',
  'internal_error',
];

function operationTable(family: string): string {
  const rows = specification.filter(({ route }) => route.includes(` ${family}`));
  return table(
    ['Operation', 'Permission', 'Status', 'Errors', 'Limits and headers'],
    rows.map((row) => [
      `\`${row.route}\`${comingNext.includes(row.route) ? ' (coming)' : ''}`,
      row.permission === null ? 'any key' : `\`${row.permission}\``,
      `${row.status}${row.list ? ' list' : ''}`,
      codes(row.errors),
      traits(row),
    ]),
  );
}

function traits({ idempotent, batch, changes, status }: SpecifiedOperation): string {
  const found = [
    idempotent && '`Idempotency-Key`',
    batch && 'batch',
    changes && '`Link`',
    status === 201 && '`Location`',
  ];
  return found.filter((trait) => trait !== false).join(', ');
}

function operationsWith(permission: string): string {
  const rows = specification.filter((row) => row.permission === permission);
  return rows.length === 0 ? 'typed client only' : rows.map(({ route }) => `\`${route}\``).join('<br>');
}

const codes = (list: readonly ErrorCode[]): string => list.map((code) => `\`${code}\``).join(', ');

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
