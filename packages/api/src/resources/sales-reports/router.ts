import { operation, router } from '../../call/operation.ts';
import { SalesReport, SalesReportQuery } from './schema.ts';
import * as salesReports from './service.ts';

/** Specification: v2, named only; contract: sales reports. */
export const salesReportsRouter = router({
  get: operation({
    permission: 'reports:read',
    summary: 'Report sales',
    description:
      'Orders of whole days in the time zone of the location, without canceled ones. Refunds are never deducted. A product in several categories ' +
      'counts in its first by priority, name, id. The rows of every grouping add up to `total_amount`. Discounts of lines reduce the row of their ' +
      'line; by rate of tax, a discount of a whole order without a rate is spread over those of its lines.',
    rest: ['GET /v2/sales-reports'],
  })
    .input(SalesReportQuery)
    .output(SalesReport)
    .query(({ ctx, input }) => salesReports.get(ctx, input)),
});
