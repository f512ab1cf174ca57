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
    total_collected: z.number().meta({ description: 'Completed payments of its orders.' }),
  })
  .meta({ id: 'Turn', description: 'The time between opening and closing the till.' });
export type Turn = z.infer<typeof Turn>;

export const TurnList = z.object(paging);
export const TurnPage = page(Turn);
