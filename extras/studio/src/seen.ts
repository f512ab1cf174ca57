import pg from 'pg';
import type { Query, Step } from './database.ts';
import type { Updated } from './statements.ts';

const id = pg.escapeIdentifier;

/**
 * The look before an edit: it locks the row, and refuses the edit where a column that it writes no longer has the value that the grid
 * showed. Nothing where the page sent no such values.
 */
export function sinceSeen(asked: Query, statement: Updated, within: string): Step[] {
  const { table, columns, where } = statement;
  const { seen, parameters = [] } = asked;
  if (typeof seen !== 'object' || seen === null) return [];
  const shown = new Map(Object.entries(seen));
  const compared = columns.filter((column) => shown.has(column));
  if (compared.length === 0) return [];
  const used: unknown[] = [];
  const chosen = where.replace(/\$(\d+)/g, (_, place) => `$${used.push(parameters[Number(place) - 1])}`);
  return [
    {
      sql: `select ${compared.map((column) => id(column)).join(', ')} from "public".${id(table)} where (${chosen})${within} for no key update`,
      parameters: used,
      refuses(rows) {
        const [now] = rows as Record<string, unknown>[];
        if (now === undefined) return `${table}: the row is no longer there`;
        const changed = compared.filter((column) => json(now[column]) !== json(shown.get(column)));
        if (changed.length === 0) return undefined;
        const values = changed.map(
          (column) =>
            `${table}.${column}: another person changed it from ${json(shown.get(column))} to ${json(now[column])}, and you typed ${typed(statement, column, parameters)}.`,
        );
        return `${values.join(' ')} Nothing was written. Press the round arrow at the top right; then save yours again, or discard it.`;
      },
    },
  ];
}

/** As the page got it. */
const json = (value: unknown): string => JSON.stringify(value ?? null);

/** The value that a statement writes into a column. */
function typed({ set }: Updated, column: string, parameters: readonly unknown[]): string {
  const [, value = ''] = new RegExp(`"${column}" = (\\$\\d+|cast\\(\\$\\d+|\\w+)`).exec(set) ?? [];
  const [, place] = /\$(\d+)/.exec(value) ?? [];
  return place === undefined ? value : json(parameters[Number(place) - 1]);
}
