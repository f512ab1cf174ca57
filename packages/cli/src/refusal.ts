import { CommandError } from '@comanda/api/src/command-error.ts';
import { toApiError } from '@comanda/api/src/errors.ts';
import type { ErrorCode } from '@comanda/api/src/reasons.ts';
import { means, refusalSentence, SettingsError, sqlState } from '@comanda/db';

/** The code and the message of a failure. A row that the database refuses is a conflict, in a sentence for a person. */
export function spokenRefusal(error: unknown): { code: ErrorCode; message: string } {
  const said = refusal(error);
  const state = error instanceof CommandError ? undefined : sqlState(error);
  const message = state === undefined ? undefined : refusalSentence(state);
  if (state === undefined || message === undefined) return said;
  if (means(state.code, 'guarded')) return { ...said, message };
  // The operator chose the role: the database's own message names the right that the role lacks.
  if (said.code !== 'internal_error' || means(state.code, 'notGranted')) return said;
  return { code: means(state.code, 'constraint', 'data') ? 'conflict' : said.code, message };
}

function refusal(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof SettingsError) return { code: 'invalid_request', message: error.message };
  if (error instanceof CommandError) return error;
  const { reason, errorCode: code, message } = toApiError(error);
  if (reason !== 'internal') return { code, message };
  return { code, message: error instanceof Error ? error.message : String(error) };
}
