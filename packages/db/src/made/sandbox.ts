import { sqlName } from '../tables/sql-name.ts';
import type { SandboxReset, Table } from '../tables/table.ts';
import type { Catalog } from './catalog.ts';
import { indented, named } from './text.ts';

/**
 * `remove_sandbox_rows`, which removes rows of a sandbox. The rules for it are in sandbox.sql. Throws {Error} when a
 * row would still be named by another one.
 */
export function sandboxSql(tables: readonly Table[], catalog: Catalog): string {
  const resetAs = (...wanted: SandboxReset[]): Table[] =>
    wanted.flatMap((each) => tables.filter(({ belongs }) => belongs?.sandbox === each));
  const names = reference(tables, catalog);
  const early = childrenFirst(resetAs('emptied twice', 'emptied'), names);
  const late = childrenFirst(resetAs('emptied twice', 'emptied last'), names);
  refuseNamed([...early, ...late], tables, names);
  return `-- Removes at most p_most rows, children before what they name, and gives how many. Orders name methods and turns: what is
-- placed meanwhile is removed once the lock of the turn, which each order takes after the stock, keeps further ones
-- out. Along the primary key, for any estimate of the planner. A row is locked before the statement that removes it
-- begins: one that was changed meanwhile has another place, which the snapshot of the statement that waited for it does
-- not show.
CREATE FUNCTION remove_sandbox_rows(p_location uuid, p_most int) RETURNS int
LANGUAGE plpgsql SET search_path = public, internal, pg_temp SET enable_sort = off SET enable_seqscan = off AS $$
DECLARE
  removed int;
  places tid[];
  room int := p_most;
BEGIN
${indented(2, early.map((table) => removal(table, catalog)).join('\n'))}

  PERFORM pg_advisory_xact_lock(turn_lock(p_location));

${indented(2, late.map((table) => removal(table, catalog)).join('\n'))}
  RETURN p_most - room;
END $$;`;
}

/** Whether rows of one table, or a part of them, name rows of another that would not go while they are there. */
type Names = (child: Table, parent: Table) => boolean;

function reference(tables: readonly Table[], { foreignKeys }: Catalog): Names {
  const whole = new Map(tables.map(({ name, belongs }) => [name, belongs?.partOf ?? name]));
  const held = foreignKeys.filter(({ cascades }) => !cascades);
  return (child, parent) =>
    child !== parent &&
    held.some((key) => whole.get(key.table) === child.name && whole.get(key.parent) === parent.name);
}

/** Children before what they name, otherwise as they come. */
function childrenFirst(tables: readonly Table[], names: Names): Table[] {
  const next = tables.find((table) => !tables.some((other) => names(other, table)));
  if (next === undefined) {
    if (tables.length === 0) return [];
    throw new Error(`these name each other: ${tables.map(({ name }) => name).join(', ')}`);
  }
  return [
    next,
    ...childrenFirst(
      tables.filter((table) => table !== next),
      names,
    ),
  ];
}

function refuseNamed(order: readonly Table[], tables: readonly Table[], names: Names): void {
  for (const [place, parent] of order.entries())
    for (const child of tables)
      if (names(child, parent) && !order.slice(0, place).includes(child))
        throw new Error(
          `a reset of a sandbox cannot empty ${parent.name}: ${child.name} names it, and is not emptied before`,
        );
}

function removal(table: Table, { keys }: Catalog): string {
  const name = sqlName(table);
  const when = table.belongs?.emptiedWhen;
  const key = (keys[table.name] ?? []).map(named).join(', ');
  return `SELECT array_agg(r.ctid) INTO places FROM (SELECT ctid FROM ${name}
  WHERE location_id = p_location${when === undefined ? '' : ` AND ${when}`}
  ORDER BY ${key} LIMIT room FOR UPDATE) r;
DELETE FROM ${name} WHERE ctid = ANY (places);
GET DIAGNOSTICS removed = ROW_COUNT;
room := room - removed;
IF room = 0 THEN RETURN p_most; END IF;`;
}
