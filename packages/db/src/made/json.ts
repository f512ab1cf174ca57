import type { Table } from '../tables/table.ts';
import type { Catalog } from './catalog.ts';
import { listed, named } from './text.ts';

// Functions that show a row and write one, of its published columns. Each is a plain function: the planner may inline
// what shows.

/** The functions that show and write the rows of a table that says so. */
export function jsonSql(table: Table, catalog: Catalog): string[] {
  const { name, published, columns } = table;
  if (published?.json === undefined) return [];
  const shown = Object.entries(columns).filter(([, column]) => column.published);
  const names = shown.map(([column]) => column);
  const always = shown.filter(([, column]) => !column.onRequest).map(([column]) => column);
  const inCatalog = shown.filter(([, column]) => column.catalog).map(([column]) => column);
  const text = (of: readonly string[]) => of.map((column) => member(name, column, catalog)).join('\n    || ');
  const part = (
    suffix: string,
    of: readonly string[],
  ) => `CREATE FUNCTION ${name}_${suffix}(r ${name}) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ${text(of)}
$$;`;
  const whole = `CREATE FUNCTION ${name}_json(location uuid, ids uuid[]) RETURNS TABLE (id uuid, doc text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT r.id, '{"id":"' || r.id || '"' || ${text(always)} || '}'
  FROM ${name} r WHERE r.location_id = location AND r.id = ANY (ids)
$$;`;
  return [
    ...(published.json === 'whole' ? [whole] : [part('columns', always), part('in_catalog', inCatalog)]),
    // The row with the fields that are given: a new one has null in what is not.
    `CREATE FUNCTION write_${name}_row(p_location uuid, p_id uuid, p_new boolean, p_fields jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF p_new THEN
    INSERT INTO ${name} (location_id, id, ${names.map(named).join(', ')})
    SELECT p_location, p_id, ${listed('f', names)} FROM jsonb_populate_record(NULL::${name}, p_fields) f;
  ELSE
    UPDATE ${name} r SET (${names.map(named).join(', ')})
      = (SELECT ${listed('f', names)} FROM jsonb_populate_record(r, p_fields) f)
    WHERE r.location_id = p_location AND r.id = p_id;
  END IF;
END $$;`,
  ];
}

/**
 * A member of a JSON object, as text: json_build_object costs twice as much. A member that may be null is left out
 * then.
 */
function member(table: string, column: string, { columns }: Catalog): string {
  const found = columns.find((each) => each.table === table && each.name === column);
  if (found === undefined) throw new Error(`the database has no column ${table}.${column}`);
  const value = shownAs[found.type]?.(`r.${named(column)}`) ?? `to_jsonb(r.${named(column)})::text`;
  const text = `',"${column}":' || ${value}`;
  return found.notNull ? text : `coalesce(${text}, '')`;
}

const plain = (value: string) => `${value}::text`;

const shownAs: Readonly<Record<string, (value: string) => string>> = {
  text: (value) => `to_json(${value})::text`,
  numeric: (value) => `trim_scale(${value})::text`,
  boolean: plain,
  integer: plain,
  smallint: plain,
};
