/** A place that lines are written to. */
export interface Screen {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Standard error, for messages about the work: lines, and its progress. */
export const errors: Screen = process.stderr;

// Controls of C0 and C1, DEL, both separators, what turns the direction of writing, halves of surrogate pairs.
const controls = '\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\p{Cs}';
const control = new RegExp(`[${controls}]`, 'gu');
const controlButBreak = new RegExp(`(?!\\n)[${controls}]`, 'gu');
const code = (mark: string) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * A text as a part of one line: characters that move the cursor, give the terminal an order or turn the direction of writing are shown as
 * their codes, line breaks included. JSON keeps its value.
 */
export const printable = (text: string): string => text.replace(control, code);

/** Writes a line, or several, to standard output. Each stays one line of readable text. */
export const say = (lines: string | readonly string[]): void => writeLines(process.stdout, lines);

/** The same on standard error. */
export const note = (lines: string | readonly string[]): void => writeLines(errors, lines);

/** A message as lines: those after the first are indented, so that none passes for the beginning of another message. */
export const linesOf = (message: string): string[] =>
  message.split('\n').map((line, index) => (index === 0 ? line : `  ${line}`));

/** Writes to standard error why a program fails. */
export const complain = (program: string, message: string): void => note(linesOf(`${program}: ${message}`));

/** Writes records to standard output, each a line of JSON that ends with a line break. */
export const sayRecords = (text: string): void =>
  void process.stdout.write(text.replace(controlButBreak, code));

/**
 * Rows of a table as a text, each ended as RFC 4180 says. A line break inside is of a quoted field and stays, as LF; what gives a
 * terminal an order is shown as its code.
 */
export const rowsText = (rows: readonly string[]): string =>
  rows.map((row) => `${row.replace(/\r\n?/g, '\n').replace(controlButBreak, code)}\r\n`).join('');

/** Writes them to standard output. */
export const sayRows = (rows: readonly string[]): void => void process.stdout.write(rowsText(rows));

/** Draws the last line of a terminal again, by an escape sequence of our own; an empty text leaves nothing there. */
export const redraw = (screen: Screen, text: string): void =>
  void screen.write(`\r\u001b[K${printable(text)}`);

/** Has a reader that goes away (a closed pipe) end nothing, or do what is asked; the same is done once. */
export function onReaderGone(then: () => void = nothing): void {
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(then)) stream.on('error', then);
}

const nothing = () => {};

const writeLines = (screen: Screen, lines: string | readonly string[]): void =>
  void screen.write(
    [lines]
      .flat()
      .map((line) => `${printable(line)}\n`)
      .join(''),
  );
