import { type Command, type Commands, optionsOf } from './command.ts';
import type { Lines } from './rows.ts';

/** The output of `comanda --help`, or of `comanda keys`: some commands, each with its summary. */
export function overview(names: readonly string[], commands: Commands): Lines {
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.map((name) => `  ${name.padEnd(width)}  ${commands[name]?.summary}`);
  return [
    'comanda <command> [options]',
    '',
    ...lines,
    '',
    'Every command takes --json and --help; comanda --version says which build this is.',
  ];
}

/** The output of `comanda <command> --help`. */
export function commandHelp(name: string, command: Command): Lines {
  const { summary, positionals = [] } = command;
  const rows = Object.entries(optionsOf(command)).map(([option, { value, help, required }]) => ({
    flag: value === undefined ? `--${option}` : `--${option} ${value}`,
    help: required ? `${help} (required)` : help,
  }));
  rows.push({ flag: '--json', help: 'print one JSON document' });
  const width = Math.max(...rows.map(({ flag }) => flag.length));
  const usage = `comanda ${[name, ...positionals].join(' ')} [options]`;
  return [summary, '', usage, '', ...rows.map(({ flag, help }) => `  ${flag.padEnd(width)}  ${help}`)];
}

/** The same as one JSON document. */
export function helpDocument(name: string, command: Command): Lines {
  const { summary, positionals = [] } = command;
  const options = Object.entries(optionsOf(command)).map(([option, { value, help, required = false }]) => ({
    option: `--${option}`,
    help,
    required,
    ...(value !== undefined && { value }),
  }));
  return [JSON.stringify({ command: name, summary, positionals, options })];
}
