import { isId, statement } from '@comanda/db';
import { notFound } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import type { CallContext } from '../../request/context.ts';
import { pageStatement, readPage } from '../../request/page-text.ts';
import type { Page } from '../../wire.ts';
import type { Settlement, SettlementSummary } from './schema.ts';

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

const joins = 'join locations l on l.id = r.location_id';
const summary = `'{"id":"' || r.id || '","batch_number":"' || r.batch_number
  || '","started_at":"' || wire_time(r.started_at, l.timezone) || '","ended_at":"' || wire_time(r.ended_at, l.timezone)
  || '","total_orders":' || r.total_orders || ',"total_collected":' || trim_scale(r.total_collected)
  || ',"average_ticket":' || trim_scale(r.average_ticket)`;

const listSettlements = pageStatement({
  name: 'list_settlements',
  table: 'settlements',
  order: 'r.ended_at desc, r.id desc',
  entry: `${summary} || '}'`,
  joins,
});

const readSettlement = statement<{ doc: string }>(
  'read_settlement',
  `select ${summary} || ',"turn_id":"' || r.turn_id || '","payments":' || r.payments || ',"orders":' || r.orders || '}' as doc
   from settlements r ${joins} where r.location_id = $1::uuid and r.id = $2::uuid`,
);
