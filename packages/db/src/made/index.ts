import { tables } from '../tables/index.ts';
import type { Table } from '../tables/table.ts';
import { auditSql } from './audit.ts';
import { captureSql } from './capture.ts';
import type { Catalog } from './catalog.ts';
import { composedSql } from './composed.ts';
import { auditedSql, countedSql } from './counts.ts';
import { erasureSql } from './erasure.ts';
import { guardSql } from './guards.ts';
import { jsonSql } from './json.ts';
import { lengthSql } from './lengths.ts';
import { revisionSql } from './revisions.ts';
import { sandboxSql } from './sandbox.ts';

export { type Catalog, readCatalog } from './catalog.ts';

/**
 * The files of `prisma/sql/made` by their names, made of the table of tables and of what a database with all migrations says
 * of types and keys. Throws {Error} where the two do not fit.
 */
export function madeSql(catalog: Catalog): ReadonlyMap<string, string> {
  requireFit(catalog);
  const files = tables.map((table) => [`${table.name}.sql`, ofTable(table, catalog)] as const);
  return new Map(
    [
      ...files.filter(([, text]) => text !== undefined),
      ['audited.sql', auditedSql(tables, catalog)],
      ['counted.sql', countedSql(tables)],
      ['erasure.sql', erasureSql(tables, catalog)],
      ['sandbox.sql', sandboxSql(tables, catalog)],
    ].map(([name, text]) => [name, `${head}\n${text}\n`]),
  );
}

const head = '-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.\n';

function ofTable(table: Table, catalog: Catalog): string | undefined {
  const statements = [
    ...('updated_at' in table.columns ? [touch(table.name)] : []),
    ...revisionSql(table),
    ...captureSql(table, catalog),
    ...auditSql(table, catalog),
    ...jsonSql(table, catalog),
    ...lengthSql(table),
    ...composedSql(table),
    ...guardSql(table),
  ];
  return statements.length === 0 ? undefined : statements.join('\n\n');
}

/** updated_at moves with every real change. */
const touch = (table: string): string => `CREATE TRIGGER touch BEFORE UPDATE ON ${table}
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION touch_updated_at();`;

function requireFit({ columns, keys }: Catalog): void {
  for (const table of tables) {
    if (table.published?.lastState && table.published.on.includes('delete'))
      throw new Error(`${table.name}: a deletion would be captured twice`);
    const key = keys[table.name]?.filter((column) => column !== 'location_id');
    if (key?.join() !== table.key.join())
      throw new Error(`the key of ${table.name} is ${key?.join(', ') ?? 'nothing: there is no such table'}`);
    const known = new Set(columns.filter((column) => column.table === table.name).map(({ name }) => name));
    for (const column of Object.keys(table.columns))
      if (!known.has(column)) throw new Error(`the database has no column ${table.name}.${column}`);
  }
}
