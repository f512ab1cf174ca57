import type { Target } from './target.ts';

/** A request that a caller sends as often as its key lets it. */
export interface Attack {
  /** Its name in the row of the table, after "with". */
  name: string;
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  /**
   * The body at a location; `small` on tiny data. Each `@@@@` in it is another four digits in each request, so that none is
   * answered as the one before.
   */
  body?(location: Target, small: boolean): string;
  /** Its key is of the location without products. */
  isOfEmpty?: boolean;
  /** Connections on which it is sent: 4 unless said. */
  lanes?: number;
  /** Its cost to others is also compared with that of ten statements which read as much. */
  isCompared?: boolean;
}

const mebibyte = 1024 * 1024;

/** The text as often as it fits. */
export const upTo = (bytes: number, text: string): string => text.repeat(Math.floor(bytes / text.length));

/** Items of a list up to so many bytes. */
export function manyItems(bytes: number, item: string): string {
  return `[${upTo(bytes, `${item},`).slice(0, -1)}]`;
}

/** Bytes of the part that fills a body, for the largest body of its kind; 64 KiB in a check. */
export const room = (kind: 'batch' | 'ordinary', small: boolean): number =>
  small ? 64 * 1024 : (kind === 'batch' ? 8 : 1) * mebibyte - 1_024;

/** A list of `count` items. */
export const items = (count: number, item: (at: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, at) => item(at));
