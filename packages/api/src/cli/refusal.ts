import { means, refusalSentence, sqlState } from '@comanda/db';
import { CommandError } from '../command-error.ts';
import type { ErrorCode } from '../reasons.ts';
import { refusal } from './perform.ts';

/** What is said of a failure. A row that the database does not take is a conflict, in a sentence for a person. */
export function spokenRefusal(error: unknown): { code: ErrorCode; message: string } {
  const said = refusal(error);
  const state = error instanceof CommandError ? undefined : sqlState(error);
  const message = state === undefined ? undefined : refusalSentence(state);
  if (state === undefined || message === undefined) return said;
  if (means(state.code, 'guarded')) return { ...said, message };
  // Whoever runs commands chose the role: the database's own message says what that lacks.
  if (said.code !== 'internal_error' || means(state.code, 'notGranted')) return said;
  return { code: means(state.code, 'constraint', 'data') ? 'conflict' : said.code, message };
}
