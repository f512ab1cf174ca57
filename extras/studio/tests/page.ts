import { createPostgresAdapter } from '@prisma/studio-core/data/postgres-core';
import type { Grids } from '../src/grids.ts';
import type { StudioColumn } from '../src/schema.ts';

/** A row of a grid. */
export type Row = Record<string, unknown>;

/** The queries of the page, compiled by Prisma's own compiler. */
export interface Page {
  /** Every statement that it sent. */
  sent: string[];
  rows(table: string, asked?: Asked): Promise<Row[]>;
  update(table: string, row: Row, changes: Row): Promise<Row>;
  insert(table: string, rows: Row[]): Promise<Row[]>;
  remove(table: string, rows: Row[]): Promise<void>;
}

/** How a grid is read. */
export interface Asked {
  search?: string;
  filters?: { column: string; operator: string; value: unknown }[];
  sort?: { column: string; direction: 'asc' | 'desc' }[];
}

type Adapter = ReturnType<typeof createPostgresAdapter>;

/** Opens the page on grids. A refusal is thrown. */
export async function openPage(grids: Grids): Promise<Page> {
  const sent: string[] = [];
  const answer = async (queries: readonly { sql: string; parameters: readonly unknown[] }[]) => {
    sent.push(...queries.map(({ sql }) => sql));
    // As JSON, which is how they get to the server.
    const result = await grids.run(JSON.parse(JSON.stringify(queries)) as typeof queries);
    return 'refusal' in result
      ? ([new Error(result.refusal.message)] as const)
      : ([null, result.rows] as const);
  };
  const executor = {
    async execute(query: { sql: string; parameters: readonly unknown[] }) {
      if (query.sql.includes('"fk_con"."confkey"')) return [null, await grids.tables()];
      const [error, rows] = await answer([query]);
      return error === null ? [null, rows[0]] : [error];
    },
    executeTransaction: answer,
  };
  const adapter = createPostgresAdapter({ executor } as unknown as Parameters<
    typeof createPostgresAdapter
  >[0]);
  const [failed, introspection] = await adapter.introspect({ abortSignal: AbortSignal.timeout(30_000) });
  if (failed !== null) throw failed;
  const tableNamed = (name: string) => {
    const table = introspection.schemas.public?.tables[name];
    if (table === undefined) throw new Error(`the page has no table ${name}`);
    return table;
  };
  return {
    sent,
    async rows(name, { search, filters = [], sort = [] } = {}) {
      const filter = {
        kind: 'FilterGroup' as const,
        id: 'g',
        after: 'and' as const,
        filters: filters.map((each) => ({ kind: 'ColumnFilter', id: 'f', after: 'and', ...each })),
      };
      const [error, result] = await adapter.query(
        {
          pageIndex: 0,
          pageSize: 100,
          sortOrder: sort,
          table: tableNamed(name),
          filter,
          ...(search !== undefined && { fullTableSearchTerm: search }),
        } as Parameters<Adapter['query']>[0],
        { abortSignal: AbortSignal.timeout(30_000) },
      );
      if (error !== null) throw error;
      return result.rows as Row[];
    },
    async update(name, row, changes) {
      const [error, result] = await adapter.update(
        { row, changes, table: tableNamed(name) } as Parameters<Adapter['update']>[0],
        {},
      );
      if (error !== null) throw error;
      return result.row as Row;
    },
    async insert(name, rows) {
      const [error, result] = await adapter.insert(
        { rows, table: tableNamed(name) } as Parameters<Adapter['insert']>[0],
        {},
      );
      if (error !== null) throw error;
      return result.rows as Row[];
    },
    async remove(name, rows) {
      const [error] = await adapter.delete(
        { rows, table: tableNamed(name) } as Parameters<Adapter['delete']>[0],
        {},
      );
      if (error !== null) throw error;
    },
  };
}

/** A value that a filter of the column takes. */
export function valueFor({ datatype, options }: StudioColumn): unknown {
  if (options.length > 0) return options[0];
  if (/^(int|numeric|float)/.test(datatype)) return 1;
  if (datatype === 'bool') return true;
  if (/^(timestamp|date)/.test(datatype)) return '2026-11-27T12:00:00.000Z';
  if (datatype.startsWith('_')) return [];
  return /^json/.test(datatype) ? '{}' : '01a1fb9e-d728-7121-ae74-41faa214693d';
}
