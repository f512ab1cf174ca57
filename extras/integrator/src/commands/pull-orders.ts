import { existsSync, readFileSync } from 'node:fs';
import { type Command, type Context, momentFrom, required } from '../command.ts';
import { counted } from '../counted.ts';
import { writeRecord } from '../csv/records.ts';
import { separatorFrom } from '../csv/separators.ts';
import { type CellStyle, cellsOf, orderColumns, type PulledOrder } from '../pull/columns.ts';
import { type Beginning, pullOrders } from '../pull/orders.ts';
import { UsageError } from '../usage-error.ts';
import { writeWhole } from '../whole-file.ts';

const rowsAtOnce = 1_000;

/** Brings orders to an ERP that reads files. */
export const pullOrdersCommand: Command = {
  summary: 'Write the orders that changed as a CSV file, a row for each line of an order',
  options: {
    since: { value: 'TIME', help: 'orders that changed since 2026-01-31T00:00:00Z, or 15m, 2h, 7d ago' },
    csv: { help: 'as CSV, which is the only form' },
    out: {
      value: 'FILE',
      help: 'into this file, which is replaced when all is read; standard output unless given',
    },
    state: {
      value: 'FILE',
      help: 'remember in it where this pull ends, and go on there; --since is for the first time',
    },
    separator: { value: 'NAME', help: 'comma (as unless said), semicolon, tab or pipe' },
    decimal: { value: 'SIGN', help: 'point (as unless said) or comma' },
    bom: { help: 'begin with a byte order mark, which Excel needs to read UTF-8' },
    raw: {
      help: "leave texts that a spreadsheet takes for a formula as they are; otherwise a ' is put before them",
    },
  },
  more: [
    `Columns: ${Object.keys(orderColumns).join(', ')}.`,
    'An order that changed again comes again: write by order_id and line. It needs a key with orders:read.',
  ],
  async run(context) {
    const { terminal, text, flag } = context;
    const [out, state] = [text('out'), text('state')];
    const separator = separatorFrom(text('separator') ?? 'comma');
    const style: CellStyle = { decimal: decimalFrom(text('decimal')), raw: flag('raw') };
    const from = beginningOf(context, state);
    const api = context.service();
    const { orders, cursor } = await pullOrders(api, terminal, from);
    const { rows, guarded } = rowsOf(orders, style, separator);
    const mark = flag('bom') ? '\ufeff' : '';
    const all = [`${mark}${writeRecord(Object.keys(orderColumns), separator)}`, ...rows];
    if (out === undefined)
      for (let at = 0; at < all.length; at += rowsAtOnce) terminal.sayRows(all.slice(at, at + rowsAtOnce));
    else writeWhole(out, terminal.rowsText(all));
    if (state !== undefined && cursor !== undefined)
      writeWhole(state, `${JSON.stringify({ orders: cursor })}\n`);
    const hidden =
      guarded === 0
        ? ''
        : `; ${counted(guarded, 'text')} with a ' before what a spreadsheet takes for a formula`;
    terminal.note(`${counted(orders.length, 'order')}, ${counted(rows.length, 'row')}${hidden}`);
    return 0;
  },
};

function decimalFrom(text = 'point'): 'comma' | 'point' {
  if (text === 'comma' || text === 'point') return text;
  throw new UsageError('--decimal must be comma or point');
}

/** Where the last pull ended, or the moment that is given. @throws {UsageError} when there is neither. */
function beginningOf(context: Context, state: string | undefined): Beginning {
  if (state !== undefined && existsSync(state)) return { cursor: cursorIn(state) };
  return { updated_since: momentFrom(required(context, 'since'), '--since') ?? '' };
}

function cursorIn(file: string): string {
  let stored: unknown;
  try {
    stored = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    stored = undefined;
  }
  if (
    typeof stored === 'object' &&
    stored !== null &&
    'orders' in stored &&
    typeof stored.orders === 'string'
  )
    return stored.orders;
  throw new UsageError(`${file} is no file of pull orders: remove it, or name another with --state`);
}

function rowsOf(
  orders: readonly PulledOrder[],
  style: CellStyle,
  separator: string,
): { rows: string[]; guarded: number } {
  let guarded = 0;
  const rows = orders.flatMap((order) =>
    order.items.map((item, index) => {
      const made = cellsOf({ order, item, line: index + 1 }, style);
      guarded += made.guarded;
      return writeRecord(made.cells, separator);
    }),
  );
  return { rows, guarded };
}
