import { z } from 'zod';
import { dateRange, Id, page, paging, rangeOrder, Timestamp } from '../../wire.ts';

/** Where a payment stands; `completed` and `rejected` are final. */
export const PaymentStatus = z
  .enum(['pending', 'completed', 'rejected'])
  .meta({ id: 'PaymentStatus', description: 'completed and rejected are final.' });
export type PaymentStatus = z.infer<typeof PaymentStatus>;

/** What kind of payment method it is. */
export const PaymentMethodType = z
  .enum(['cash', 'card', 'qr', 'transfer', 'online', 'other'])
  .meta({ id: 'PaymentMethodType' });
export type PaymentMethodType = z.infer<typeof PaymentMethodType>;

/** The payment of an order, as orders show it. Specification: Order, `payment`. */
export const PaymentSummary = z
  .object({ id: Id, status: PaymentStatus })
  .meta({ id: 'PaymentSummary', description: 'The payment of an order.' });
export type PaymentSummary = z.infer<typeof PaymentSummary>;

/** A payment; also the payload of the `payment.*` events. */
export const Payment = z
  .object({
    id: Id,
    order_id: z.string(),
    payment_method_id: z.string(),
    method: PaymentMethodType,
    amount: z.number().meta({ description: "In the location's currency, 2 decimals.", example: 29 }),
    status: PaymentStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Payment', description: 'What was, or is to be, paid for an order.' });
export type Payment = z.infer<typeof Payment>;

/** What narrows the list, in both families. */
export const PaymentList = z
  .object({
    ...paging,
    status: PaymentStatus.optional(),
    method: PaymentMethodType.optional(),
    ...dateRange,
    order_id: Id.optional(),
  })
  .check(rangeOrder);
export type PaymentList = z.infer<typeof PaymentList>;

export const PaymentPage = page(Payment);
