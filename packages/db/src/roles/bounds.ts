import type { RoleKind } from './access.ts';

/** The bounds of the sessions of a role that people and their tools log in as. */
export interface RoleBounds {
  /** Sessions at once, as PostgreSQL counts them for the role itself. */
  connections: number;
  /** How long a statement runs, in seconds. */
  statement: number;
  /** How long a transaction lies idle, in seconds. */
  idleInTransaction: number;
  /** How long a transaction is open, in seconds. */
  transaction: number;
  /** How long an advisory lock is held, in seconds. */
  advisoryLock: number;
  /** How long a statement waits for a lock, in seconds. */
  lockWait: number;
  /** Whether transactions only read unless the session says otherwise. */
  readOnly: boolean;
  /** Gigabytes that one session writes to temporary files; held where a superuser sets up the roles. */
  temporaryFiles: number;
}

/** A role that is bounded. */
export type BoundedRole = Extract<RoleKind, 'admin' | 'reader'>;

/**
 * The bounds of each role, the more trusted first: a login role that is a member of both has those of the first. A trigger
 * of an edit takes advisory locks to the end of the transaction, so an admin holds one for as long as a transaction lasts;
 * a reader takes none.
 */
export const roleBounds: Readonly<Record<BoundedRole, RoleBounds>> = {
  admin: {
    connections: 20,
    statement: 60,
    idleInTransaction: 30,
    transaction: 120,
    advisoryLock: 120,
    lockWait: 5,
    readOnly: false,
    temporaryFiles: 2,
  },
  reader: {
    connections: 20,
    statement: 300,
    idleInTransaction: 60,
    transaction: 900,
    advisoryLock: 1,
    lockWait: 5,
    readOnly: true,
    temporaryFiles: 2,
  },
};

/** More locks than an edit takes, which one session holds at most. All sessions of a server share one table of locks. */
export const mostLocks = 1_000;

/** The roles that are bounded, in the order of `roleBounds`. */
export const boundedRoles = Object.keys(roleBounds) as BoundedRole[];

/**
 * The settings that a role's sessions begin with. A session may set each of them otherwise; the worker ends it even
 * then.
 */
export function sessionDefaults(role: BoundedRole): Readonly<Record<string, string>> {
  const { statement, idleInTransaction, lockWait, readOnly } = roleBounds[role];
  return {
    statement_timeout: `${statement}s`,
    idle_in_transaction_session_timeout: `${idleInTransaction}s`,
    lock_timeout: `${lockWait}s`,
    // Never off: that of a role would override a database that was set read-only.
    ...(readOnly && { default_transaction_read_only: 'on' }),
  };
}

/**
 * Functions of PostgreSQL that PUBLIC may call and that lock for others, or write: advisory locks, large objects, messages in
 * the log. `pg_advisory_unlock_all` stays: drivers call it whenever a connection goes back to its pool.
 */
export const closedFunctions = `p.pronamespace = 'pg_catalog'::regnamespace
  and p.proname ~ '^(pg_(try_)?advisory_(xact_)?lock|lo_|loread$|lowrite$|pg_logical_emit_message$)'
  and p.proname not in ('lo_import', 'lo_export')`;
