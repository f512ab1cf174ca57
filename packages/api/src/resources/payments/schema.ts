import { z } from 'zod';
import { exampleIds, exampleTime } from '../../examples.ts';
import { list } from '../../lists.ts';
import {
  byId,
  DateFilter,
  dateRange,
  Id,
  Money,
  page,
  paging,
  ReferenceId,
  rangeOrder,
  Timestamp,
  text,
} from '../../wire.ts';
import { changes, changesPage, oneBeginning } from '../changes/schema.ts';

/** The status of a payment; `completed` and `rejected` are final. */
export const PaymentStatus = z
  .enum(['pending', 'completed', 'rejected'])
  .meta({ id: 'PaymentStatus', description: 'completed and rejected are final.' });
export type PaymentStatus = z.infer<typeof PaymentStatus>;

/** The type of a payment method. */
export const PaymentMethodType = z
  .enum(['cash', 'card', 'qr', 'transfer', 'online', 'other'])
  .meta({ id: 'PaymentMethodType', description: 'The type of a payment method.' });
export type PaymentMethodType = z.infer<typeof PaymentMethodType>;

/** The latest payment of an order, as orders show it. Specification: Order, `payment`. */
export const PaymentSummary = z
  .object({ id: Id, status: PaymentStatus })
  .meta({ id: 'PaymentSummary', description: 'The payment of an order, the latest one.' });
export type PaymentSummary = z.infer<typeof PaymentSummary>;

/** A payment; also the payload of the `payment.*` events. */
export const Payment = z
  .object({
    id: Id,
    order_id: z.string().meta({ description: 'The id of the order.', example: exampleIds.order }),
    payment_method_id: z
      .string()
      .meta({ description: 'The id of the payment method.', example: exampleIds.paymentMethod }),
    method: PaymentMethodType,
    amount: z.number().meta({ description: "In the location's currency, 2 decimals.", example: 29 }),
    status: PaymentStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({
    id: 'Payment',
    description: 'A payment of an order, made or due.',
    example: {
      id: exampleIds.payment,
      order_id: exampleIds.order,
      payment_method_id: exampleIds.paymentMethod,
      method: 'cash',
      amount: 410,
      status: 'pending',
      created_at: exampleTime('21:05:09.120'),
      updated_at: exampleTime('21:05:09.120'),
    },
  });
export type Payment = z.infer<typeof Payment>;

/** The input of an operation on one. */
export const PaymentById = byId(exampleIds.payment);

/** The fields that `include=books` adds to a payment and to an order. */
export const books = {
  turn_id: Id.optional(),
  settlement_id: Id.optional().meta({ description: 'Once that turn is closed.' }),
  completed_at: Timestamp.optional().meta({ description: 'When the payment was completed.' }),
};

/** The description of `books` in `include`. */
export const booksMean = '`books`, which is `turn_id`, `settlement_id` and `completed_at`';

/** Asks for more than the documented fields. */
export const includeBooks = list(z.enum(['books']), 20)
  .min(1, 'must name books')
  .optional()
  .meta({
    description: `More than the documented fields: ${booksMean}.`,
    example: ['books'],
  });

/** A payment, and what `include` asks for. */
export const PaymentWithBooks = Payment.extend({
  ...books,
  turn_id: Id.optional().meta({ description: 'The turn that collects it; none until the next turn opens.' }),
  unsettled: z.number().optional().meta({
    description:
      'The amount of it that the next turn will collect: the payment, less corrections of settled amounts. Absent where nothing of it waits.',
  }),
  refunded: z.number().optional().meta({ description: 'The refunded amount, as far as it was recorded.' }),
}).meta({ id: 'PaymentWithBooks', description: 'A payment, and what `include` asks for.' });
export type PaymentWithBooks = z.infer<typeof PaymentWithBooks>;

const ofCreation = (day: typeof dateRange.from) =>
  day.meta({ description: "A whole day in the location's time zone, of the creation of the payment." });
const completion = DateFilter.optional().meta({
  description:
    "A whole day in the location's time zone, of the completion of the payment: completed payments alone, without those that are " +
    'in no settlement that is known.',
});

const filters = {
  status: PaymentStatus.optional().meta({ description: 'Only entries with this status.' }),
  method: PaymentMethodType.optional().meta({ description: 'Only payments of this type of payment method.' }),
  from: ofCreation(dateRange.from),
  to: ofCreation(dateRange.to),
  order_id: ReferenceId.optional().meta({ example: exampleIds.order }),
};

/** The filters of the list of v1. */
export const PaymentListV1 = z.object({ ...paging, ...filters }).check(rangeOrder);

const completionOrder = z.superRefine<{
  completed_from?: string | undefined;
  completed_to?: string | undefined;
}>(({ completed_from: from, completed_to: to }, context) => {
  if (from === undefined || to === undefined || from <= to) return;
  context.addIssue({ code: 'custom', path: ['completed_from'], message: 'must not be after completed_to' });
});

/** The filters of the list of v2. */
export const PaymentList = z
  .object({
    ...paging,
    ...filters,
    ...changes,
    completed_from: completion,
    completed_to: completion,
    turn_id: ReferenceId.optional().meta({
      description: 'The turn that collects them.',
      example: exampleIds.turn,
    }),
    settlement_id: ReferenceId.optional().meta({
      description: 'The settlement that they are in.',
      example: exampleIds.settlement,
    }),
    books: z
      .enum(['unsettled', 'before_books', 'refunded', 'canceled_and_paid'])
      .optional()
      .meta({
        description:
          '`unsettled`: completed, or corrected, while no turn was open, so that the next turn takes it. `before_books`: completed, and in ' +
          'no settlement that is known. `refunded`: some of it was given back. `canceled_and_paid`: completed, and its order is canceled.',
      }),
    include: includeBooks,
  })
  .check(rangeOrder)
  .check(completionOrder)
  .check(oneBeginning);
export type PaymentList = z.infer<typeof PaymentList>;

export const PaymentPageV1 = page(Payment);
export const PaymentPage = changesPage(PaymentWithBooks);

/** The parameters of reading one on v2. */
export const PaymentWanted = PaymentById.extend({ include: includeBooks });

/** The body that records a refund. */
export const PaymentRefund = PaymentById.extend({
  amount: Money.gt(0, 'must be more than 0').meta({ example: 2.5 }),
  reason: text(1, 500).meta({ description: 'Why it is given back.' }),
  person: text(1, 255).optional().meta({ description: 'The person that gives the money back.' }),
}).meta({ id: 'PaymentRefund', description: 'What was given back of a payment.' });
export type PaymentRefund = z.infer<typeof PaymentRefund>;
