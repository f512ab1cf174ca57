import { z } from 'zod';
import { ErrorReason } from '../../wire.ts';
import { Adjustment } from './carried.schema.ts';
import { exampleLines } from './examples.schema.ts';
import { Amount, OrderCreate, OrderItem } from './schema.ts';

/** The body that asks for a quote: the body of creation. */
export const OrderQuoteRequest = OrderCreate.meta({
  id: 'OrderQuoteRequest',
  description: 'An order to quote.',
});

/** Why creation would refuse an order, in its words. */
export const OrderRefusal = z
  .object({
    code: z.enum(['validation_error', 'conflict']).meta({ description: 'The error code of the refusal.' }),
    reason: ErrorReason,
    path: z.string().meta({
      description: 'The field, as the request wrote it; empty where it is none of them.',
      example: 'items[0].quantity',
    }),
    message: z
      .string()
      .meta({ description: 'A description of the error.', example: 'insufficient stock, only 1 left' }),
  })
  .meta({ id: 'OrderRefusal', description: 'Why creation would refuse an order.' });

/** An order as its creation would make it at this moment. */
export const OrderQuote = z
  .object({
    total: Amount.meta({ description: 'The sum of the lines, and of the adjustments.' }),
    subtotal: Amount.optional().meta({ description: 'The sum of the lines, where there are adjustments.' }),
    adjustments: z
      .array(Adjustment)
      .optional()
      .meta({ description: 'What each adds to the total, in their order; absent without any.' }),
    items: z.array(OrderItem).meta({ description: 'The lines; those of unknown products are left out.' }),
    refusals: z
      .array(OrderRefusal)
      .meta({ description: 'Everything that creation would refuse; empty when it would make the order.' }),
  })
  .meta({
    id: 'OrderQuote',
    description: 'An order as its creation would make it at this moment.',
    example: { total: 410, items: exampleLines, refusals: [] },
  });
export type OrderQuote = z.infer<typeof OrderQuote>;
