import { type ErrorCode, errorCodes } from './error-codes.ts';
import { accessReasons } from './reasons/access.ts';
import { conflictReasons } from './reasons/conflicts.ts';
import { frontReasons } from './reasons/front.ts';
import { httpReasons } from './reasons/http.ts';
import type { ReasonRow } from './reasons/row.ts';
import { valueReasons } from './reasons/values.ts';

export { type ErrorCode, errorCodes, type ReasonRow };

/**
 * Every reason for which a request is refused or fails: `X-Error-Reason` of REST, `reason` of the typed client, an anchor of `/docs/errors`. One is never renamed; new ones may join.
 */
export const reasons = {
  ...httpReasons,
  ...conflictReasons,
  ...valueReasons,
  ...accessReasons,
} as const satisfies Record<string, ReasonRow>;

/** A reason of the table. */
export type Reason = keyof typeof reasons;

/** All that a client may read: those of the service, and those of a server in front of it. */
export const readReasons = { ...reasons, ...frontReasons } as const satisfies Record<string, ReasonRow>;

/** A reason that a client may read. */
export type ReadReason = keyof typeof readReasons;

/** The reasons that lie behind a code. */
export type ReasonOf<Code extends ErrorCode> = {
  [Name in Reason]: (typeof reasons)[Name]['code'] extends Code ? Name : never;
}[Reason];

/** The HTTP status that a reason leaves with. */
export function statusOf(reason: ReadReason): number {
  const { code, status }: ReasonRow = readReasons[reason];
  return status ?? errorCodes[code].status;
}

/** The reasons that leave with an HTTP status. */
export const reasonsOf = (status: number): Reason[] =>
  (Object.keys(reasons) as Reason[]).filter((reason) => statusOf(reason) === status);
