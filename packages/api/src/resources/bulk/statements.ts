import { statement } from '@comanda/db';

/** $1 location. */
export const holdBulkWrites = statement('hold_bulk_writes', 'select hold_bulk_writes($1::uuid)');

/** First in a transaction: all that it reads is of one moment. */
export const beginSnapshot = statement(
  'begin_bulk_snapshot',
  'set transaction isolation level repeatable read, read only',
);
