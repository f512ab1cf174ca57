import { z } from 'zod';
import { Id, Timestamp, TimestampFilter } from '../../wire.ts';

const day = z.iso.date();

/** Which entries are wanted, newest first. */
export const AuditList = z.object({
  location_id: Id.optional(),
  /** A moment, or a day (UTC). */
  since: z
    .string()
    .refine((text) => TimestampFilter.safeParse(text).success || day.safeParse(text).success, {
      error: 'must be a day, YYYY-MM-DD, or an ISO 8601 time with an offset or Z',
    })
    .transform((text) => new Date(text))
    .optional(),
  /** What was changed by hand. */
  table: z.string().optional(),
  /** A role or application of the database, the name of a key, or its id. */
  by: z.string().optional(),
  /** An entry, or a row that was changed. */
  id: z.guid({ error: 'must be an id' }).optional(),
  limit: z
    .int({ error: 'must be a whole number' })
    .min(1, 'must be 1 to 1000')
    .max(1000, 'must be 1 to 1000')
    .default(50),
});
export type AuditList = z.infer<typeof AuditList>;

const Fields = z.record(z.string(), z.unknown()).nullable();

/** A row that was changed by hand; `before` is null for one that came, `after` for one that went. */
const HandEditedRow = z.object({
  /** Its primary key, but for the location. */
  key: z.record(z.string(), z.unknown()),
  before: Fields,
  after: Fields,
  /** Columns that changed, whose values are not kept. */
  left_out: z.array(z.string()).optional(),
});

/** Who changed what. Contract, section 8. */
export const AuditEntry = z.object({
  id: Id,
  /** Where it was done; what was done may concern another location that it made. Absent where there is none. */
  location_id: Id.optional(),
  created_at: Timestamp,
  actor: z.enum(['api_key', 'command_line', 'database']),
  api_key_id: Id.optional(),
  /** The key's name today. */
  key_name: z.string().optional(),
  /** By hand: the role of the session, and what it calls itself (psql). */
  role: z.string().optional(),
  application: z.string().optional(),
  request_id: z.string().optional(),
  /** The procedure; by hand insert, update, delete or truncate. */
  operation: z.string(),
  resource_id: Id.optional(),
  /** The fields that differ; `before` is null for what was made. Absent by hand. */
  changes: z.object({ before: Fields, after: Fields }).optional(),
  /** By hand: the table, how many rows, and the first 100 of them. */
  table: z.string().optional(),
  row_count: z.int().optional(),
  rows: z.array(HandEditedRow).optional(),
  /** How many rows of which tables went by cascade. */
  cascaded: z.record(z.string(), z.int()).optional(),
  /** The entry of the deletion that these rows went with. */
  caused_by: Id.optional(),
  /** What the transaction said to pass a guard. */
  deed: z.string().optional(),
  /** The entry that this undid. */
  undo_of: Id.optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** What an undo wrote, or would have written. */
export interface AuditUndo {
  dry_run: boolean;
  entries: AuditEntry[];
}
