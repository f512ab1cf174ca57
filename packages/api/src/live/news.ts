import type { NewsRow } from './statements.ts';

/** An event on its way to readers, who share it. */
export interface News {
  locationId: string;
  /** Its place in the feed of its location. */
  number: number;
  id: string;
  type: string;
  /** The text that endpoints of v2 receive. */
  body: string;
  /** How large that is. */
  bytes: number;
}

/** The form in which readers get rows of the feed. */
export const newsOf = ({ number, ...row }: NewsRow): News => ({
  ...row,
  number: Number(number),
  bytes: Buffer.byteLength(row.body),
});

/** The feed of a location that has readers here. */
export interface Feed {
  /** Up to this number its events were given to every reader that keeps up. */
  last: number;
}
