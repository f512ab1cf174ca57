import { z } from 'zod';
import { exampleIds, exampleTime } from '../../examples.ts';
import { byId, Id, page, paging, Timestamp } from '../../wire.ts';
import { PaymentMethodType } from '../payments/schema.ts';

const Amount = z.number().meta({ description: "In the location's currency, 2 decimals." });

const summary = {
  id: Id,
  batch_number: z.string().meta({ description: 'That of its turn.', example: '12' }),
  started_at: Timestamp,
  ended_at: Timestamp.optional(),
  total_orders: z.int().optional().meta({ description: 'Orders of the turn, canceled ones included.' }),
  total_collected: Amount.optional().meta({
    description: 'Payments that were completed while the turn was open, of any orders, less corrections.',
  }),
  average_ticket: Amount.optional().meta({
    description:
      'total_collected ÷ payments collected, less those that were corrected; 0 when there are none.',
  }),
};

const example = {
  id: exampleIds.settlement,
  batch_number: '31',
  started_at: exampleTime('08:00:00.000'),
  ended_at: exampleTime('23:00:00.000'),
  total_orders: 112,
  total_collected: 3271.5,
  average_ticket: 30.29,
};

/** A settlement as lists show it: exactly the specification's fields. */
export const SettlementSummary = z
  .object(summary)
  .meta({ id: 'SettlementSummary', description: 'The frozen totals of a closed turn.', example });
export type SettlementSummary = z.infer<typeof SettlementSummary>;

const Count = z.int().meta({ description: 'How many.' });

/** The amount collected through one type of payment method. */
export const SettlementPayment = z
  .object({ method: PaymentMethodType, count: Count, amount: Amount })
  .meta({ id: 'SettlementPayment', description: 'Completed payments of one kind.' });

/** The number of orders in each status when the turn was closed. */
export const SettlementOrders = z
  .object({
    closed: z.int().meta({ description: 'How many were closed.' }),
    canceled: z.int().meta({ description: 'How many were canceled.' }),
    open: z.int().meta({ description: 'Neither closed nor canceled.' }),
  })
  .meta({ id: 'SettlementOrders', description: 'Orders of the turn by their status at its end.' });

/** Entries of one kind. */
const SettlementFigure = z
  .object({ count: Count, amount: Amount })
  .meta({ id: 'SettlementFigure', description: 'Entries of one kind: how many, and their sum.' });

/** A settlement in full. */
export const Settlement = z
  .object({
    ...summary,
    turn_id: Id,
    payments: z
      .array(SettlementPayment)
      .meta({ description: 'The completed payments, by type of payment method.' }),
    orders: SettlementOrders,
    tips: Amount.optional().meta({
      description:
        'The tips of the orders that were paid, part of total_collected. Left out when there are none.',
    }),
    counted: Amount.optional().meta({
      description: 'All cash that was counted in the drawer. Left out where none was.',
    }),
    difference: Amount.optional().meta({
      description:
        'Where the cash was counted: what there is more than expected, below zero where cash is missing.',
    }),
    corrections: SettlementFigure.optional().meta({
      description:
        'Payments of any turn that an owner moved back, below zero; part of total_collected. Left out when there are none.',
    }),
    refunds: SettlementFigure.optional().meta({
      description:
        'The refunded amount, below zero; not part of total_collected. Left out when there are none.',
    }),
  })
  .meta({
    id: 'Settlement',
    description: 'The frozen totals of a closed turn, in full.',
    example: {
      ...example,
      turn_id: exampleIds.turn,
      payments: [
        { method: 'cash', count: 40, amount: 1120 },
        { method: 'qr', count: 68, amount: 2151.5 },
      ],
      orders: { closed: 106, canceled: 4, open: 2 },
    },
  });
export type Settlement = z.infer<typeof Settlement>;

/** The input of an operation on one. */
export const SettlementById = byId(exampleIds.settlement);

/** A payment, a correction or a refund, in one settlement once. */
export const SettlementEntry = z
  .object({
    id: Id,
    kind: z.enum(['payment', 'correction', 'refund']).meta({ description: 'The kind of entry.' }),
    payment_id: Id,
    order_id: Id,
    method: PaymentMethodType,
    amount: Amount.meta({ description: 'Corrections and refunds are below zero.', example: 410 }),
    created_at: Timestamp.meta({ description: 'When the payment was completed, corrected or refunded.' }),
    reason: z.string().optional().meta({ description: 'Of a correction or a refund.' }),
    person: z.string().optional().meta({ description: 'The person that gave the money back.' }),
  })
  .meta({
    id: 'SettlementEntry',
    description: 'A payment, a correction or a refund, in one settlement once.',
  });
export type SettlementEntry = z.infer<typeof SettlementEntry>;

export const SettlementEntryList = SettlementById.extend(paging);
export const SettlementEntryPage = page(SettlementEntry);

export const SettlementList = z.object(paging);
export const SettlementPage = page(SettlementSummary);
