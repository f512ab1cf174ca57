import { z } from 'zod';
import { Id, page, paging, Timestamp } from '../../wire.ts';

/** A turn; also the payload of the `turn.*` events. A closed one shows the totals it was settled with. */
export const Turn = z
  .object({
    id: Id,
    batch_number: z.string().meta({ description: 'Counts up per location, from "1".', example: '12' }),
    status: z.enum(['open', 'closed']),
    started_at: Timestamp,
    ended_at: Timestamp.optional(),
    total_orders: z.int(),
    total_collected: z.number().meta({
      description: 'Payments that were completed while it was open, of whatever orders, less corrections.',
    }),
  })
  .meta({ id: 'Turn', description: 'The time between opening and closing the till.' });
export type Turn = z.infer<typeof Turn>;

export const TurnList = z.object(paging);
export const TurnPage = page(Turn);

/** What closes the open turn. */
export const TurnClose = z.object({
  open_next: z.boolean().optional().meta({
    description:
      'Opens the next turn in the same moment, so that no order and no payment comes between the two.',
  }),
});

/** The turn that was closed, and the one that was opened with it. */
export const ClosedTurn = Turn.extend({
  next: Turn.optional().meta({ description: 'The turn that `open_next` opened.' }),
}).meta({ id: 'ClosedTurn', description: 'The turn that was closed, and the one that was opened with it.' });
export type ClosedTurn = z.infer<typeof ClosedTurn>;
