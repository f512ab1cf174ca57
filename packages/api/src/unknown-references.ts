import { isId, type Queryable, type Statement, statement } from '@comanda/db';
import { type ApiError, invalid } from './errors.ts';
import { keptByName } from './kept.ts';
import { namesNothing, type Reference } from './references.ts';

/**
 * Those of the references that name nothing at the location. With `lock` the rows that are there cannot be deleted before the end
 * of the transaction: take it before the rows that refer to them.
 */
export async function unknownReferences(
  on: Queryable,
  locationId: string,
  references: readonly Reference[],
  lock = false,
): Promise<Reference[]> {
  const known = new Set<string>();
  for (const table of [...new Set(references.map((each) => each.table))].sort()) {
    const ids = references.flatMap(({ table: of, id }) => (of === table && isId(id) ? [id] : []));
    const rows = await on.run(finding(table, lock), [locationId, [...new Set(ids)]]);
    for (const { id } of rows) known.add(keyOf({ table, id }));
  }
  return references.filter((reference) => !known.has(keyOf(reference)));
}

/** The target of a reference. */
const keyOf = ({ table, id }: Pick<Reference, 'table' | 'id'>): string => `${table} ${id}`;

/** The refusal of references that name nothing. */
export const refusedReferences = (unknown: readonly Reference[]): ApiError =>
  invalid(
    unknown.map(({ path, table }) => ({
      path,
      message: namesNothing(table),
      reason: 'unknown_reference' as const,
    })),
  );

const statements = keptByName<Statement<{ id: string }>>();

/** $1 location, $2 ids. In the order of the ids, as every lock of several rows is taken. */
function finding(table: string, lock: boolean): Statement<{ id: string }> {
  return statements(`${lock ? 'hold' : 'find'}_referenced_${table}`, (name) =>
    statement<{ id: string }>(
      name,
      `select r.id from (select * from unnest($2::uuid[]) as v (id) order by v.id) v cross join lateral (
         select t.id from ${table} t where t.location_id = $1::uuid and t.id = v.id${lock ? ' for key share' : ' limit 1'}) r`,
    ),
  );
}
