/** The header by which a tab says that it is in. */
export const tokenHeader = 'studio-token';

/** What the page is told once its tab is in. */
export interface PageSession {
  /** Of the page. */
  title: string;
  /** The address of the desk, where it is known. */
  desk: string | null;
  /** Columns beside which a row leads to its order at the desk, and the column with the order's id. */
  deskLinks: Readonly<Record<string, string>>;
  /** Tables whose rows are not deleted, and what to do instead. */
  kept: Readonly<Record<string, string>>;
  /** Names of locations by their ids. */
  locations: Readonly<Record<string, string>>;
}
