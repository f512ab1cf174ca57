import { isAudited, type Table } from '../tables/table.ts';
import { indented, quoted } from './text.ts';

/** What is there of all that is counted, for comanda doctor and recounting (recounting.sql). */
export function countedSql(tables: readonly Table[]): string {
  const found = tables.flatMap(({ name, published }) =>
    published?.counted === undefined
      ? []
      : `SELECT ${quoted(`${published.as} `)} || (${published.counted.by}) AS name, ${published.counted.at} AS at, count(*) AS n
FROM ${name} r WHERE r.location_id = p_location GROUP BY 1, 2`,
  );
  return `-- What a location has of everything that is counted, by the same expressions as the triggers count by.
CREATE FUNCTION counted_rows(p_location uuid) RETURNS TABLE (name text, at timestamptz, n bigint) LANGUAGE sql STABLE AS $$
${indented(2, found.join('\nUNION ALL\n'))}
$$;`;
}

/** The tables whose hand edits are kept, parents before children: an undo inserts in this order (audit_undo.sql). */
export function auditedSql(
  tables: readonly Table[],
  keys: Readonly<Record<string, readonly string[]>>,
): string {
  const rows = tables
    .filter(isAudited)
    .map(
      ({ name }, place) => `(${quoted(name)}, ${place + 1}, ${quoted(`{${keys[name]?.join(',')}}`)}::text[])`,
    );
  return `-- The tables of which the audit keeps rows, parents before their children, with their primary keys.
CREATE FUNCTION audited_tables() RETURNS TABLE (relation text, place int, key text[]) LANGUAGE sql IMMUTABLE AS $$
  VALUES
${indented(4, rows.join(',\n'))}
$$;`;
}
