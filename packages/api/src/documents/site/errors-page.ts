import type { oas31 } from 'zod-openapi';
import {
  type ErrorCode,
  errorCodes,
  type ReadReason,
  type ReasonRow,
  readReasons,
  statusOf,
} from '../../reasons.ts';
import type { Documented } from './documented.ts';
import { prose, table } from './markdown.ts';

/** `/docs/errors`: how to read a refusal, and one section for each code and each reason behind it, whose anchors are their names. */
export function errorsPage(operations: readonly Documented[]): string {
  const [any] = operations;
  const shared = sharedErrors(operations);
  return [
    '# Errors',
    'Every error has the same body. `code` is for your program, `message` for a person, `request_id` for a search in our logs.',
    '```json\n{"error": {"code": "validation_error", "message": "items[0].quantity: must be more than 0", "request_id": "01935a3e-7c1f"}}\n```',
    'The header `X-Error-Reason` says more than the code, and `Link` leads to its section on this page. New reasons may join: treat ' +
      'one that you do not know as its code. Never decide by the message: it may change.',
    'Decide by the status first, then by `code`, then by the reason:',
    '| Status | Do |\n| --- | --- |\n' +
      '| 408, 429, 500, 502, 503, 504, or no answer at all | Send the same request again, with the same `Idempotency-Key`. Wait as `Retry-After` says; without it 1, 2, 4, 8 s and so on, at most a minute. |\n' +
      '| any other 4xx, 501 | The same request will fail again. Fix it, or show it to a person. |',
    'A write without an `Idempotency-Key` may have been done although you saw no answer: give every write one. ' +
      '[Orders and safe repeats](guides/orders.md) says how.',
    '## Errors of every operation',
    'Any call can be answered with these. The page of an operation lists what it answers besides.',
    any === undefined ? '' : errorTable(any, '', (status) => shared.has(status)),
    ...(Object.keys(errorCodes) as ErrorCode[]).flatMap((code) => [
      `## ${code}\n\nStatus ${errorCodes[code].status}: ${prose(errorCodes[code].meaning)}.\n\n${todo[code]}`,
      ...reasonsBehind(code).map((reason) => reasonText(reason, '###')),
    ]),
    '',
  ].join('\n\n');
}

/** The caller's reaction to each. */
const todo: Record<ErrorCode, string> = {
  invalid_request:
    'The request could not be read, so nothing was done. 400: the JSON, the UTF-8 or the percent-encoding is broken, ' +
    '`Host` is not valid, or a header that may be sent once is repeated. ' +
    '405: the path knows other methods; `Allow` names them. 408: the request came too slowly. 413: the body is larger than ' +
    '1 MiB, or 8 MiB on a batch operation. 412, 428: read the resource, and send its tag as `If-Match`. 415: send `Content-Type: application/json`, without content encoding. ' +
    '417: leave `Expect` out. 431: the headers are over 16 KiB. 501: send the body as it is, or chunked.',
  unauthorized: 'One answer for every key that does not work. Ask the operator for a new one.',
  permission_denied: 'The message names what the key lacks. The operator makes a key that has it.',
  resource_not_found:
    'The path, or the id at your location. A resource of another location is not found either. A `by-external-id` ' +
    'path needs the identifier percent-encoded.',
  conflict:
    'The request is well formed and does not fit what is there: an `Idempotency-Key` that came with another body, a ' +
    'status that cannot be reached from the present one, an `external_id` or a `sku` that is taken. The message says which. ' +
    'Read the resource, then decide.',
  validation_error:
    'The message names up to ten fields by their path. An unknown query parameter is one, too, on v2.',
  rate_limited:
    '`Retry-After` says how many seconds to wait; nothing was done and nothing was counted. See [limits](guides/limits.md).',
  internal_error:
    '500 is a fault of the service, 503 means not now. Send the request again with its `Idempotency-Key`. If a 500 stays, send ' +
    'the operator its `request_id`.',
};

/** The statuses of errors that every one of these operations can answer: they are described once. */
export function sharedErrors(operations: readonly Documented[]): ReadonlySet<string> {
  const [first, ...others] = operations.map(({ operation }) => Object.keys(operation.responses ?? {}));
  const shared = (first ?? []).filter((status) => others.every((each) => each.includes(status)));
  return new Set(shared.filter((status) => /^[45]/.test(status)));
}

/**
 * A table of the errors of an operation.
 * @param page where the page of all errors is, seen from the table
 */
export function errorTable(
  { operation, components }: Documented,
  page: string,
  isWanted: (status: string) => boolean,
): string {
  const rows = Object.entries(operation.responses ?? {})
    .filter(([status]) => /^[45]/.test(status) && isWanted(status))
    .map(([status, referred]) => {
      const name = (referred as oas31.ReferenceObject).$ref.replace('#/components/responses/', '');
      const { description = '', content } = (components.responses?.[name] ?? {}) as oas31.ResponseObject;
      const code = content?.['application/json']?.example?.error?.code ?? '';
      return [status, `[\`${code}\`](${page}#${code})`, prose(description)];
    });
  return rows.length === 0 ? '' : table(['Status', 'Code', 'When'], rows);
}

/** `docs/errors.md`: every reason under a heading of its own. */
export function reasonsText(): string {
  const names = Object.keys(readReasons) as ReadReason[];
  return [
    '# Errors',
    'Made by `npm run docs`; do not edit.',
    'Every error carries a reason: in the header `X-Error-Reason`, and in the typed client as `reason`. The code and the message are in the body.',
    'Switch on the code, or on the reason where you want to know more. Never on the message: it is for people and may change.',
    'New reasons may join: treat one that you do not know as its code.',
    'A refusal that names fields also lists their paths in the header `X-Error-Fields`, percent-encoded and separated by a comma and a space: `items%5B0%5D.quantity, channel`. ' +
      'Use it to mark the fields of a form. It holds ten paths and 1 KiB at most; the message has them all. The typed client has paths and messages in `fields`.',
    ...names.map((name) => reasonText(name, '##')),
    '',
  ].join('\n\n');
}

/** The reasons behind a code, in the order of the table. */
const reasonsBehind = (code: ErrorCode): ReadReason[] =>
  (Object.entries<ReasonRow>(readReasons) as [ReadReason, ReasonRow][]).flatMap(([name, row]) =>
    row.code === code ? [name] : [],
  );

/** A reason as Markdown: its name as a heading, which is its anchor, what happened, and what to do. */
function reasonText(name: ReadReason, heading: string): string {
  const { code, meaning, todo }: ReasonRow = readReasons[name];
  return `${heading} ${name}\n\nCode \`${code}\`, status ${statusOf(name)}.\n\n${meaning}\n\n**What to do:** ${todo}`;
}
