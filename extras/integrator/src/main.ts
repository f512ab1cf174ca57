import { parseArgs } from 'node:util';
import { onReaderGone } from '@comanda/db/terminal';
import { type Command, type Context, urlFrom } from './command.ts';
import { commands } from './commands.ts';
import { commonOptions, helpOf, overview } from './help.ts';
import { openService, ServiceError } from './service.ts';
import { openTerminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
// The reader of the output has closed it, as `| head` does.
onReaderGone(() => process.exit(0));
process.exitCode = await main(process.argv.slice(2));

/** Runs a command line and gives its exit code. */
async function main(argv: string[]): Promise<number> {
  // Before anything is parsed: the key is hidden in any error.
  const given = argv.flatMap((word, index) =>
    word === '--key' ? (argv[index + 1] ?? []) : (/^--key=(.+)/.exec(word)?.[1] ?? []),
  );
  const terminal = openTerminal(given[0] ?? process.env.COMANDA_KEY);
  try {
    return await run(argv, terminal);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ServiceError)) throw error;
    terminal.note(error.message);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function run(argv: string[], terminal: Context['terminal']): Promise<number> {
  const name = [argv.slice(0, 2).join(' '), argv[0] ?? ''].find((each) => Object.hasOwn(commands, each));
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || command === undefined) {
    terminal.say(withoutCommand(argv));
    return argv.includes('--help') || argv[0] === 'help' ? 0 : 2;
  }
  const { values, positionals } = parse(command, argv.slice(name.split(' ').length));
  if (values.help === true) {
    terminal.say(helpOf(name, command));
    return 0;
  }
  if (positionals.length > 0 && command.positionals === undefined)
    throw new UsageError(`${name} takes no "${positionals[0]}"; see ${name} --help`);
  return command.run({ terminal, words: positionals, ...reader(values, terminal) });
}

/** The list of all commands, or of those that begin with the word given. Throws UsageError for a name that is none. */
function withoutCommand([group = 'help', ...words]: readonly string[]): readonly string[] {
  if (group === 'help' || group === '--help') return overview(Object.keys(commands));
  const names = Object.keys(commands).filter((name) => name.startsWith(`${group} `));
  if (names.length === 0) throw new UsageError(`there is no command "${group}"; see --help`);
  if (words.length === 0 || words.includes('--help')) return overview(names);
  throw new UsageError(`there is no command "${group} ${words[0]}"; see ${group} --help`);
}

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

function parse(command: Command, args: string[]): { values: Values; positionals: string[] } {
  const options = Object.entries({ ...command.options, ...commonOptions }).map(
    ([name, { value, multiple }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple: multiple === true },
    ],
  );
  try {
    return parseArgs({ args, options: Object.fromEntries(options), allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function reader(values: Values, terminal: Context['terminal']): Omit<Context, 'terminal' | 'words'> {
  const text = (name: string) => (values[name] === undefined ? undefined : String(values[name]));
  const url = () => {
    const given = text('url') ?? process.env.COMANDA_URL;
    if (!given) throw new UsageError('set COMANDA_URL, or give --url');
    return urlFrom(given, text('url') === undefined ? 'COMANDA_URL' : '--url');
  };
  const keyGiven = () => {
    const key = text('key') ?? process.env.COMANDA_KEY;
    if (!key) throw new UsageError('set COMANDA_KEY, or give --key');
    if (!/^[\x21-\x7e]*$/.test(key)) throw new UsageError('the key holds a character that no key has');
    return key;
  };
  return {
    text,
    texts: (name) => [values[name] ?? []].flat().map(String),
    flag: (name) => values[name] === true,
    service: ({ key: needsKey } = { key: true }) =>
      openService(url(), needsKey ? keyGiven() : undefined, terminal),
    address: () => ({ url: url(), key: keyGiven() }),
  };
}
