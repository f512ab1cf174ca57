import * as terminal from '@comanda/db/terminal';

/** Where a command prints. Nothing that it is given shows an API key, and no line is more than a line. */
export interface Terminal {
  /** The requested output: a line of standard output, or several. */
  say(lines: string | readonly string[]): void;
  /** Rows of a table, on standard output. */
  sayRows(rows: readonly string[]): void;
  /** The same as a text, for a file: a person may print that. */
  rowsText(rows: readonly string[]): string;
  /** Messages besides it, on standard error. */
  note(message: string): void;
  /** Whether a person is at it, who sees what is noted and can answer. */
  readonly isPerson: boolean;
  /** The progress of a work; on a terminal one line that is drawn again, otherwise a line from time to time. */
  progress(text: string): void;
  /** Takes the line of progress away. */
  progressEnds(): void;
  /** Asks the person, and gives the line of the answer; empty when there is none. */
  ask(question: string): Promise<string>;
}

const quietMs = 10_000;

/** One that hides `key`, and any text that looks like one. */
export function openTerminal(key: string | undefined): Terminal {
  const hide = (line: string) => {
    const known = key === undefined || key === '' ? line : line.replaceAll(key, 'cmd_…');
    return known.replace(/cmd_(live|test)_\w+/g, 'cmd_$1_…');
  };
  const isScreen = terminal.errors.isTTY === true;
  let drawn = false;
  let notedMs = Date.now();
  const progressEnds = () => {
    if (drawn) terminal.redraw(terminal.errors, '');
    drawn = false;
  };
  const note = (message: string) => {
    progressEnds();
    terminal.complain('comanda', hide(message));
  };
  return {
    say: (lines) => terminal.say([lines].flat().map(hide)),
    sayRows: (rows) => terminal.sayRows(rows.map(hide)),
    rowsText: (rows) => terminal.rowsText(rows.map(hide)),
    note,
    isPerson: isScreen && process.stdin.isTTY === true,
    progress(text) {
      if (isScreen) terminal.redraw(terminal.errors, hide(text));
      else if (Date.now() - notedMs >= quietMs) {
        note(text);
        notedMs = Date.now();
      }
      drawn = isScreen;
    },
    progressEnds,
    ask(question) {
      terminal.redraw(terminal.errors, `${hide(question)} `);
      return new Promise((resolve) => {
        const answer = (line = '') => {
          process.stdin.off('data', answer).off('end', answer).pause();
          resolve(line.trim());
        };
        // A stream that an earlier question has paused reads on only when it is resumed.
        process.stdin.setEncoding('utf8').on('data', answer).on('end', answer).resume();
      });
    },
  };
}
