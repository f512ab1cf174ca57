import { z } from 'zod';
import { DateFilter, Day, paging, rangeOrder, Timestamp } from '../../wire.ts';
import { Order } from './schema.ts';

/** The range of an export: whole days, and the part of a range that is too large for one answer. */
export const OrderExportRequest = z
  .object({
    from: DateFilter,
    to: DateFilter,
    limit: z.int().min(1, 'must be at least 1').optional().meta({
      description: 'Orders on a page, at most max_items_per_batch; needed when the range holds more.',
      example: 50,
    }),
    offset: paging.offset,
  })
  .check(rangeOrder);
export type OrderExportRequest = z.infer<typeof OrderExportRequest>;

/** The specification's export response; `orders` holds orders in full. */
export const OrderExport = z
  .object({
    exported_at: Timestamp.meta({ description: 'The moment whose state this is.' }),
    from: Day.meta({ description: 'The first day of the range.' }),
    to: Day.meta({ description: 'The last day of the range.' }),
    total: z
      .int()
      .meta({ description: 'Orders in the whole range, whichever part is answered.', example: 1 }),
    orders: z.array(Order).meta({ description: 'Oldest first.' }),
  })
  .meta({ id: 'OrderExport', description: 'The orders of a range of days, in full.' });
export type OrderExport = z.infer<typeof OrderExport>;
