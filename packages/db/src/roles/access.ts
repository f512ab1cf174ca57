import { guardsOf } from '../tables/guards.ts';
import { tables } from '../tables/index.ts';
import { sqlName } from '../tables/sql-name.ts';
import type { Operation, Table } from '../tables/table.ts';

/** A role of one database, under any prefix. */
export type RoleKind = 'owner' | 'service' | 'admin' | 'reader';

/** The privileges of a role on rows. */
export type Privilege = Operation | 'select';

/** The privileges of each role on the rows of a table. The owner may do everything. */
export interface TableAccess {
  /** With its schema, where that is not `public`. */
  table: string;
  service: readonly Privilege[];
  /** Those of every column, except for updates. */
  admin: readonly Privilege[];
  /** The columns that an admin may update. */
  edited: readonly string[];
  /**
   * The columns that an admin may name in an update too, though a guard refuses it, so that the guard's sentence says
   * what to do instead.
   */
  guarded: readonly string[];
  reader: readonly Privilege[];
  /** The columns that an admin and a reader see, where that is not every column. */
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
 * Every table, from its row. Guards hold besides; changes by triggers and foreign keys are made as the owner, so no
 * role needs a privilege for them.
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
    table: sqlName(table),
    service,
    admin: admins[people],
    edited,
    guarded: edits ? guarded.filter((name) => !edited.includes(name)) : [],
    reader: people === 'none' ? [] : ['select'],
    ...(people !== 'none' && seen.length < columns.length && { seen }),
  };
}
