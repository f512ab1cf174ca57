import type { Table } from './table.ts';

/** The name of a table in SQL: `orders`, `internal.tallies`. */
export const sqlName = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string =>
  schema === 'public' ? name : `${schema}.${name}`;
