import { guardsOf } from '../tables/guards.ts';
import { tables } from '../tables/index.ts';
import { sqlName } from '../tables/sql-name.ts';
import type { Operation, Table } from '../tables/table.ts';

/** A role of one database, whatever its full name. */
export type RoleKind = 'owner' | 'service' | 'admin' | 'reader';

/** What a role may do with rows. */
export type Privilege = Operation | 'select';

/** Who may do what with the rows of a table. The owner may do everything. */
export interface TableAccess {
  /** With its schema, where that is not `public`. */
  table: string;
  service: readonly Privilege[];
  /** Of every column, but for updates. */
  admin: readonly Privilege[];
  /** What an admin may update. */
  edited: readonly string[];
  /** What an admin may name in an update too, though a guard refuses it, so that it says what to do instead. */
  guarded: readonly string[];
  reader: readonly Privilege[];
  /** What an admin and a reader see, where that is not every column. */
  seen?: readonly string[];
}

/** The views of `prisma/sql/views.sql`, which people may read. */
export const viewsForPeople: readonly string[] = [
  'orders_today',
  'order_events',
  'failing_deliveries',
  'low_stock',
];

const admins = {
  edit: ['select', 'insert', 'delete'],
  keep: ['select', 'insert'],
  read: ['select'],
  none: [],
} as const;

/**
 * Every table, from its row. Guards hold besides; what a statement brings about by triggers and foreign keys is done as the
 * owner, so nobody needs a privilege for that.
 */
export const tableAccess: readonly TableAccess[] = [
  ...tables.map(accessOf),
  // Prisma's own, which the service compares with the migrations of this build.
  { table: '_prisma_migrations', service: ['select'], admin: [], edited: [], guarded: [], reader: [] },
];

function accessOf(table: Table): TableAccess {
  const { people, service } = table.access;
  const columns = Object.entries(table.columns);
  const edits = people === 'edit' || people === 'keep';
  const edited = edits ? columns.flatMap(([name, column]) => (column.edited ? [name] : [])) : [];
  const guarded = guardsOf(table).flatMap((guard) =>
    'lines' in guard ? Object.keys(table.columns) : 'never' in guard ? guard.never : [],
  );
  const seen = columns.flatMap(([name, column]) => (column.secret ? [] : [name]));
  return {
    ...{ table: sqlName(table), service, admin: admins[people], edited },
    guarded: edits ? guarded.filter((name) => !edited.includes(name)) : [],
    reader: people === 'none' ? [] : ['select'],
    ...(people !== 'none' && seen.length < columns.length && { seen }),
  };
}
