import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { guardsOf, keptInStudio, type Personal, type Table, tables } from '@comanda/db';
import { type MetricRow, metricTable } from '../../packages/api/src/metrics/table.ts';
import { emptyValueTable, filterTable } from './contract-tables.ts';
import { eventSections } from './event-sections.ts';
import { cell, code, lines } from './markdown-table.ts';

/** The parts of documents that are made from the rows in packages/db/src/tables, the metrics, the events and the schemas, by the words of their marks. */
const made: Readonly<Record<string, { file: string; text: () => string }>> = {
  'personal data': { file: 'docs/operations/personal-data.md', text: personalData },
  'edits of people': { file: 'docs/admin.md', text: edits },
  metrics: { file: 'docs/operations/monitoring.md', text: metrics },
  'empty values': { file: 'docs/contract.md', text: emptyValueTable },
  filters: { file: 'docs/contract.md', text: filterTable },
  'every type': { file: 'docs/events.md', text: eventSections },
};

/** The documents that have such tables. */
export const documentsWithRows: readonly string[] = [...new Set(Object.values(made).map(({ file }) => file))];

/** Writes the tables between their marks, below `root`. Throws {Error} where a mark is missing. */
export function writeRowTables(root: string): void {
  for (const file of documentsWithRows) {
    const path = join(root, file);
    writeFileSync(path, withRowTables(file, readFileSync(path, 'utf8')));
  }
}

/** The text of a document with its tables as the rows have them. Throws {Error} where a mark is missing. */
export function withRowTables(file: string, text: string): string {
  return Object.entries(made)
    .filter(([, each]) => each.file === file)
    .reduce((written, [name, each]) => {
      const [begin, end] = [`<!-- ${name}: made by npm run docs -->\n`, `<!-- end of ${name} -->\n`] as const;
      const [before, rest, ...more] = written.split(begin);
      const after = rest?.split(end)[1];
      if (before === undefined || after === undefined || more.length > 0)
        throw new Error(`${file} has no place for "${name}", or several`);
      return `${before}${begin}\n${each.text()}\n${end}${after}`;
    }, text);
}

/** Every metric of the service. */
function metrics(): string {
  const of: Record<MetricRow['of'], string> = { api: 'API', worker: 'worker', both: 'API, worker' };
  return lines(
    ['Metric', 'Type', 'Labels', 'Of', 'Is'],
    Object.entries<MetricRow>(metricTable).map(([name, { type, labels, of: whose, help }]) => [
      code(name),
      type,
      labels.map(code).join(', '),
      of[whose],
      cell(help),
    ]),
  );
}

/** Every column with personal data: what is erased comes first, then its copies. */
function personalData(): string {
  // Columns of a table that hold the same share a line.
  const rows = new Map<string, { names: string[]; personal: Personal }>();
  for (const table of tables)
    for (const [name, { personal }] of Object.entries(table.columns)) {
      if (personal === undefined) continue;
      const same = [table.name, personal.what, until(personal)].join();
      const row = rows.get(same) ?? { names: [], personal };
      row.names.push(code(`${table.name}.${name}`));
      rows.set(same, row);
    }
  const place = ({ erasedTo }: Personal) => (erasedTo === undefined ? 2 : erasedTo === 'copies' ? 1 : 0);
  return lines(
    ['Column', 'Possible content', 'Until'],
    [...rows.values()]
      .toSorted((a, b) => place(a.personal) - place(b.personal))
      .map(({ names, personal }) => [names.join(', '), cell(personal.what), until(personal)]),
  );
}

const until = ({ erasedTo, until: end }: Personal): string =>
  [
    ...(erasedTo === undefined ? [] : [code('comanda erase')]),
    ...(end === undefined ? [] : [/^[A-Z_]+$/.test(end) ? code(end) : cell(end)]),
  ].join('; ');

/** The columns that people may edit of each table, and the database's answer to other edits. */
function edits(): string {
  const people = (...kinds: string[]) => tables.filter(({ access }) => kinds.includes(access.people));
  return lines(
    ['Table', 'Columns that you may edit', 'Rows', 'Events that are published', 'Message for other edits'],
    [
      ...people('edit', 'keep').map((table) => {
        const columns = Object.entries(table.columns).flatMap(([name, { edited }]) =>
          edited ? [code(name)] : [],
        );
        return [
          code(table.name),
          columns.join(', ') || 'none',
          rowsOf(table),
          eventsOf(table),
          sentences(table),
        ];
      }),
      [
        people('read')
          .map(({ name }) => code(name))
          .join(', '),
        'none',
        'read only',
        '',
        '',
      ],
    ],
  );
}

/** The events that programs get of an edit, or why they get none. */
function eventsOf({ name, editEvents }: Table): string {
  if (editEvents === undefined) throw new Error(`${name}: say which events an edit publishes (editEvents)`);
  if (editEvents.publish === undefined) return `not published: ${cell(editEvents.unpublished)}`;
  const { publish, except = [], rows } = editEvents;
  const all = publish.map(code).join(', ');
  const left = except.length === 0 ? '' : `; not published: ${except.map(code).join(', ')}`;
  return `${all}${rows === undefined ? '' : ` ${cell(rows)}`}${left}`;
}

function rowsOf(table: Table): string {
  const guards = guardsOf(table);
  if (guards.some((guard) => 'lines' in guard)) return 'added with their order';
  const added = !guards.some((guard) => 'serviceOnly' in guard);
  const deleted = table.access.people === 'edit' && keptInStudio(table) === undefined;
  if (added && deleted) return 'added, deleted';
  return added ? 'added, never deleted' : deleted ? 'deleted, never added' : 'never added or deleted';
}

/** A guard against deletion never runs where the privilege to delete is missing. */
const sentences = (table: Table): string => {
  const guards = guardsOf(table)
    .filter((guard) => table.access.people === 'edit' || !('kept' in guard))
    .map((guard) => ('kept' in guard ? guard.kept : 'lines' in guard ? guard.lines : guard.sentence));
  // Studio asks for no deletion that it does not offer: there its own sentence is heard, and by SQL that of the guard.
  return [...new Set([...guards, ...(table.keptInStudio === undefined ? [] : [table.keptInStudio])])]
    .map(cell)
    .join('<br>');
};
