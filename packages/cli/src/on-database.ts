import { CommandError } from '@comanda/api/src/command-error.ts';
import { openDatabase, readSettings } from '@comanda/db';
import { databaseUrlOf } from '@comanda/embedded/database-url';
import type { DatabaseWork, Options } from './command.ts';

/**
 * Does work on the database of the settings, and gives its value.
 * @throws {CommandError} none runs, and none is set; else what the work throws.
 */
export async function onDatabase(
  work: DatabaseWork,
  environment: NodeJS.ProcessEnv,
  options: Options,
  positionals: string[],
): Promise<unknown> {
  const settings = readSettings(environment);
  const databaseUrl = await databaseUrlOf(settings, work.as ?? 'service');
  if (databaseUrl === null) {
    throw new CommandError(
      'invalid_request',
      'no database is running; start it with npm start, or set DATABASE_URL',
    );
  }
  const database = openDatabase({
    url: databaseUrl,
    poolSize: 2,
    applicationName: 'comanda-cli',
    unnamed: true,
  });
  try {
    return await work.run({ database, databaseUrl, settings }, options, positionals);
  } finally {
    await database.close();
  }
}
