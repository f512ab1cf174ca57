/** Where a command prints. Nothing that it is given shows an API key. */
export interface Terminal {
  /** What was asked for: a line of standard output. */
  say(line: string): void;
  /** What happens beside it: a line of standard error. */
  note(line: string): void;
}

/** One that hides `key`, and whatever looks like one. */
export function openTerminal(key: string | undefined): Terminal {
  const hide = (line: string) => {
    const known = key === undefined || key === '' ? line : line.replaceAll(key, 'cmd_…');
    return known.replace(/cmd_(live|test)_\w+/g, 'cmd_$1_…');
  };
  return {
    say: (line) => process.stdout.write(`${hide(line)}\n`),
    note: (line) => process.stderr.write(`comanda: ${hide(line)}\n`),
  };
}
