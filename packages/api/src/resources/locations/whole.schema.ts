import { z } from 'zod';
import { Id } from '../../wire.ts';

/** A file of an export: the rows of a table, a JSON object a line. */
export const ExportedTable = z.object({
  table: z.string(),
  file: z.string().regex(/^[a-z_]+\.jsonl$/, 'must be a file of the folder'),
  rows: z.int().min(0),
  bytes: z.int().min(0),
  sha256: z.string(),
});
export type ExportedTable = z.infer<typeof ExportedTable>;

/** `manifest.json` of an export: the contents of the folder, and the releases that it fits. */
export const Manifest = z.object({
  format: z.literal(1, 'must be 1: the folder is of another version'),
  location: z.object({ id: Id, code: z.string(), name: z.string() }),
  /** Its state when it was exported. */
  status: z.string(),
  exported_at: z.string(),
  /** The last migration of its database, and the checksum of that. */
  schema: z.object({ migration: z.string(), checksum: z.string() }),
  /** The history that its database was in (database_epoch). */
  epoch: z.string(),
  /** The oldest transaction that was under way, by its number in that history: what later ones wrote may be missing. */
  snapshot: z.string().regex(/^\d+$/).optional(),
  /** Where the folder holds what a copy lacks: what that has (null where all of it is replaced), and the keys of rows that are gone, by table. */
  changes: z
    .object({
      copy: z.string(),
      since: z.string().nullable(),
      gone: z.record(z.string(), z.array(z.string())),
    })
    .optional(),
  /** The keys of ENCRYPTION_KEY that seal its secrets. */
  encryption_keys: z.array(z.string()),
  tables: z.array(ExportedTable),
});
export type Manifest = z.infer<typeof Manifest>;
