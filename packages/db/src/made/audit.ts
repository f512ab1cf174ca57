import { isAudited, type Operation, type Table } from '../tables/table.ts';
import type { Catalog } from './catalog.ts';
import { capturedOperations, operations } from './operations.ts';
import { indented, listed, named, quoted, same, statementTrigger, triggerFunction } from './text.ts';

// Changes by a statement whose session is not the service's are recorded by location: one entry each (auditing.sql).
// The service pays for a look at its session; where a trigger of capture is there, that looks.

/** The functions and triggers of what no trigger of capture looks at. */
export function auditSql(table: Table, catalog: Catalog): string[] {
  const captured = capturedOperations(table);
  return operations
    .filter((operation) => !captured.includes(operation))
    .flatMap((operation) => {
      const audit = auditOf(table, operation, catalog);
      if (audit === undefined) return [];
      const name = `audit_${operation}_${table.name}`;
      return [
        triggerFunction(name, '', byHand(audit)),
        statementTrigger(`audit_${operation}`, operation, table.name, `${name}()`),
      ];
    });
}

/**
 * The SQL that runs where the statement is not the service's, and no consequence of another; and the SQL that runs
 * otherwise.
 */
export const byHand = (audit: string, otherwise?: string): string =>
  `IF NOT by_service() AND pg_trigger_depth() = 1 THEN\n${indented(2, audit)}\n${otherwise === undefined ? '' : `ELSE\n${indented(2, otherwise)}\n`}END IF;`;

/**
 * Rows whose values an entry has. Its copy of the values before is the only one; what was inserted is undone by the keys and the
 * digest, which an entry of more rows has.
 */
const keptOfInserted = 100;
const keptOfOthers = 10_000;

/** The statement that writes down what an operation did; undefined where nothing of the table is kept. */
export function auditOf(table: Table, operation: Operation, catalog: Catalog): string | undefined {
  if (!isAudited(table)) return undefined;
  const rows = { insert: inserted, update: updated, delete: deleted }[operation](table, catalog);
  const secret = Object.entries(table.columns).flatMap(([name, column]) => (column.secret ? [name] : []));
  const hidden = `(SELECT left_out_of_audit(TG_RELID, '{${secret.join(',')}}'))`;
  const most = operation === 'insert' ? keptOfInserted : keptOfOthers;
  return `PERFORM record_hand_edit(e.location_id, ${quoted(operation)}, ${quoted(table.name)}, e.n, e.kept, e.by_cascade, e.keys, e.digest)
FROM (
  SELECT c.location_id, c.by_cascade, count(*)::int AS n,
    jsonb_agg(audit_row(c.key, to_jsonb(c.old), to_jsonb(c.new), ${hidden}) ORDER BY c.place)
      FILTER (WHERE c.place <= ${most}) AS kept,
    CASE WHEN count(*) > ${keptOfInserted} THEN jsonb_agg(c.key ORDER BY c.place) END AS keys,
    CASE WHEN count(*) > ${keptOfInserted} THEN audit_digest(string_agg(audit_text(to_jsonb(c.${operation === 'delete' ? 'old' : 'new'})), E'\\n' ORDER BY c.place)) END AS digest
  FROM (
${indented(4, rows)}
  ) c GROUP BY 1, 2 ORDER BY 1, 2
) e;`;
}

const inserted = (table: Table, catalog: Catalog): string => {
  const { location, key, ordered } = placeOf(table, catalog, (column) => `n.${named(column)}`);
  return `SELECT ${location} AS location_id, false AS by_cascade, ${key} AS key, NULL::${table.name} AS old, n AS new,
  row_number() OVER (PARTITION BY ${location} ORDER BY ${ordered}) AS place
FROM new_rows n`;
};

const deleted = (table: Table, catalog: Catalog): string => {
  const { location, key, ordered } = placeOf(table, catalog, (column) => `o.${named(column)}`);
  return `SELECT ${location} AS location_id, g.gone AS by_cascade, ${key} AS key, o AS old, NULL::${table.name} AS new,
  row_number() OVER (PARTITION BY ${location}, g.gone ORDER BY ${ordered}) AS place
FROM old_rows o CROSS JOIN LATERAL (${parentGone(table, catalog)}) g`;
};

/** Columns that move with every change: a change of them alone is none. */
const followers: ReadonlySet<string> = new Set(['updated_at', 'revision']);

const updated = (table: Table, catalog: Catalog): string => {
  const keys = catalog.keys[table.name] ?? [];
  const { location, key, ordered } = placeOf(
    table,
    catalog,
    (column) => `coalesce(n.${named(column)}, o.${named(column)})`,
  );
  const compared = catalog.columns
    .filter((column) => column.table === table.name && !followers.has(column.name))
    .map(({ name }) => name);
  const [first = 'id'] = keys;
  return `SELECT ${location} AS location_id, false AS by_cascade, ${key} AS key,
  CASE WHEN o.${first} IS NOT NULL THEN o END AS old, CASE WHEN n.${first} IS NOT NULL THEN n END AS new,
  row_number() OVER (PARTITION BY ${location} ORDER BY ${ordered}) AS place
FROM old_rows o FULL JOIN new_rows n ON ${same('n', 'o', keys)}
WHERE o.${first} IS NULL OR n.${first} IS NULL
  OR ROW(${listed('o', compared)})
    IS DISTINCT FROM ROW(${listed('n', compared)})`;
};

/**
 * A row deleted by cascade is met at the depth of the statement that caused it. It is known by a parent that is gone.
 * An update is never taken for a cascade: one that follows the key of a parent is an entry of its own.
 */
function parentGone(table: Table, { foreignKeys }: Catalog): string {
  const gone = foreignKeys
    .filter((each) => each.table === table.name && each.cascades)
    .map(({ parent, columns, parentColumns }) => {
      const matched = columns.map((column, index) => `p.${parentColumns[index]} = o.${column}`);
      return `NOT EXISTS (SELECT FROM ${parent} p WHERE ${matched.join(' AND ')})`;
    });
  return `SELECT ${gone.length === 0 ? 'false' : gone.join('\n  OR ')} AS gone`;
}

/** Where a row is, and its key as an entry keeps it. */
function placeOf(table: Table, catalog: Catalog, value: (column: string) => string) {
  const keys = catalog.keys[table.name] ?? [];
  const own = keys.filter((column) => column !== 'location_id');
  return {
    location: value('location_id' in table.columns ? 'location_id' : 'id'),
    key: `jsonb_build_object(${own.map((column) => `${quoted(column)}, ${value(column)}`).join(', ')})`,
    ordered: keys.map(value).join(', '),
  };
}
