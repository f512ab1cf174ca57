import { existsSync, realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { CommandError } from '@comanda/api/src/command-error.ts';
import type { ErrorCode } from '@comanda/api/src/reasons.ts';
import { complain, say } from '@comanda/db/terminal';
import { type Command, type Commands, optionsOf } from './command.ts';
import { commands as ownCommands } from './commands.ts';
import { commandHelp, helpDocument, overview } from './output.ts';
import type { Lines } from './rows.ts';

/**
 * Runs a command line with these variables and returns the exit code: 0, or 1 when the command failed. With `--json` exactly one
 * JSON document goes to standard output, a failure as `{"error":{"code","message"}}`.
 * @param commands without those that extras add unless said
 */
export async function main(
  argv: string[],
  environment = process.env,
  commands: Commands = ownCommands,
): Promise<number> {
  const json = argv.includes('--json');
  try {
    const { lines, failed } = await run(argv, json, environment, commands);
    say(lines);
    return failed ? 1 : 0;
  } catch (error) {
    const { code, message } = error instanceof CommandError ? error : await refusalOf(error);
    if (json) say(JSON.stringify({ error: { code, message } }));
    else complain('comanda', message);
    return 1;
  }
}

// Loaded where it is needed: help and mistyped names answer at once.
const refusalOf = async (error: unknown): Promise<{ code: ErrorCode; message: string }> =>
  (await import('./refusal.ts')).spokenRefusal(error);

async function run(
  argv: string[],
  json: boolean,
  environment: NodeJS.ProcessEnv,
  commands: Commands,
): Promise<{ lines: Lines; failed: boolean }> {
  const words = argv.filter((word) => !word.startsWith('-'));
  const name = [3, 2, 1]
    .map((count) => words.slice(0, count).join(' '))
    .find((candidate) => Object.hasOwn(commands, candidate));
  const command = name === undefined ? undefined : commands[name];
  if (words.length === 0 && argv.includes('--version')) return said(await versionText(json));
  if (name === undefined || command === undefined) return said(withoutCommand(words, argv, json, commands));
  if (argv.includes('--help')) return said(json ? helpDocument(name, command) : commandHelp(name, command));
  const { options, positionals } = parseCommand(name, command, argv);
  const { perform } = await import('./perform.ts');
  return perform(await command.work(), { options, positionals, json, environment });
}

const said = (lines: Lines) => ({ lines, failed: false });

async function versionText(json: boolean): Promise<Lines> {
  const { ownBuild } = await import('@comanda/db/build');
  const { version, commit } = ownBuild();
  return [json ? JSON.stringify({ version, commit }) : `comanda ${version} (${commit})`];
}

/** The list of all commands, or of those of a group. Throws CommandError for a name that is neither. */
function withoutCommand(
  words: readonly string[],
  argv: readonly string[],
  json: boolean,
  commands: Commands,
): Lines {
  const [group] = words;
  const names = Object.keys(commands).filter((name) => group === undefined || name.startsWith(`${group} `));
  const isAsked = argv.includes('--help') || words.length <= 1;
  const shown = (some: readonly string[]) =>
    json ? [JSON.stringify({ commands: some })] : overview(some, commands);
  if (isAsked && names.length > 0) return shown(names);
  if (argv.includes('--help')) return shown(Object.keys(commands));
  const known =
    names.length > 0 ? `; ${group} has ${names.map((name) => name.split(' ')[1]).join(', ')}` : '';
  throw new CommandError(
    'invalid_request',
    `unknown command "${words.slice(0, 2).join(' ')}"${known}; see comanda --help`,
  );
}

function parseCommand(name: string, command: Command, argv: string[]) {
  const known = optionsOf(command);
  const types = Object.fromEntries(
    Object.entries(known).map(([option, { value }]) => [
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
    throw new CommandError('invalid_request', `${faultOf(error)}; see comanda ${name} --help`);
  }
  const positionals = parsed.positionals.slice(name.split(' ').length);
  const expected = command.positionals ?? [];
  if (positionals.length !== expected.length) {
    throw new CommandError('invalid_request', `usage: comanda ${[name, ...expected].join(' ')}; see --help`);
  }
  const missing = Object.entries(known).find(
    ([option, { required }]) => required && !(option in parsed.values),
  );
  if (missing) throw new CommandError('validation_error', `--${missing[0]} is required`);
  const options = Object.fromEntries(
    Object.keys(known).flatMap((option) =>
      parsed.values[option] === undefined ? [] : [[option, String(parsed.values[option])]],
    ),
  );
  return { options, positionals };
}

// Node adds advice on how to write what looks like an option and is none.
const faultOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .replace(/^Unknown option '([^']*)'[\s\S]*$/, 'unknown option $1')
    .replace(/\.$/, '');

/**
 * Whether Node was started with the module of this URL (node dist/comanda.js): it may be loaded by scripts/comanda.mjs, or by node -e,
 * whose words are no files.
 */
export function isProgram(url: string): boolean {
  const [, program = ''] = process.argv;
  return existsSync(program) && url === pathToFileURL(realpathSync(program)).href;
}
