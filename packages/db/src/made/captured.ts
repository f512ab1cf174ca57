import type { Column, Published, Table } from '../tables/table.ts';
import type { Historic } from './history.ts';

/** The table, the operation and the columns that the SQL of one trigger of capture is made of. */
export interface Captured extends Historic {
  published: Published;
  key: readonly string[];
}

/** The columns of which a change is captured or counted, in their order. */
export const comparedColumns = ({ columns }: Table) =>
  Object.entries(columns)
    .filter(([, { published, catalog }]) => published || catalog)
    .map(([name, column], place) => ({ ...column, name, bit: 2 ** place }));

/** The sum of the bits of those columns that `holds` is true of. */
export const sumOf = (columns: Captured['columns'], holds: (column: Column) => boolean | undefined): number =>
  columns.filter(holds).reduce((sum, { bit }) => sum + bit, 0);

/** Whether a change of the table can be one of the catalog. */
export const showsInCatalog = ({ columns }: Captured): boolean => columns.some(({ catalog }) => catalog);

/** The counts of a row and their moment, by the alias or variable that holds it. */
export const countedOf = ({ by, at }: NonNullable<Published['counted']>, row: string) => {
  const of = (sql: string) => sql.replaceAll(/\br\./g, `${row}.`);
  return { by: of(by), at: of(at) };
};
