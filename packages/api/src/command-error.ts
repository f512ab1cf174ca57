import type { ErrorCode } from './reasons.ts';

/** A refusal of the command line; it has a code, but no status and no reason. */
export class CommandError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
