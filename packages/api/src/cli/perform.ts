import { openSqlDatabase, readSettings, SettingsError } from '@comanda/db';
import { CommandError } from '../command-error.ts';
import { toApiError } from '../errors.ts';
import type { ErrorCode } from '../reasons.ts';
import { operator } from '../request/audit.ts';
import type { Options, Work } from './command.ts';
import { databaseUrlOf } from './database-url.ts';
import { type Lines, table } from './rows.ts';
import { statedName } from './stated-name.ts';

/** What a command was called with. */
export interface Call {
  options: Options;
  positionals: string[];
  /** Whether the value is printed as JSON. */
  json: boolean;
}

/** Does the work of a command, on the database unless it works alone; gives what is printed and whether it failed. */
export async function perform(work: Work, call: Call): Promise<{ lines: Lines; failed: boolean }> {
  const name = statedName(call.options, process.env);
  return name === undefined ? run(work, call) : operator.run(name, () => run(work, call));
}

async function run(work: Work, { options, positionals, json }: Call): ReturnType<typeof perform> {
  const told = (value: unknown) => ({
    lines: json ? [JSON.stringify(value)] : (work.show ?? table)(value),
    failed: work.isFailure?.(value) === true,
  });
  if (work.runAlone !== undefined) return told(await work.runAlone(process.env, options, positionals));
  const settings = readSettings(process.env);
  const databaseUrl = await databaseUrlOf(settings, work.as ?? 'service');
  if (databaseUrl === null) {
    throw new CommandError(
      'invalid_request',
      'no database is running; start it with npm start, or set DATABASE_URL',
    );
  }
  const database = openSqlDatabase({
    url: databaseUrl,
    poolSize: 2,
    applicationName: 'comanda-cli',
    unnamed: true,
  });
  try {
    return told(await work.run({ database, databaseUrl, settings }, options, positionals));
  } finally {
    await database.close();
  }
}

/** What is said of a failure. */
export function refusal(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof SettingsError) return { code: 'invalid_request', message: error.message };
  if (error instanceof CommandError) return error;
  const { reason, errorCode: code, message } = toApiError(error);
  if (reason !== 'internal') return { code, message };
  return { code, message: error instanceof Error ? error.message : String(error) };
}
