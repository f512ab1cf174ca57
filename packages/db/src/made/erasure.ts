import { erasedColumns, isOfOrders } from '../tables/erased.ts';
import type { Table } from '../tables/table.ts';
import type { Catalog } from './catalog.ts';

/**
 * `erased`, which empties what people wrote in an order in the text of a copy. It finds it by its name, so throws {Error} for
 * a name that a column without personal data has as well, for a column that holds no text, and for one that no order reaches.
 */
export function erasureSql(tables: readonly Table[], { columns }: Catalog): string {
  const found = tables.flatMap((table) => erasedColumns(table).map(({ name }) => ({ table, name })));
  for (const { table, name } of found) {
    const place = `${table.name}.${name}`;
    if (!isOfOrders(table) || (table.name !== 'orders' && table.published !== undefined))
      throw new Error(
        `comanda erase --order does not reach ${place}: only orders and what is published with them`,
      );
    const type = columns.find((column) => column.table === table.name && column.name === name)?.type;
    if (type !== 'text') throw new Error(`${place} is of type ${type}, and only text can be erased`);
    const other = tables
      .filter(isOfOrders)
      .find(({ columns }) => name in columns && !columns[name]?.personal);
    if (other !== undefined)
      throw new Error(
        `${place} is erased by its name, which ${other.name}.${name} has too: call it otherwise`,
      );
  }
  const names = [...new Set(found.map(({ name }) => name))].join('|');
  return `-- A JSON text without what people wrote in an order. A quote within a text is escaped, so none of it is taken for a name.
CREATE FUNCTION erased(doc text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(doc, '"(${names})":( ?)"([^"\\\\]|\\\\.)*"', '"\\1":\\2""', 'g')
$$;`;
}
