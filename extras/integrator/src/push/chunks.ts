import type { Row } from './rows.ts';

/** Half of what the service takes, as it counts the JSON around the items, too. */
const mostBytes = 4 * 1024 * 1024;

/** Rows in parts, each of so many at most, and of so many bytes. The same rows make the same parts. */
export function chunksOf(rows: readonly Row[], most: number): Row[][] {
  const chunks: Row[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row.item));
    const last = chunks.at(-1);
    if (last === undefined || last.length >= most || bytes + size > mostBytes) {
      chunks.push([row]);
      bytes = size;
    } else {
      last.push(row);
      bytes += size;
    }
  }
  return chunks;
}
