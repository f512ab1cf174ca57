import { basename } from 'node:path';
import type { Command, Context } from '../command.ts';
import { type Kind, kinds, listSign } from '../push/fields.ts';
import { acceptFlag, push as pushFile } from '../push/run.ts';
import type { Table } from '../push/table.ts';
import { UsageError } from '../usage-error.ts';

const modes = ['upsert', 'create', 'update'];

/** Brings a file of products, of stock or of planned prices to the service. */
export const push: Command = {
  summary: 'Push a CSV file of products, stock or planned prices, as products.csv, stock.csv or prices.csv',
  positionals: 'FILE',
  options: {
    as: { value: 'KIND', help: 'products, stock or prices, where the name of the file does not say it' },
    map: {
      value: 'THEIRS=OURS',
      help: 'a column of the file, and the field it is; several times',
      multiple: true,
    },
    'dry-run': { help: 'say what would be changed, and change nothing' },
    yes: { help: 'push without asking, as from cron' },
    'accept-rewritten-ids': {
      help: 'push identifiers that a spreadsheet may have rewritten (1.23E+18, leading zeros gone) as they are',
    },
    mode: { value: 'MODE', help: 'of products: upsert (as unless said), create or update' },
    at: { value: 'TIME', help: 'of prices: when they change, like 2026-12-31T06:00:00-03:00' },
    encoding: { value: 'NAME', help: 'utf-8, utf-16le, utf-16be, windows-1252; recognized unless given' },
    separator: { value: 'NAME', help: 'comma, semicolon, tab or pipe; recognized unless given' },
    decimal: {
      value: 'SIGN',
      help: 'comma or point, or price=comma for one column; recognized unless given',
      multiple: true,
    },
    refused: { value: 'FILE', help: 'the file for refused rows; next to FILE by default' },
  },
  more: [
    ...Object.values(kinds).map(
      ({ name, fields }) => `Columns of ${name}: ${fields.map((field) => field.name).join(', ')}.`,
    ),
    `Names in any case. An empty cell changes nothing. category_external_ids are set apart by ${listSign}.`,
    `A key needs ${Object.values(kinds)
      .map(({ name, permissions }) => `${permissions.join(' and ')} for ${name}`)
      .join(', ')}.`,
    'The same file given again does nothing twice; a file that was written again is pushed again.',
    'Exit codes: 0 every row is pushed; 1 the service refused, or you did, or identifiers look rewritten; 2 the command line or the file is wrong; 3 rows were',
    'refused, and the others are pushed. With --dry-run the same for what would be.',
  ],
  run(context) {
    const { text, texts, flag, terminal, words } = context;
    const [file] = words;
    if (file === undefined || words.length > 1) throw new UsageError('give one file: push products.csv');
    const kind = kindOf(file, text('as'));
    const mode = text('mode');
    if (mode !== undefined && kind.name !== 'products') throw new UsageError('--mode is of products');
    if (mode !== undefined && !modes.includes(mode))
      throw new UsageError(`--mode must be ${modes.join(', ')}`);
    const at = text('at');
    if ((at !== undefined) !== (kind.isPlanned === true))
      throw new UsageError(at === undefined ? 'give --at: when the prices change' : '--at is of prices');
    if (flag('yes') && flag('dry-run')) throw new UsageError('give --yes or --dry-run, not both');
    if (!flag('yes') && !flag('dry-run') && !terminal.isPerson)
      throw new UsageError('there is no terminal to ask: give --yes to push, or --dry-run to look');
    return pushFile(context, {
      file,
      kind,
      said: { ...(mode !== undefined && { mode }), ...(at !== undefined && { effective_at: at }) },
      dryRun: flag('dry-run'),
      yes: flag('yes'),
      acceptRewritten: flag('accept-rewritten-ids'),
      refusedFile: text('refused'),
      reading: {
        encoding: text('encoding'),
        separator: text('separator'),
        decimals: texts('decimal'),
        maps: texts('map'),
      },
      again: (other, table) => commandFor(context, other, table, kind),
    });
  },
};

function kindOf(file: string, as: string | undefined): Kind {
  const names = Object.values(kinds).map(({ name }) => name);
  const found = names.filter((name) => (as ?? basename(file).toLowerCase()).includes(name));
  const [only] = found;
  if (only !== undefined && found.length === 1 && (as === undefined || as === only)) return kinds[only];
  throw new UsageError(`give --as ${names.join(' or --as ')}: the name of the file does not say which`);
}

/** The command that pushes another file with the same columns and numbers. */
function commandFor({ flag, text, texts }: Context, file: string, { columns }: Table, kind: Kind): string {
  const marks = columns.flatMap(({ field, style, asked }) => {
    const mark = asked ?? style.mark;
    return mark === undefined || mark === 'mixed' ? [] : [`${field.name}=${mark}`];
  });
  const options = [
    ...texts('map').flatMap((each) => ['--map', each]),
    ...marks.flatMap((each) => ['--decimal', each]),
    ...['mode', 'at', 'separator'].flatMap((name) =>
      text(name) === undefined ? [] : [`--${name}`, text(name) ?? ''],
    ),
    ...(basename(file).toLowerCase().includes(kind.name) ? [] : ['--as', kind.name]),
    ...(flag('accept-rewritten-ids') ? [acceptFlag] : []),
  ];
  return ['node comanda.mjs push', ...[file, ...options].map(quoted)].join(' ');
}

const quoted = (word: string): string =>
  /^[\w./=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
