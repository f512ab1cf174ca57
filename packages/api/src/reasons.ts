import { type ErrorCode, errorCodes } from './error-codes.ts';
import { accessReasons } from './reasons/access.ts';
import { conflictReasons } from './reasons/conflicts.ts';
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

/** The reasons that lie behind a code. */
export type ReasonOf<Code extends ErrorCode> = {
  [Name in Reason]: (typeof reasons)[Name]['code'] extends Code ? Name : never;
}[Reason];

/** The HTTP status that a reason leaves with. */
export function statusOf(reason: Reason): number {
  const { code, status }: ReasonRow = reasons[reason];
  return status ?? errorCodes[code].status;
}

/** The reasons that leave with an HTTP status. */
export const reasonsOf = (status: number): Reason[] =>
  (Object.keys(reasons) as Reason[]).filter((reason) => statusOf(reason) === status);
