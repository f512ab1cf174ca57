import type { Answer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { notFound } from '../../errors.ts';
import type { SalesReport, SalesReportQuery } from './schema.ts';
import { salesReports } from './statements.ts';

/** Adds up what was sold from the first to the last day, both included, in the location's time zone. */
export async function get(
  ctx: CallContext,
  { from, to, group_by }: SalesReportQuery,
): Promise<Answer<SalesReport>> {
  const values = [ctx.caller.locationId, from, to];
  const [report] = await ctx.app.database.run(salesReports[group_by], values);
  if (report === undefined) throw notFound('Location');
  return { text: report.doc };
}
