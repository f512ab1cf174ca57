import { z } from 'zod';
import { exampleLocation } from '../../examples.ts';
import { DateFilter, rangeOrder } from '../../wire.ts';

const Amount = z.number().meta({ description: "In the location's currency, 2 decimals." });

/** The grouping of a report. */
export const SalesGrouping = z
  .enum(['day', 'hour', 'product', 'category', 'payment_method', 'channel', 'tax_rate', 'adjustment'])
  .meta({ id: 'SalesGrouping', description: 'The grouping of the rows.' });
export type SalesGrouping = z.infer<typeof SalesGrouping>;

/** A row of a report. */
export const SalesRow = z
  .object({
    key: z.string().meta({
      description:
        'The day, the hour of the day (`00` to `23`), the id, the channel, or the rate of tax; empty for what has none. ' +
        '`adjustment:tip` and the like: adjustments of whole orders, by product, category and rate of tax; by `adjustment` all of them, beside ' +
        'the lines, whose key is empty.',
      example: '2026-01-31',
    }),
    name: z.string().meta({ description: 'The display name; empty for a row without one.' }),
    orders: z.int().meta({ description: 'Orders with something in this row.' }),
    quantity: z.number().meta({ description: 'Sum of the quantities of the items.' }),
    amount: Amount,
    tax: Amount.optional().meta({
      description:
        'Only by `tax_rate`, of what has one: the tax in the amount. Of each line, less its discounts, and of each adjustment it is ' +
        'amount × rate ÷ (100 + rate), rounded half away from zero to 2 decimals.',
      example: 2.25,
    }),
  })
  .meta({ id: 'SalesRow', description: 'A row of a sales report.' });

/** The sales of a range of days. Canceled orders do not count. */
export const SalesReport = z
  .object({
    from: DateFilter,
    to: DateFilter,
    currency: z.string().meta({ description: 'The currency of the location, an ISO 4217 code.' }),
    group_by: SalesGrouping,
    total_orders: z.int().meta({ description: 'How many orders there are.' }),
    total_amount: Amount,
    average_ticket: Amount.meta({ description: 'total_amount ÷ total_orders; 0 when there are none.' }),
    rows: z.array(SalesRow).meta({ description: 'By amount descending, then key.' }),
  })
  .meta({
    id: 'SalesReport',
    description: 'The sales of a range of days.',
    example: {
      from: '2026-01-31',
      to: '2026-01-31',
      currency: exampleLocation.currency,
      group_by: 'channel',
      total_orders: 108,
      total_amount: 3300.5,
      average_ticket: 30.56,
      rows: [
        { key: 'kiosk', name: 'kiosk', orders: 80, quantity: 171, amount: 2480.5 },
        { key: '', name: '', orders: 28, quantity: 44, amount: 820 },
      ],
    },
  });
export type SalesReport = z.infer<typeof SalesReport>;

/** The parameters of a report: both days are required. */
export const SalesReportQuery = z
  .object({ from: DateFilter, to: DateFilter, group_by: SalesGrouping.default('day') })
  .check(rangeOrder);
export type SalesReportQuery = z.infer<typeof SalesReportQuery>;
