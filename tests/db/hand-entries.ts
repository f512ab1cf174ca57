import type { Hand } from '../support/by-hand.ts';

/** The audit's record of a manual edit. */
export interface HandEntry {
  id: string;
  location_id: string | null;
  actor_name: string;
  application_name: string;
  operation: string;
  relation: string;
  resource_id: string | null;
  row_count: number | null;
  changes: {
    rows: {
      key: Record<string, unknown>;
      before: Record<string, unknown> | null;
      after: Record<string, unknown> | null;
      left_out?: string[];
    }[];
  };
  deed: string | null;
  caused_by: string | null;
  undo_of: string | null;
}

/** Manual edits at a location, or at none: the oldest statement first, followed by its cascaded deletions. */
export const handEntries = (hand: Hand, location: string | null): Promise<HandEntry[]> =>
  hand.sql<HandEntry>`
    select * from audit_entries where actor_kind = 'database' and location_id is not distinct from ${location}
    order by xmin::text::bigint, caused_by is not null, relation, operation`;
