import { tables } from '../tables/index.ts';

/** Bridge until access.ts is derived from the rows. */
export const watchedTables = (): { table: string; columns: string }[] =>
  tables
    .filter(({ published }) => published?.id === 'id')
    .map(({ name, columns }) => ({
      table: name,
      columns: Object.entries(columns)
        .filter(([, column]) => column.published || column.catalog)
        .map(([column]) => column)
        .join(' '),
    }));
