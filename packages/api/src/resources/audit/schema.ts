import { z } from 'zod';
import { aheadSentence, readFrom } from '../../moments.ts';
import { Id, page, paging, Timestamp, TimestampFilter } from '../../wire.ts';

const day = z.iso.date();

const filters = {
  since: readFrom(
    z
      .string()
      .refine((text) => TimestampFilter.safeParse(text).success || day.safeParse(text).success, {
        error: 'must be a day, YYYY-MM-DD, or an ISO 8601 time with an offset or Z',
      })
      .transform((text) => new Date(text)),
  )
    .optional()
    .meta({ description: `From this moment, or day (UTC), on. ${aheadSentence}`, example: '2026-01-31' }),
  table: z
    .string()
    .optional()
    .meta({ description: 'The changes in it by hand or by programs.', example: 'products' }),
  by: z
    .string()
    .optional()
    .meta({
      description:
        'A person, by any way of access: a login or application of the database, the name given at the command line, the ' +
        'name of a key, with or without `app: `; or the id of a key.',
      example: 'ana',
    }),
  id: z.guid().optional().meta({ description: 'An entry, or a row that was changed.' }),
};

/** Which entries of any location are wanted, newest first. */
export const AuditList = z.object({
  location_id: Id.optional(),
  ...filters,
  limit: z.int().min(1, 'must be 1 to 1000').max(1000, 'must be 1 to 1000').default(50),
});
export type AuditList = z.infer<typeof AuditList>;

const { id: about, ...others } = filters;

/** Which entries of the location of the key. */
export const AuditListHere = z.object({ ...paging, ...others, about });
export type AuditListHere = z.infer<typeof AuditListHere>;

const Fields = z.record(z.string(), z.unknown()).nullable();

/** A row that was changed by hand or by a program; `before` is null for one that came, `after` for one that went. */
const HandEditedRow = z.object({
  /** Its primary key, without the location. */
  key: z.record(z.string(), z.unknown()),
  /** As `resource_name`: of the row that is asked for by `about`, or of every row where that is the entry. */
  name: z.string().optional(),
  before: Fields,
  after: Fields,
  /** Columns changed by hand whose values are not kept. */
  left_out: z.array(z.string()).optional(),
});

/** The author and content of a change. Contract, section 8. */
export const AuditEntry = z
  .object({
    id: Id,
    /** Where it was done; what was done may concern another location that it made. Absent where there is none. */
    location_id: Id.optional(),
    created_at: Timestamp,
    actor: z.enum(['api_key', 'command_line', 'database']),
    /** The author: the owner of the key or login, else the name that was stated. Absent where no name was stated. */
    by: z.string().optional(),
    /** Whether that is known: an own login, or a key. False for what was stated at the command line or over a shared login. */
    by_known: z.boolean().optional(),
    api_key_id: Id.optional(),
    /** The key's name today. */
    key_name: z.string().optional(),
    /** By hand: the role of the session, and what it calls itself (psql). From the command line: the name that was given. */
    role: z.string().optional(),
    application: z.string().optional(),
    request_id: z.string().optional(),
    /** Where that request came from. */
    client_address: z.string().optional(),
    /** The procedure; of rows insert, update, delete or truncate. */
    operation: z.string(),
    resource_id: Id.optional(),
    /**
     * Its name, or its number: today's, else as the entry keeps it. Of a payment, the order's; of several rows, the
     * first three's.
     */
    resource_name: z.string().optional(),
    /** The fields that differ; `before` is null for what was made. Absent where `rows` are there. */
    changes: z.object({ before: Fields, after: Fields }).optional(),
    /** Of rows: the table, how many, and the first 100 of them. */
    table: z.string().optional(),
    row_count: z.int().optional(),
    rows: z.array(HandEditedRow).optional(),
    /** How many rows of which tables went by cascade. */
    cascaded: z.record(z.string(), z.int()).optional(),
    /** The entry of the deletion that these rows went with. */
    caused_by: Id.optional(),
    /** The deed that the transaction declared to bypass a guard. */
    deed: z.string().optional(),
    /** The entry that this undid. */
    undo_of: Id.optional(),
    /** By hand: why it cannot be undone, or which deed that needs. A later change is found by the undo itself. */
    cannot_undo: z.string().optional(),
  })
  .meta({ id: 'AuditEntry', description: 'A change and its author.' });
export type AuditEntry = z.infer<typeof AuditEntry>;

/** An entry as the desk shows it. */
export const AuditListEntry = AuditEntry.extend({
  can_undo: z.literal(true).exactOptional().meta({
    description: 'The key may undo it, as far as the entry shows; a later change may still prevent it.',
  }),
}).meta({ id: 'AuditListEntry', description: 'A change and its author.' });
export type AuditListEntry = z.infer<typeof AuditListEntry>;

export const AuditPage = page(AuditListEntry);

/** Which entry is undone. */
export const AuditUndoRequest = z.object({
  id: Id,
  dry_run: z
    .boolean()
    .default(false)
    .meta({ description: 'Only says what would be written.', example: true }),
});
export type AuditUndoRequest = z.infer<typeof AuditUndoRequest>;

/** The changes of an undo, made or planned. */
export const AuditUndo = z.object({ dry_run: z.boolean(), entries: z.array(AuditEntry) });
export type AuditUndo = z.infer<typeof AuditUndo>;
