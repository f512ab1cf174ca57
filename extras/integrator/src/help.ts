import type { Command } from './command.ts';
import { commands } from './commands.ts';

const common = {
  url: { value: 'URL', help: 'of the service (or COMANDA_URL)' },
  key: { value: 'KEY', help: 'an API key (or COMANDA_KEY, which other processes do not see)' },
  help: { help: 'this text' },
};

/** Options of every command. */
export const commonOptions: Command['options'] = common;

/** The output of `--help`: all commands, or those of `names`. */
export function overview(names: readonly string[]): readonly string[] {
  const rows = Object.entries(commands)
    .filter(([name]) => names.includes(name))
    .map(([name, { summary }]): [string, string] => [name, summary]);
  return [
    'node comanda.mjs <command> [options]: webhooks, events and files of a Comanda',
    '',
    ...aligned(rows),
    '',
    'COMANDA_URL and COMANDA_KEY say which service, and with which key. The key is never shown.',
    'Every command takes --help.',
    '',
    'Exit codes: 0 done; 1 refused, not delivered, not verified; 2 the command line is wrong; 3 done, except for rows that were',
    'refused; 130 after Ctrl-C.',
  ];
}

/** The output of `<command> --help`. */
export function helpOf(
  name: string,
  { summary, positionals, options, more = [] }: Command,
): readonly string[] {
  const rows = Object.entries({ ...options, ...commonOptions }).map(
    ([option, { value, help }]): [string, string] => [
      value === undefined ? `--${option}` : `--${option} ${value}`,
      help,
    ],
  );
  const usage = ['node comanda.mjs', name, positionals, '[options]'].filter(Boolean).join(' ');
  return [`${usage}: ${summary}`, '', ...aligned(rows), ...(more.length === 0 ? [] : ['', ...more])];
}

function aligned(rows: readonly [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
