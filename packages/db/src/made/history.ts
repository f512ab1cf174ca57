import type { Column, Operation, Table } from '../tables/table.ts';
import { indented, named, quoted } from './text.ts';

// Changes by a program to columns with `history` are kept in the audit, by the statement that captures them: one entry
// a location and statement, an array a column. The path of an order captures its own changes, and pays nothing
// (docs/design/access-and-audit.md, "Changes by programs").

/** The parameters of a table and an operation. */
export interface Historic {
  table: Table;
  operation: Operation;
  /** The compared columns, each with its number: the difference between two rows is a sum of these. */
  columns: readonly (Column & { name: string; bit: number })[];
}

/**
 * Sets `program` to the key for which a statement of the service is made, where that is no consequence of another one and under no deed,
 * as a reset of a sandbox or an import is. Only for sessions that are known to be the service's, or for a greater depth.
 */
export const findProgram =
  "program := CASE WHEN pg_trigger_depth() = 1 AND coalesce(current_setting('comanda.deed', true), '') = '' THEN request_word(3)::uuid END;";

/** The variable that `findProgram` sets. */
export const programDeclaration = 'program uuid;';

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
SELECT c.location_id, 'api_key', program, request_word(1), ${quoted(operation)}, ${quoted(table.name)},
  CASE WHEN count(*) = 1 THEN (array_agg(c.id))[1] END, array_agg(c.id), count(*)::int,
  jsonb_build_object(${sides.join(',\n    ')})
FROM changed c WHERE ${wanted(of)}
GROUP BY c.location_id`;
}

/**
 * The same entry for one updated row: `former` and `current`, with the bits of what differs in `changed` (made/lone.ts). The JSON of one
 * column is an expression of its own: PostgreSQL sets up a whole expression for every statement, whichever part of it is used.
 */
export function loneHistorySql(of: Historic): string {
  const { table } = of;
  const columns = historic(of);
  const mask = maskOf(of);
  const values = (row: 'former' | 'current') =>
    `jsonb_strip_nulls(jsonb_build_object(${columns
      .map(
        ({ name, bit }) => `${quoted(name)}, CASE WHEN changed & ${bit} <> 0 THEN ${arrayOf(row, name)} END`,
      )
      .join(', ')}))`;
  const ofOne = columns.map(({ name, bit }) => {
    const side = (row: 'former' | 'current') => `jsonb_build_object(${quoted(name)}, ${arrayOf(row, name)})`;
    return `IF changed & ${mask} = ${bit} THEN
  entry := jsonb_build_object('before', ${side('former')}, 'after', ${side('current')});`;
  });
  return `IF program IS NOT NULL AND changed & ${mask} <> 0 THEN
${indented(
  2,
  `${ofOne.join('\nELS')}
ELSE
  entry := jsonb_build_object('before', ${values('former')},
    'after', ${values('current')});
END IF;`,
)}
  INSERT INTO audit_entries (${entryColumns})
  VALUES (current.location_id, 'api_key', program, request_word(1), 'update', ${quoted(table.name)},
    current.${table.published?.id}, ARRAY[current.${table.published?.id}], 1, entry);
END IF;`;
}

const arrayOf = (row: 'former' | 'current', name: string): string =>
  `jsonb_build_array(${row}.${named(name)})`;

const entryColumns =
  'location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes';

const maskOf = (of: Historic): number => historic(of).reduce((sum, { bit }) => sum + bit, 0);

/** Whether rows belong to a product and have an id of their own, as choices do: they come and go with it. */
const isOwnPart = ({ table }: Historic): boolean =>
  table.belongs?.partOf !== undefined && table.published?.id === 'id';

function wanted(of: Historic): string {
  const { table, operation } = of;
  if (operation === 'update') {
    return `program IS NOT NULL AND c.operation = 'update' AND c.changed & ${maskOf(of)} <> 0`;
  }
  const parent = table.belongs?.partOf;
  if (parent === undefined)
    return operation === 'insert'
      ? 'program IS NOT NULL'
      : `program IS NOT NULL AND EXISTS (SELECT FROM locations l WHERE l.id = c.location_id)`;
  // A row inserted or deleted with its product is no change of the product.
  return `program IS NOT NULL AND EXISTS (
  SELECT FROM ${parent} p WHERE p.location_id = c.location_id AND p.id = c.id AND p.created_at < now()::timestamptz(3))`;
}
