import { type Command, commands } from './commands.ts';

/** What `comanda --help` prints. */
export function overview(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return ['comanda <command> [options]', '', ...lines, '', 'Every command takes --json and --help.'].join(
    '\n',
  );
}

/** What `comanda <command> --help` prints. */
export function commandHelp(name: string, { summary, positionals = [], options }: Command): string {
  const rows = Object.entries(options).map(([option, { value, help, required }]) => ({
    flag: `--${option} ${value ?? ''}`.trimEnd(),
    help: required ? `${help} (required)` : help,
  }));
  rows.push({ flag: '--json', help: 'print one JSON document' });
  const width = Math.max(...rows.map(({ flag }) => flag.length));
  const usage = `comanda ${[name, ...positionals].join(' ')} [options]`;
  return [summary, '', usage, '', ...rows.map(({ flag, help }) => `  ${flag.padEnd(width)}  ${help}`)].join(
    '\n',
  );
}

/** A value for a person: an object as `name: value` lines, a list with a blank line between entries. */
export function table(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(table).join('\n\n');
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries
    .map(([name, member]) => `${name.padEnd(width)}  ${Array.isArray(member) ? member.join(', ') : member}`)
    .join('\n');
}
