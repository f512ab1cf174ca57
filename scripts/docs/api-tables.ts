import type { Operation } from '../../packages/api/src/call/operations.ts';
import { operationId } from '../../packages/api/src/documents/names.ts';
import { kebab, table } from '../../packages/api/src/documents/site/markdown.ts';
import { permissions } from '../../packages/api/src/permissions.ts';
import { type ErrorCode, errorCodes } from '../../packages/api/src/reasons.ts';
import { events } from '../../packages/api/src/resources/events/types.schema.ts';
import { type SpecifiedOperation, specification } from '../../packages/api/src/specification.ts';

/** The promises of an operation at its paths. */
export function promisesOf({
  meta,
  routes,
  isList: list,
  listsChanges: changes,
}: Operation): SpecifiedOperation[] {
  const { permission, status = 200, idempotent = false, batch = false } = meta;
  const errors = (['resource_not_found', 'conflict'] as const).filter((code) => meta.errors?.includes(code));
  return routes.map(({ method, path }) => ({
    route: `${method} ${path}` as SpecifiedOperation['route'],
    permission,
    status,
    list,
    idempotent,
    batch,
    changes,
    errors,
  }));
}

/** `docs/api.md`: every operation, permission, error and event as tables, from the tables that the code runs on. */
export function apiTables(operations: readonly Operation[]): string {
  const places = new Map(specification.map(({ route }, index) => [route, index]));
  const place = ({ route }: SpecifiedOperation) => places.get(route) ?? specification.length;
  const rows = operations
    .flatMap((operation) =>
      promisesOf(operation).map((row) => ({ ...row, anchor: kebab(operationId(operation)) })),
    )
    .sort((one, other) => place(one) - place(other));
  return [
    '# The API in tables',
    'Made by `npm run docs`; do not edit. The whole documents are served at `/openapi-v1.json`, `/openapi-v2.json` and `/docs`.',
    '## Operations',
    `Every operation can also answer ${codes(everywhere)}. An operation that writes takes an \`Idempotency-Key\`, which is optional unless ` +
      'the table says it, and answers `conflict` when the key came with another body. Every operation takes `Prefer: handling=strict`.',
    '### v1',
    operationTable(rows, '/v1/'),
    '### v2',
    operationTable(rows, '/v2/'),
    '<a id="v2-events-watch"></a>`GET /v2/events/stream` (`events:read`) sends the events of the feed as server-sent events.',
    '## Permissions',
    'A key may also hold `resource:*` or `*`.',
    table(
      ['Permission', 'Lets a key', 'Operations'],
      Object.entries(permissions).map(([name, meaning]) => [
        `\`${name}\``,
        meaning,
        operationsWith(rows, name),
      ]),
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
    'Each code has reasons, which [errors.md](errors.md) explains one by one.',
    '## Events',
    '`data` is named after its schema in the v2 document. A key sees a type with its permission, and `events:read` for the feed and its stream.',
    table(
      ['Type', 'Group', 'Sent when', 'Permission', '`data`'],
      Object.entries(events).map(([type, { category, trigger, permission, data }]) => [
        `\`${type}\``,
        category,
        trigger,
        `\`${permission}\``,
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

function operationTable(all: readonly (SpecifiedOperation & { anchor: string })[], family: string): string {
  const rows = all.filter(({ route }) => route.includes(` ${family}`));
  return table(
    ['Operation', 'Permission', 'Status', 'Errors', 'Limits and headers'],
    rows.map((row) => [
      `<a id="${family.slice(1, -1)}-${row.anchor}"></a>\`${row.route}\``,
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

function operationsWith(all: readonly SpecifiedOperation[], permission: string): string {
  const rows = all.filter((row) => row.permission === permission);
  return rows.length === 0 ? 'typed client only' : rows.map(({ route }) => `\`${route}\``).join('<br>');
}

const codes = (list: readonly ErrorCode[]): string => list.map((code) => `\`${code}\``).join(', ');
