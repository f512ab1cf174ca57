import type { Column, Operation, Table } from '../tables/table.ts';
import { named, quoted } from './text.ts';

// Changes by a program to columns with `history` are kept in the audit, by the statement that captures them: one entry
// a location and statement, an array a column. The path of an order captures its own changes, and pays nothing
// (docs/decisions/0096).

/** The parameters of a table and an operation. */
export interface Historic {
  table: Table;
  operation: Operation;
  /** The compared columns, each with its number: the difference between two rows is a sum of these. */
  columns: readonly (Column & { name: string; bit: number })[];
}

/**
 * Whether a statement of the service is a program's: made for a key, the consequence of no other one, and under no deed, as a reset of a
 * sandbox or an import is.
 */
export const byProgram =
  "pg_trigger_depth() = 1 AND current_request_key() IS NOT NULL AND coalesce(current_setting('comanda.deed', true), '') = ''";

const historic = ({ columns }: Historic) => columns.filter(({ history }) => history);

/** The values that `changed` carries for the entry: `, o.price AS was_price, n.price AS is_price`. */
export const historyValues = (of: Historic): string =>
  (historySql(of) === '' ? [] : historic(of))
    .flatMap(({ name }) => [
      ...(of.operation === 'insert' ? [] : [`, o.${named(name)} AS was_${name}`]),
      ...(of.operation === 'delete' ? [] : [`, n.${named(name)} AS is_${name}`]),
    ])
    .join('');

/** The statement that writes the entry, of the rows in `changed`; empty where nothing of the table is kept. */
export function historySql(of: Historic): string {
  const { table, operation } = of;
  const columns = historic(of);
  if (columns.length === 0 || (isOwnPart(of) && operation !== 'update')) return '';
  const values = (side: 'was' | 'is') => {
    const arrays = columns.map(({ name, bit }) => {
      const all = `to_jsonb(array_agg(c.${side}_${name}))`;
      const differing = `CASE WHEN bit_or(c.changed) & ${bit} <> 0 THEN ${all} END`;
      return `${quoted(name)}, ${operation === 'update' ? differing : all}`;
    });
    const object = `jsonb_build_object(${arrays.join(', ')})`;
    return operation === 'update' ? `jsonb_strip_nulls(${object})` : object;
  };
  const sides = [
    operation !== 'insert' && `'before', ${values('was')}`,
    operation !== 'delete' && `'after', ${values('is')}`,
  ].filter(Boolean);
  return `INSERT INTO audit_entries (${entryColumns})
SELECT c.location_id, 'api_key', current_request_key(), current_request_id(), ${quoted(operation)}, ${quoted(table.name)},
  CASE WHEN count(*) = 1 THEN (array_agg(c.id))[1] END, array_agg(c.id), count(*)::int,
  jsonb_build_object(${sides.join(',\n    ')})
FROM changed c WHERE ${wanted(of)}
GROUP BY c.location_id`;
}

/** The same entry for one updated row: `former` and `current`, with the bits of what differs in `changed` (made/lone.ts). */
export function loneHistorySql(of: Historic): string {
  const { table } = of;
  const columns = historic(of);
  const values = (row: 'former' | 'current') =>
    `jsonb_strip_nulls(jsonb_build_object(${columns
      .map(
        ({ name, bit }) =>
          `${quoted(name)}, CASE WHEN changed & ${bit} <> 0 THEN jsonb_build_array(${row}.${named(name)}) END`,
      )
      .join(', ')}))`;
  return `IF by_program AND changed & ${maskOf(of)} <> 0 THEN
  INSERT INTO audit_entries (${entryColumns})
  VALUES (current.location_id, 'api_key', current_request_key(), current_request_id(), 'update', ${quoted(table.name)},
    current.${table.published?.id}, ARRAY[current.${table.published?.id}], 1,
    jsonb_build_object('before', ${values('former')},
      'after', ${values('current')}));
END IF;`;
}

const entryColumns =
  'location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes';

const maskOf = (of: Historic): number => historic(of).reduce((sum, { bit }) => sum + bit, 0);

/** Whether rows belong to a product and have an id of their own, as choices do: they come and go with it. */
const isOwnPart = ({ table }: Historic): boolean =>
  table.belongs?.partOf !== undefined && table.published?.id === 'id';

function wanted(of: Historic): string {
  const { table, operation } = of;
  if (operation === 'update') {
    return `by_program AND c.operation = 'update' AND c.changed & ${maskOf(of)} <> 0`;
  }
  const parent = table.belongs?.partOf;
  if (parent === undefined)
    return operation === 'insert'
      ? 'by_program'
      : `by_program AND EXISTS (SELECT FROM locations l WHERE l.id = c.location_id)`;
  // A row inserted or deleted with its product is no change of the product.
  return `by_program AND EXISTS (
  SELECT FROM ${parent} p WHERE p.location_id = c.location_id AND p.id = c.id AND p.created_at < now()::timestamptz(3))`;
}
