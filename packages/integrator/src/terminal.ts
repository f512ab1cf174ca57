import * as terminal from '@comanda/db/terminal';

/** Where a command prints. Nothing that it is given shows an API key, and no line is more than a line. */
export interface Terminal {
  /** What was asked for: a line of standard output, or several. */
  say(lines: string | readonly string[]): void;
  /** What happens beside it, on standard error. */
  note(message: string): void;
}

/** One that hides `key`, and whatever looks like one. */
export function openTerminal(key: string | undefined): Terminal {
  const hide = (line: string) => {
    const known = key === undefined || key === '' ? line : line.replaceAll(key, 'cmd_…');
    return known.replace(/cmd_(live|test)_\w+/g, 'cmd_$1_…');
  };
  return {
    say: (lines) => terminal.say([lines].flat().map(hide)),
    note: (message) => terminal.complain('comanda', hide(message)),
  };
}
