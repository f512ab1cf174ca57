import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import type { SalesGrouping } from '../../resources/sales-reports/schema.ts';
import { DateFilter } from '../../wire.ts';
import type { Job, Parts } from './jobs.ts';

const mostProducts = 10;

const Wanted = z.object({
  date: DateFilter.optional().meta({
    description: "A whole day in the location's time zone; today unless given.",
    example: '2026-01-31',
  }),
});

/** The sales of a day from all sides, and what is open now. */
export const dayInFigures: Job<z.infer<typeof Wanted>> = {
  name: 'day_in_figures',
  title: 'Read a day in figures',
  description:
    `Total, average ticket, and the sales of the day by payment method, channel, product (the ${mostProducts} of the largest amount) and hour, ` +
    'without canceled orders. Whatever the day, `now` has the open orders, the pending payments and the open turn of this moment.',
  permission: 'reports:read',
  input: Wanted,
  async work(parts: Parts, { date = todayIn(parts.caller.location.timezone) }) {
    const report = (group_by: SalesGrouping) =>
      parts.read('salesReports.get', { from: date, to: date, group_by });
    const { from: _, to: __, group_by, rows, ...totals } = await report('payment_method');
    const { rows: channels } = await report('channel');
    const { rows: products } = await report('product');
    const { rows: hours } = await report('hour');
    const open = await parts.readIfGranted('orders.list', { status: ['pending', 'ready'], limit: 1 });
    const pending = await parts.readIfGranted('payments.list', { status: 'pending', limit: 1 });
    const turn = await openTurn(parts);
    return {
      date,
      ...totals,
      by_payment_method: rows,
      by_channel: channels,
      by_product: products.slice(0, mostProducts),
      by_hour: hours.toSorted((one, other) => one.key.localeCompare(other.key)),
      now: {
        ...(open && { open_orders: open.pagination.total }),
        ...(pending && { pending_payments: pending.pagination.total }),
        ...(turn !== undefined && { turn }),
      },
    };
  },
};

/** Null where none is open; undefined where the key may not see it. */
async function openTurn(parts: Parts) {
  try {
    return await parts.readIfGranted('turns.getCurrent', { include: ['methods'] });
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'not_found') return null;
    throw error;
  }
}

/** The day of this moment. Swedish dates are ISO 8601. */
const todayIn = (timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date());
