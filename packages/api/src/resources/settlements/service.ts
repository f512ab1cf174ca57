import { isId } from '@comanda/db';
import { notFound } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import type { CallContext } from '../../request/context.ts';
import { readPage } from '../../request/page-text.ts';
import type { Page } from '../../wire.ts';
import type { Settlement, SettlementSummary } from './schema.ts';
import { listSettlements, readSettlement } from './statements.ts';

/** Lists settlements, the latest first. They are made by closing turns: docs/decisions/0007. */
export const list = (
  ctx: CallContext,
  paging: { limit: number; offset: number },
): Promise<Answer<Page<SettlementSummary>>> => readPage(ctx, listSettlements, paging);

/** Reads one in full. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Answer<Settlement>> {
  const [found] = isId(id) ? await ctx.app.database.run(readSettlement, [ctx.caller.locationId, id]) : [];
  if (found === undefined) throw notFound('Settlement');
  return { text: found.doc };
}
