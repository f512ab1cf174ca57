import type { ErrorCode } from './reasons.ts';

/** What the command line refuses; it has codes, but no status and no reason. */
export class CommandError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
