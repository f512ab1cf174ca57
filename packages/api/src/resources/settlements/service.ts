import { isId } from '@comanda/db';
import { type Answer, answerPage } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { readPage } from '../../call/page-text.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Page } from '../../wire.ts';
import type { Settlement, SettlementEntry, SettlementSummary } from './schema.ts';
import { listEntries, listSettlements, readSettlement } from './statements.ts';

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

/** Lists what one is made of, oldest first. Throws `resource_not_found`, `conflict` where that is not known. */
export async function entries(
  ctx: CallContext,
  { id, ...paging }: { id: string; limit: number; offset: number },
): Promise<Answer<Page<SettlementEntry>>> {
  const values = [ctx.caller.locationId, paging.limit, paging.offset, id];
  const [found] = isId(id) ? await ctx.app.database.run(listEntries, values) : [];
  if (found === undefined) throw notFound('Settlement');
  if (!found.known)
    throw conflict(
      'entries_unknown',
      'The entries of this settlement are not known: it was made before entries were kept.',
    );
  return answerPage(found, paging);
}
