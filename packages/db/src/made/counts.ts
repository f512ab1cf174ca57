import { isAudited, type Table } from '../tables/table.ts';
import type { Catalog } from './catalog.ts';
import { indented, quoted } from './text.ts';

/** The actual number of everything that is counted, for comanda doctor and recounting (recounting.sql). */
export function countedSql(tables: readonly Table[]): string {
  const found = tables.flatMap(({ name, published }) =>
    published?.counted === undefined
      ? []
      : `SELECT ${quoted(`${published.as} `)} || (${published.counted.by}) AS name, ${published.counted.at} AS at, count(*) AS n
FROM ${name} r WHERE r.location_id = p_location GROUP BY 1, 2`,
  );
  return `-- The counts of a location, by the same expressions that the triggers use.
CREATE FUNCTION counted_rows(p_location uuid) RETURNS TABLE (name text, at timestamptz, n bigint) LANGUAGE sql STABLE AS $$
${indented(2, found.join('\nUNION ALL\n'))}
$$;`;
}

/** The tables whose hand edits are kept, for undo (audit_undo.sql) and guards. */
export function auditedSql(tables: readonly Table[], { keys, foreignKeys }: Catalog): string {
  const names = tables.filter(isAudited).map(({ name }) => name);
  const cases = names.map((name) => `WHEN ${quoted(name)} THEN ${quoted(`{${keys[name]?.join(',')}}`)}`);
  const lost = names.flatMap((name) => {
    const children = foreignKeys.filter(
      (key) => key.cascades && key.parent === name && !names.includes(key.table),
    );
    if (children.length === 0) return [];
    return `WHEN ${quoted(name)} THEN ${quoted(`{${children.map((key) => key.table).join(',')}}`)}`;
  });
  return `-- The tables of which the audit keeps rows, parents before their children: in this order an undo inserts.
CREATE FUNCTION audited_tables() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT '{${names.join(', ')}}'::text[]
$$;

-- The primary key of one of them; null for any other table.
CREATE FUNCTION audited_key(p_relation text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_relation
${indented(4, cases.join('\n'))} END::text[]
$$;

-- Rows that are deleted with a row of one of them and are kept nowhere, so that its deletion cannot be
-- undone.
CREATE FUNCTION gone_with(p_relation text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(CASE p_relation
${indented(4, lost.join('\n'))} END, '{}')::text[]
$$;`;
}
