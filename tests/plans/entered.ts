/** The columns of each index by its name, in their order; an expression is an empty name. */
export type Indexes = ReadonlyMap<string, readonly string[]>;

/** Reads them; for `Indexes` as [name, columns]. */
export const indexColumns = `
  select c.relname as name, array(
    select coalesce(a.attname, '') from unnest(i.indkey) with ordinality k (attnum, place)
    left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum and k.attnum > 0 order by place)::text[] as columns
  from pg_index i join pg_class c on c.oid = i.indexrelid`;

/**
 * The columns of a condition that only filter the entries that the index visits: those behind a column that is not held to
 * one value. EXPLAIN shows them as part of the condition, and does not count what they remove.
 */
export function unentered(condition: string, columns: readonly string[]): string[] {
  const clauses = clausesOf(condition);
  const equal = new Set(clauses.filter(({ exact }) => exact).map(({ column }) => column));
  const held = columns.findIndex((column) => !equal.has(column));
  if (held === -1) return [];
  const behind = new Set(columns.slice(held + 1));
  return clauses
    .map(({ column }) => column)
    .filter((column) => behind.has(column) && column !== columns[held]);
}

// The index's own column is to the left of each operator.
function clausesOf(condition: string): { column: string; exact: boolean }[] {
  return conjuncts(condition).flatMap((clause) => {
    const found = /^\(*(?:ROW\()?(?:[\w"]+\.)?"?(\w+)"?(?:\)::\w+)?(.*)$/s.exec(clause);
    const [, column, rest = ''] = found ?? [];
    return column === undefined ? [] : [{ column, exact: /^ (=|IS NULL)/.test(rest) }];
  });
}

function conjuncts(condition: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  const inner = /^\(.*\)$/s.test(condition) ? condition.slice(1, -1) : condition;
  for (let at = 0; at < inner.length; at += 1) {
    if (inner[at] === '(') depth += 1;
    else if (inner[at] === ')') depth -= 1;
    else if (depth === 0 && inner.startsWith(' AND ', at)) {
      parts.push(inner.slice(from, at));
      from = at + 5;
    }
  }
  return [...parts, inner.slice(from)];
}
