import pg from 'pg';
import type { Query, Step } from './database.ts';
import type { StudioTable } from './schema.ts';
import type { Scope } from './scope.ts';
import { sinceSeen } from './seen.ts';
import { type Inserted, type PageStatement, readStatement } from './statements.ts';

/** A statement that may run, with what is looked at before it, and what it was read as; or why it may not. */
export type Planned = { steps: Step[]; statement: PageStatement } | { refused: string };

/** Said of every statement that the grids do not ask. */
export const noOtherSql =
  'Studio runs what its grids ask, and no other SQL: use psql, at the address that comanda db url prints';

const id = pg.escapeIdentifier;

/**
 * The page's query as it runs: the names that rows show are joined to them, and with a scope no row of another
 * restaurant is read, changed, added or deleted, for any query of the page.
 */
export function planQuery(asked: Query, tables: readonly StudioTable[], scope: Scope | null): Planned {
  const statement = readStatement(asked.sql);
  if (statement === null) return { refused: noOtherSql };
  if (statement.kind === 'timezone') return { steps: [asked], statement };
  const table = tables.find(({ name }) => name === statement.table);
  if (table === undefined) return { refused: `Studio shows no table ${statement.table}` };
  const planned = (sql: string, before: Step[] = []): Planned => ({
    steps: [...before, { ...asked, sql }],
    statement,
  });
  const own = scopedColumn(table);
  const within = scope === null ? '' : ` and ${id(own)} = ${pg.escapeLiteral(scope.id)}`;
  const written = (sql: string, { returning }: { returning: string }, before?: Step[]) =>
    planned(returning === '' ? sql : showing(table, sql, returning), before);
  switch (statement.kind) {
    case 'select': {
      const source = `${rowsOf(table, `"public".${id(table.name)}`, scope)} as ${id(table.name)}`;
      return planned(statement.parts.join(source));
    }
    case 'update':
      if (scope !== null && statement.columns.includes(own))
        return { refused: `${table.name}.${own}: this Studio shows ${scope.name} alone, so it stays` };
      return written(
        `update "public".${id(table.name)} set ${statement.set} where (${statement.where})${within}`,
        statement,
        sinceSeen(asked, statement, within),
      );
    case 'delete':
      return written(`delete from "public".${id(table.name)} where (${statement.where})${within}`, statement);
    case 'insert': {
      if (scope === null) return written(insertion(statement), statement);
      if (table.name === 'locations')
        return { refused: `this Studio shows ${scope.name} alone: comanda locations create makes another` };
      const filled = inScope(statement, asked.parameters ?? [], own, scope);
      return typeof filled === 'string' ? { refused: filled } : written(insertion(filled), statement);
    }
  }
}

const scopedColumn = ({ name }: StudioTable): string => (name === 'locations' ? 'id' : 'location_id');

/** The rows of a table, or the rows written there, with the names next to their ids. */
function rowsOf({ name, columns }: StudioTable, from: string, scope: Scope | null): string {
  const shown = columns.flatMap(({ name: column, shows }) => (shows === null ? [] : [{ column, ...shows }]));
  const own = columns.flatMap((column) => (column.shows === null ? [`t.${id(column.name)}`] : []));
  const joined = shown.map(({ table, by }, index) => {
    // The key of every table but that of restaurants begins with the restaurant.
    const same = table === 'locations' ? '' : ` and n${index}."location_id" = t."location_id"`;
    return `left join "public".${id(table)} n${index} on n${index}."id" = t.${id(by)}${same}`;
  });
  const named = shown.map(({ column, of }, index) => `n${index}.${id(of)} as ${id(column)}`);
  const kept =
    scope === null
      ? ''
      : ` where t.${id(scopedColumn({ name, columns, schema: 'public' }))} = ${pg.escapeLiteral(scope.id)}`;
  return `(select ${[...own, ...named].join(', ')} from ${from} t ${joined.join(' ')}${kept})`;
}

/** A statement that writes, and shows the rows that it wrote as the grid shows them. */
function showing(table: StudioTable, sql: string, returning: string): string {
  const own = table.columns.flatMap(({ name, shows }) => (shows === null ? [id(name)] : []));
  return `with written as (${sql} returning ${own.join(', ')}) select ${returning} from ${rowsOf(table, 'written', null)} as ${id(table.name)}`;
}

const insertion = ({ table, columns, rows }: Inserted): string =>
  `insert into "public".${id(table)} (${columns.map((each) => id(each)).join(', ')}) values ${rows
    .map((row) => `(${row.join(', ')})`)
    .join(', ')}`;

/** New rows with the restaurant filled in; a sentence when one of them names another. */
function inScope(
  statement: Inserted,
  parameters: readonly unknown[],
  own: string,
  scope: Scope,
): Inserted | string {
  const place = statement.columns.indexOf(own);
  const literal = pg.escapeLiteral(scope.id);
  if (place < 0)
    return {
      ...statement,
      columns: [...statement.columns, own],
      rows: statement.rows.map((row) => [...row, literal]),
    };
  const isHere = (value: string) =>
    String(parameters[Number(/^\$(\d+)$/.exec(value)?.[1]) - 1]).toLowerCase() === scope.id;
  const rows = statement.rows.map((row) =>
    row.map((value, index) => (index === place && ['null', 'default'].includes(value) ? literal : value)),
  );
  if (rows.some((row) => row[place] !== literal && !isHere(row[place] ?? '')))
    return `${statement.table}.${own}: this Studio shows ${scope.name} alone: leave it empty, or write ${scope.id}`;
  return { ...statement, rows };
}
