/**
 * The SQL with the collation that every column of text has: in the order of code points, under any collation of the
 * server.
 */
export function collated(sql: string): string {
  return sql.replace(newText, '$& COLLATE "C"');
}

// In CREATE TABLE, in ADD COLUMN, and where a column gets another type.
const newText =
  /^\s*(?:ALTER TABLE \S+ +)?(?:ADD COLUMN +)?(?:ALTER COLUMN +)?"\w+" +(?:SET DATA TYPE +)?(?:TEXT|VARCHAR\(\d+\)|CHAR\(\d+\))(?:\[\])?(?= |,|;|$)/gm;
