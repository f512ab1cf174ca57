import { z } from 'zod';
import { list } from '../../lists.ts';
import { DateFilter, Exactly, page, paging, rangeOrder, text } from '../../wire.ts';
import { OrderListEntry, OrderStatus } from './schema.ts';

/** The most days that a search goes through: each of their orders is looked at. */
const mostDays = 31;

const dayMs = 86_400_000;

/** The search term: a part of a text, in the orders of at most 31 days. */
export const OrderSearch = z
  .object({
    ...paging,
    text: text(1, 100).meta({
      description:
        'Part of identifier, external_id, or of name or comment of a line, in any case; accents count.',
      example: 'onion',
    }),
    from: DateFilter,
    to: DateFilter,
    status: list(OrderStatus, 20).min(1, 'must name at least one status').optional(),
    channel: Exactly.optional(),
  })
  .check(rangeOrder)
  .check(
    z.superRefine<{ from: string; to: string }>(({ from, to }, context) => {
      if (Date.parse(to) - Date.parse(from) >= mostDays * dayMs)
        context.addIssue({
          code: 'custom',
          path: ['to'],
          message: `must be at most ${mostDays} days after from`,
        });
    }),
  )
  .meta({ id: 'OrderSearch' });
export type OrderSearch = z.infer<typeof OrderSearch>;

/** A page of the orders that were found, each with its details. */
export const OrdersFound = page(OrderListEntry);
export type OrdersFound = z.infer<typeof OrdersFound>;
