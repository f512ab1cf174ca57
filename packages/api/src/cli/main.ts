import { existsSync, realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { openDatabase, readSettings, SettingsError } from '@comanda/db';
import { ApiError, toApiError } from '../errors.ts';
import { type Command, commands } from './commands.ts';
import { databaseUrlOf } from './database-url.ts';
import { commandHelp, overview, table } from './output.ts';

/**
 * Runs a command line and returns the exit code: 0, or 1 when the command failed. With `--json` exactly one
 * JSON document goes to standard output, a failure as `{"error":{"code","message"}}`.
 */
export async function main(argv: string[]): Promise<number> {
  const json = argv.includes('--json');
  try {
    const { text, failed } = await run(argv, json);
    process.stdout.write(`${text}\n`);
    return failed ? 1 : 0;
  } catch (error) {
    const { reason, message } = refusal(error);
    if (json) process.stdout.write(`${JSON.stringify({ error: { code: reason, message } })}\n`);
    else process.stderr.write(`comanda: ${message}\n`);
    return 1;
  }
}

async function run(argv: string[], json: boolean): Promise<{ text: string; failed: boolean }> {
  const words = argv.filter((word) => !word.startsWith('-'));
  const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((candidate) =>
    Object.hasOwn(commands, candidate),
  );
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || command === undefined) {
    if (words.length === 0)
      return said(json ? JSON.stringify({ commands: Object.keys(commands) }) : overview());
    if (argv.includes('--help')) return said(overview());
    throw new ApiError(
      'invalid_request',
      `unknown command "${words.slice(0, 2).join(' ')}"; see comanda --help`,
    );
  }
  if (argv.includes('--help')) return said(commandHelp(name, command));
  const { options, positionals } = parseCommand(name, command, argv);
  if (command.runAlone !== undefined)
    return told(command, await command.runAlone(process.env, options), json);
  const settings = readSettings(process.env);
  const databaseUrl = await databaseUrlOf(settings, command.as ?? 'service');
  if (databaseUrl === null) {
    throw new ApiError(
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
    const value = await command.run({ database, databaseUrl, settings }, options, positionals);
    return told(command, value, json);
  } finally {
    await database.close();
  }
}

const said = (text: string) => ({ text, failed: false });

function told(command: Command, value: unknown, json: boolean) {
  const text = json ? JSON.stringify(value) : (command.show ?? table)(value);
  return { text, failed: command.isFailure?.(value) === true };
}

function parseCommand(name: string, command: Command, argv: string[]) {
  const types = Object.fromEntries(
    Object.entries(command.options).map(([option, { value }]) => [
      option,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  let parsed: { values: Record<string, string | boolean | undefined>; positionals: string[] };
  try {
    parsed = parseArgs({
      args: argv,
      options: { ...types, json: { type: 'boolean' }, help: { type: 'boolean' } },
      allowPositionals: true,
    });
  } catch (error) {
    throw new ApiError('invalid_request', error instanceof Error ? error.message : String(error));
  }
  const positionals = parsed.positionals.slice(name.split(' ').length);
  const expected = command.positionals ?? [];
  if (positionals.length !== expected.length) {
    throw new ApiError('invalid_request', `usage: comanda ${[name, ...expected].join(' ')}; see --help`);
  }
  const missing = Object.entries(command.options).find(
    ([option, { required }]) => required && !(option in parsed.values),
  );
  if (missing) throw new ApiError('validation_error', `--${missing[0]} is required`);
  const options = Object.fromEntries(
    Object.keys(command.options).flatMap((option) =>
      parsed.values[option] === undefined ? [] : [[option, String(parsed.values[option])]],
    ),
  );
  return { options, positionals };
}

function refusal(error: unknown): { reason: string; message: string } {
  if (error instanceof SettingsError) return { reason: 'invalid_request', message: error.message };
  const known = toApiError(error);
  if (known.reason !== 'internal_error' || known.status === 503) return known;
  return { reason: known.reason, message: error instanceof Error ? error.message : String(error) };
}

// Run as a program (node dist/comanda.js), and not only loaded by scripts/comanda.mjs, or by node -e, whose words are no files.
const [, program = ''] = process.argv;
if (existsSync(program) && import.meta.url === pathToFileURL(realpathSync(program)).href)
  process.exitCode = await main(process.argv.slice(2));
