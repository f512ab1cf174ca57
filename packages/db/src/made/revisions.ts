import type { Table } from '../tables/table.ts';
import { listed } from './text.ts';

// The functions that change the revision of a row, from which its entity tag is made (revisions.sql), and those that
// read it after a write.

/** The triggers and the function of a table that is `versioned`. */
export function revisionSql({ name, columns, versioned, guards = [] }: Table): string[] {
  if (versioned === undefined) return [];
  const edited = Object.entries(columns).flatMap(([column, { edited, revises }]) =>
    edited || revises ? [column] : [],
  );
  const differs =
    versioned === 'any'
      ? 'OLD.* IS DISTINCT FROM NEW.*'
      : `ROW(${listed('OLD', edited)})\n    IS DISTINCT FROM ROW(${listed('NEW', edited)})`;
  const located = 'location_id' in columns ? 'r.location_id = p_location AND r.id = p_id' : 'r.id = p_id';
  return [
    `CREATE TRIGGER revise BEFORE UPDATE ON ${name}
  FOR EACH ROW WHEN (${differs}) EXECUTE FUNCTION revise_row();`,
    // A revision that is kept is never used again.
    ...(guards.some((guard) => 'kept' in guard)
      ? []
      : [
          `CREATE TRIGGER revise_new BEFORE INSERT ON ${name}
  FOR EACH ROW WHEN (NOT by_service()) EXECUTE FUNCTION revise_new_row();`,
        ]),
    // Volatile: it sees what the statement that calls it has written.
    `CREATE FUNCTION ${name}_revision(p_location uuid, p_id uuid) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT r.revision FROM ${name} r WHERE ${located}
$$;`,
  ];
}
