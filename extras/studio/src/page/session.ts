/** The header with which a tab shows that it is in. */
export const tokenHeader = 'studio-token';

/** The columns with which a person identifies a row. */
export interface RowNames {
  /** Of the row itself. */
  own: string | null;
  /** With the names of rows that it belongs to. */
  linked: readonly string[];
}

/** The data of the page once its tab is in. */
export interface PageSession {
  /** Of the page. */
  title: string;
  /** The address of the desk, where it is known. */
  desk: string | null;
  /** Columns whose rows lead to their order at the desk, and the column with the order's id. */
  deskLinks: Readonly<Record<string, string>>;
  /** Tables whose rows are not deleted, and what to do instead. */
  kept: Readonly<Record<string, string>>;
  /** Names of locations by their ids. */
  locations: Readonly<Record<string, string>>;
  /** The only location that is shown, by its name; null for all. */
  only: string | null;
  /** By what a person knows the rows of each table. */
  rowNames: Readonly<Record<string, RowNames>>;
}
