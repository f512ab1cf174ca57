import { z } from 'zod';
import { aheadSentence, readFrom } from '../../moments.ts';
import { Pagination, TimestampFilter } from '../../wire.ts';

/** What makes a list answer what has changed, by the moment of the last change, then id. */
export const changes = {
  updated_since: readFrom(TimestampFilter)
    .optional()
    .meta({
      description: `Only what changed at this moment or later, by the moment of the last change. ${aheadSentence}`,
      example: '2026-01-31T00:00:00Z',
    }),
  cursor: z.string().optional().meta({
    description:
      'Where to read on what has changed: as the `Link` of the answer before has it; instead of `updated_since`.',
  }),
};

/** The same as an input has it. */
export interface ChangesInput {
  limit: number;
  offset: number;
  updated_since?: string | undefined;
  cursor?: string | undefined;
}

/** Refuses a cursor beside another beginning; for `z.object({...}).check(oneBeginning)`. */
export const oneBeginning = z.superRefine<ChangesInput>(({ cursor, updated_since, offset }, context) => {
  if (cursor === undefined) return;
  const message = 'must not be given together with cursor';
  if (updated_since !== undefined) context.addIssue({ code: 'custom', path: ['updated_since'], message });
  if (offset > 0) context.addIssue({ code: 'custom', path: ['offset'], message });
});

const ChangesPagination = Pagination.extend({
  next: z
    .string()
    .optional()
    .meta({
      description:
        'The cursor of the next page, which the `Link` carries, too; only with `updated_since` or `cursor`. An answer ' +
        'with fewer entries than the `limit` beside it is the last for now: its cursor begins anew, and misses nothing.',
      example: 'eyJlIjoiNWYyYTljMWIiLCJzIjoxNzY5ODE3NjAwMDAwfQ',
    }),
}).meta({ id: 'ChangesPagination', description: 'Where the page stands, and where to read on.' });

/** The answer of a list that can be read by what has changed. */
export function changesPage<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), pagination: ChangesPagination });
}

/** A page of `T`, as services return it. */
export interface ChangesPage<T> {
  data: T[];
  pagination: z.infer<typeof ChangesPagination>;
}
