/**
 * Every SQLSTATE that the code compares with, by what it means to us: whole ones, or the two characters of a class. A
 * meaning holds all that PostgreSQL 15 to 18 report for it; no other file of the code names one. The codes CM0xx are our own,
 * raised in prisma/sql.
 */
const table = {
  /** Another row has the name, the number or the key. */
  taken: ['23505'],
  /** The row that is named is gone, or rows hang on what goes. PostgreSQL 18 reports ON DELETE RESTRICT as 23001. */
  referenced: ['23503', '23001'],
  /** Two transactions met, and this one was rolled back: a deadlock, a serialization failure. */
  collided: ['40P01', '40001'],
  deadlocked: ['40P01'],
  rolledBack: ['40'],
  /** A lock did not come in time. */
  lockTimeout: ['55P03'],
  /** Ended by a statement's time limit, or by an administrator. */
  canceled: ['57014'],
  /** A statement of the transaction failed before: the error of that one gives the reason. */
  aborted: ['25P02'],
  /** A transaction was left idle for too long. */
  leftIdle: ['25P03', '25P04'],
  readOnly: ['25006'],
  /** The server, or the way to it. */
  disconnected: ['08'],
  connectionFailed: ['08006'],
  goingDown: ['57P01', '57P02', '57P03', '57P04', '57P05'],
  starting: ['57P03'],
  /** No connections, memory or disk left. */
  exhausted: ['53'],
  diskFull: ['53100'],
  noConnectionLeft: ['53300'],
  systemFailed: ['58'],
  loginRefused: ['28', '3D000'],
  notGranted: ['42501'],
  /** The table, function, role or schema does not exist. */
  undefinedObject: ['42704', '42883', '42P01', '3F000'],
  invalidParameter: ['22023'],
  /** A row breaks a constraint of its table. */
  constraint: ['23'],
  /** A column that needs a value has none. */
  empty: ['23502'],
  /** A value, or a row, that a CHECK does not let in. */
  unfit: ['23514'],
  /** A number that its type does not hold. */
  tooLarge: ['22003'],
  /** A text that is longer than its type. */
  tooLong: ['22001'],
  /** A text that its type cannot read: of a number, an enumeration, an id, a time. */
  unreadable: ['22P02', '22007', '22008'],
  /** A view that shows rows of other tables. */
  notUpdatable: ['55000'],
  /** A value that a function cannot work with; what a function raises by itself. */
  data: ['22', 'P0', 'CM'],
  illegalMove: ['CM001'],
  insufficientStock: ['CM002'],
  externalIdTaken: ['CM003'],
  guarded: ['CM008'],
  notActive: ['CM009'],
} as const satisfies Record<string, readonly string[]>;

/** The meaning of an SQLSTATE to us. */
export type StateMeaning = keyof typeof table;

/** Whether an SQLSTATE means one of these. */
export const means = (state: string | undefined, ...meanings: readonly StateMeaning[]): boolean =>
  state !== undefined &&
  meanings.some((meaning) => table[meaning].some((known) => state === known || state.slice(0, 2) === known));

/** The SQLSTATE of a meaning: the first of its row. */
export const stateOf = (meaning: StateMeaning): string => table[meaning][0];
