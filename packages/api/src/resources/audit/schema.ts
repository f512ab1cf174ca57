import { z } from 'zod';
import { Id, Timestamp } from '../../wire.ts';

/** Which entries are wanted, newest first. */
export const AuditList = z.object({
  location_id: Id.optional(),
  limit: z
    .int({ error: 'must be a whole number' })
    .min(1, 'must be 1 to 1000')
    .max(1000, 'must be 1 to 1000')
    .default(50),
});
export type AuditList = z.infer<typeof AuditList>;

const Fields = z.record(z.string(), z.unknown()).nullable();

/** Who changed what. Contract, section 8. */
export const AuditEntry = z.object({
  id: Id,
  /** Where it was done; what was done may concern another location that it made. */
  location_id: Id,
  created_at: Timestamp,
  actor: z.enum(['api_key', 'command_line']),
  api_key_id: Id.optional(),
  /** The key's name today. */
  key_name: z.string().optional(),
  request_id: z.string().optional(),
  operation: z.string(),
  resource_id: Id.optional(),
  /** The fields that differ; `before` is null for what was made. */
  changes: z.object({ before: Fields, after: Fields }),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
