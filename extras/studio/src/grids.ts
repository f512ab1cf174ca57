import type { Query, StudioDatabase } from './database.ts';
import { keptRows, nameColumns } from './layout.ts';
import type { RowNames } from './page/session.ts';
import { type Refusal, withPlace } from './refusals.ts';
import { isPart, type StudioTable } from './schema.ts';
import type { Scope } from './scope.ts';
import { type Planned, planQuery } from './sources.ts';

/** The tables that the grids of the page read and write. */
export interface Grids {
  /** The one restaurant that they show; null for all. */
  scope: Scope | null;
  /** The page's view of tables and views. */
  tables(): Promise<StudioTable[]>;
  /** By what a person knows the rows of each table. */
  rowNames(): Promise<Record<string, RowNames>>;
  /** Runs queries of the page in one transaction; the rows of each, or why none of them was run. */
  run(queries: readonly Query[]): Promise<{ rows: unknown[][] } | { refusal: Refusal }>;
}

/** The grids of a database, of one restaurant or of all. */
export function makeGrids(database: StudioDatabase, scope: Scope | null): Grids {
  let known: StudioTable[] | null = null;
  const readTables = async () => {
    known = await database.tables();
    return known;
  };
  return {
    scope,
    tables: readTables,
    rowNames: async () =>
      Object.fromEntries((await readTables()).map((table) => [table.name, rowNamesOf(table)])),
    async run(asked) {
      const tables = known ?? (await readTables());
      const planned = asked.map((query) => planQuery(query, tables, scope));
      const refused = planned.map(refusedBefore).find((sentence) => sentence !== undefined);
      if (refused !== undefined) return { refusal: { name: 'Refused', message: refused } };
      const ready = planned.flatMap((each) => ('steps' in each ? [each] : []));
      const result = await database.run(ready.flatMap(({ steps }) => steps));
      return 'refusal' in result
        ? {
            refusal: withPlace(
              result.refusal,
              ready.map(({ statement }) => statement),
            ),
          }
        : result;
    },
  };
}

/** Why it never gets to the database: it is no query of a grid, or deletes what is never deleted. */
function refusedBefore(planned: Planned): string | undefined {
  if ('refused' in planned) return planned.refused;
  const { statement } = planned;
  return statement.kind === 'delete' ? keptRows[statement.table] : undefined;
}

/** A row that is a part of others is known by their names, and by its own where it has one. */
function rowNamesOf({ name, columns }: StudioTable): RowNames {
  const own =
    [nameColumns[name], 'name'].find((each) => columns.some((column) => column.name === each)) ?? null;
  const linked = columns.flatMap((column) =>
    column.shows === null || column.shows.by === 'location_id' ? [] : [column.name],
  );
  return { own, linked: own === null || isPart(name) ? linked : [] };
}
