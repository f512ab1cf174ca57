import { z } from 'zod';
import { Id, page, paging, Timestamp } from '../../wire.ts';
import { PaymentMethodType } from '../payments/schema.ts';

const Amount = z.number().meta({ description: "In the location's currency, 2 decimals." });

const summary = {
  id: Id,
  batch_number: z.string().meta({ description: 'That of its turn.', example: '12' }),
  started_at: Timestamp,
  ended_at: Timestamp.optional(),
  total_orders: z.int().optional().meta({ description: 'Orders of the turn, canceled ones included.' }),
  total_collected: Amount.optional().meta({ description: 'Completed payments.' }),
  average_ticket: Amount.optional().meta({
    description: 'total_collected ÷ orders with a completed payment; 0 when there are none.',
  }),
};

/** A settlement as lists show it: exactly the specification's fields. */
export const SettlementSummary = z
  .object(summary)
  .meta({ id: 'SettlementSummary', description: 'The frozen totals of a closed turn.' });
export type SettlementSummary = z.infer<typeof SettlementSummary>;

/** What was collected through one kind of payment method. */
export const SettlementPayment = z
  .object({ method: PaymentMethodType, count: z.int(), amount: Amount })
  .meta({ id: 'SettlementPayment', description: 'Completed payments of one kind.' });

/** How many orders stood where when the turn was closed. */
export const SettlementOrders = z
  .object({
    closed: z.int(),
    canceled: z.int(),
    open: z.int().meta({ description: 'Neither closed nor canceled.' }),
  })
  .meta({ id: 'SettlementOrders', description: 'Orders of the turn by where they stood at its end.' });

/** A settlement in full. */
export const Settlement = z
  .object({ ...summary, turn_id: Id, payments: z.array(SettlementPayment), orders: SettlementOrders })
  .meta({ id: 'Settlement', description: 'The frozen totals of a closed turn, in full.' });
export type Settlement = z.infer<typeof Settlement>;

export const SettlementList = z.object(paging);
export const SettlementPage = page(SettlementSummary);
