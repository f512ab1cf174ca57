import { z } from 'zod';
import { Id } from '../../wire.ts';
import { Delivery } from '../deliveries/schema.ts';
import { PaymentStatus, PaymentWithBooks } from '../payments/schema.ts';
import { Turn } from '../turns/schema.ts';
import { personal } from './carried.schema.ts';
import { OrderAsSold, OrderStatus } from './schema.ts';
import { OrderTimeline } from './timeline.schema.ts';

/** Which order: by exactly one of these. */
export const OrderWanted = z
  .object({
    id: Id.optional(),
    number: z.int().optional().meta({ description: 'The order number.', example: 45 }),
    external_id: z.string().optional().meta({ description: 'Your own identifier.', example: 'POS-7731' }),
  })
  .refine((wanted) => Object.values(wanted).filter((value) => value !== undefined).length === 1, {
    error: 'must name the order by exactly one of id, number and external_id',
  });
export type OrderWanted = z.infer<typeof OrderWanted>;

/** Everything about an order in one answer. */
export const OrderOverview = z
  .object({
    order: OrderAsSold,
    ...personal,
    payment: PaymentWithBooks,
    payments: z.array(PaymentWithBooks).meta({
      description:
        'All its payments, oldest first. The last one is `payment`; those before it were rejected.',
    }),
    turn: Turn.optional().meta({ description: 'The turn that it belongs to.' }),
    timeline: OrderTimeline,
    deliveries: z.array(Delivery).meta({
      description:
        'Of the events of the order and its payments, in the order of these; to endpoints that are there.',
    }),
    possible: z
      .object({
        moves: z.array(OrderStatus),
        payment_moves: z.array(PaymentStatus),
        another_payment: z.boolean().meta({ description: 'Whether another payment may be added.' }),
        refund: z.number().meta({ description: 'At most what a refund may be; 0 where none is possible.' }),
      })
      .meta({
        description: 'The next statuses of order and payment, as far as the key may move them.',
      }),
  })
  .meta({ id: 'OrderOverview', description: 'Everything about an order.' });
export type OrderOverview = z.infer<typeof OrderOverview>;
