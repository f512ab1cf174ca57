import { type ErrorCode, type ReadReason, type ReasonRow, readReasons, statusOf } from '../reasons.ts';

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
export const reasonsBehind = (code: ErrorCode): ReadReason[] =>
  (Object.entries<ReasonRow>(readReasons) as [ReadReason, ReasonRow][]).flatMap(([name, row]) =>
    row.code === code ? [name] : [],
  );

/** A reason as Markdown: its name as a heading, which is its anchor, what happened, and what to do. */
export function reasonText(name: ReadReason, heading: string): string {
  const { code, meaning, todo }: ReasonRow = readReasons[name];
  return `${heading} ${name}\n\nCode \`${code}\`, status ${statusOf(name)}.\n\n${meaning}\n\n**What to do:** ${todo}`;
}
