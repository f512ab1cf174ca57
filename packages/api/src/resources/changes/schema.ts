import { z } from 'zod';
import { list } from '../../lists.ts';
import { aheadSentence, readFrom } from '../../moments.ts';
import { excludes } from '../../schema-words.ts';
import { entries, examplePage, Id, Pagination, paging, Timestamp, TimestampFilter } from '../../wire.ts';

/** The parameters that make a list answer changes, by the moment of the last change, then id. */
export const changes = {
  offset: paging.offset.meta({
    description:
      'Entries to skip. Not for reading changes: an entry that changes between two pages moves to the end, and the next page ' +
      'skips another one. Follow the `Link`, which misses nothing.',
  }),
  updated_since: readFrom(TimestampFilter)
    .optional()
    .meta({
      description: `Only what changed at this moment or later, by the moment of the last change. ${aheadSentence}`,
      example: '2026-01-31T00:00:00Z',
    }),
  cursor: z
    .string()
    .optional()
    .meta({
      description:
        'Where to read on what has changed: as the `Link` of the answer before has it. Not together with `updated_since`, nor with an ' +
        '`offset` of more than 0.',
      ...excludes('updated_since', 'offset'),
    }),
};

/** The same as an input has it. */
export interface ChangesInput {
  limit: number;
  offset: number;
  updated_since?: string | undefined;
  cursor?: string | undefined;
}

/** The meaning of `deleted` in the `include` of such a list. */
export const deletedMeans =
  'With `updated_since` or `cursor`, `deleted`: next to `data` the ids of entries deleted in the last 30 days, under any filters.';

/** Asks such a list to report deletions, too. */
export const includeDeleted = list(z.enum(['deleted']), 20)
  .min(1, 'must name deleted')
  .optional()
  .meta({ description: deletedMeans, example: ['deleted'] });

/** Whether the caller wants to know what was deleted. */
export const wantsDeleted = ({ include = [] }: { include?: readonly string[] | undefined }): boolean =>
  include.includes('deleted');

/** Refuses `include=deleted` of a list that is read as it is; for `z.object({...}).check(deletedSince)`. */
export const deletedSince = z.superRefine<ChangesInput & { include?: readonly string[] | undefined }>(
  (input, context) => {
    if (!wantsDeleted(input) || input.updated_since !== undefined || input.cursor !== undefined) return;
    const message = 'deleted needs updated_since, or the cursor of a page before';
    context.addIssue({ code: 'custom', path: ['include'], message });
  },
);

/** Refuses a cursor together with another beginning; for `z.object({...}).check(oneBeginning)`. */
export const oneBeginning = z.superRefine<ChangesInput>(({ cursor, updated_since, offset }, context) => {
  if (cursor === undefined) return;
  const message = 'must not be given together with cursor';
  if (updated_since !== undefined) context.addIssue({ code: 'custom', path: ['updated_since'], message });
  if (offset > 0) context.addIssue({ code: 'custom', path: ['offset'], message });
});

const exampleCursor = 'eyJlIjoiNWYyYTljMWIiLCJzIjoxNzY5ODE3NjAwMDAwfQ';

const ChangesPagination = Pagination.extend({
  next: z
    .string()
    .optional()
    .meta({
      description:
        'The cursor of the next page, which the `Link` carries, too; only with `updated_since` or `cursor`. An answer ' +
        'with fewer entries than the `limit` next to it is the last for now: its cursor starts the next walk, and misses nothing.',
      example: exampleCursor,
    }),
}).meta({
  id: 'ChangesPagination',
  description: 'The position of the page, and the cursor of the next.',
  example: { ...examplePage, next: exampleCursor },
});

/** The answer of a list that can be read by what has changed. */
export function changesPage<Item extends z.ZodType>(item: Item) {
  return z.object({ data: entries(item), pagination: ChangesPagination });
}

/** A deletion, as a list of changes reports it. */
export const DeletedEntry = z
  .object({ id: Id, deleted_at: Timestamp })
  .meta({ id: 'DeletedEntry', description: 'Something that was deleted: its id, and when.' });

/** The answer of a list that can report deletions, too. */
export function deletionsPage<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: entries(item),
    deleted: z
      .array(DeletedEntry)
      .optional()
      .meta({
        description:
          'Only with `include=deleted`: what was deleted, in the order of its moments, and is not there again. The `limit` of the ' +
          'request counts these as well; that of `pagination` is of `data` alone.',
      }),
    pagination: ChangesPagination,
  });
}

/** A page of `T`, as services return it. */
export interface ChangesPage<T> {
  data: T[];
  deleted?: z.infer<typeof DeletedEntry>[] | undefined;
  pagination: z.infer<typeof ChangesPagination>;
}
