import { z } from 'zod';
import { list } from '../../lists.ts';

const FieldValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** A field as it is and as it would be; `before` is left out for what does not exist yet. */
export const FieldChange = z
  .object({
    field: z.string().meta({ description: 'The name of the field.' }),
    before: FieldValue.optional().meta({
      description: 'The value before the change; absent where there was none.',
    }),
    after: FieldValue.meta({ description: 'The value after the change.' }),
  })
  .meta({ id: 'FieldChange', description: 'The change that a sync would make to one field.' });
export type FieldChange = z.infer<typeof FieldChange>;

/** `true` in a sync that must only say what it would do. */
export const DryRun = z.boolean().optional().meta({
  description: 'Answers what would be changed and changes nothing; counts no batch job.',
  example: false,
});

/** The optional fields of an answer of a sync. */
export const SyncInclude = list(z.enum(['ids']), 20)
  .min(1, 'must name ids')
  .optional()
  .meta({ description: '`ids`: the id of each thing that was named and applied.', example: ['ids'] });

/** The effect of a sync on something, actual or planned. */
export const SyncAction = z.enum(['created', 'updated', 'deleted', 'unchanged']);
export type SyncAction = z.infer<typeof SyncAction>;

const action = { description: 'The change that would be made.' };
const changes = z.array(FieldChange).meta({ description: 'The fields that would change.' });

/** What a dry run says of one thing. */
export const plannedChange = { action: SyncAction.meta(action), changes };

/** The same of one item, which no batch deletes. */
export const itemChange = { action: SyncAction.exclude(['deleted']).meta(action), changes };

/** Why an item was not applied. */
export const itemRefusal = <Code extends string>(codes: readonly [Code, ...Code[]]) => ({
  code: z.enum(codes).meta({ description: 'The error code of the refusal.' }),
  message: z.string().meta({ description: 'A description of the error.' }),
});

/** How many items there are. */
export const ItemTotal = z.int().meta({ description: 'How many items there are.' });

/** The outcome of items, counted. */
export const itemCounts = {
  total_items: ItemTotal,
  success_items: z.int().meta({ description: 'How many items were applied.' }),
  failed_items: z.int().meta({ description: 'How many items were not applied.' }),
};

/** The fields of `after` that differ from `before`, or all of them when there is no `before`; null is no value. */
export function fieldChanges<Row extends object>(
  before: Row | undefined,
  after: Row,
  names: Readonly<Partial<Record<keyof Row & string, string>>>,
): FieldChange[] {
  return (Object.entries(names) as [keyof Row & string, string][]).flatMap(([key, field]) => {
    const then = (before?.[key] ?? undefined) as FieldChange['after'] | undefined;
    const now = (after[key] ?? undefined) as FieldChange['after'] | undefined;
    if (then === now || now === undefined) return [];
    return [{ field, ...(then !== undefined && { before: then }), after: now }];
  });
}
