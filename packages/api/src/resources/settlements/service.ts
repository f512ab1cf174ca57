import { isId, statement } from '@comanda/db';
import { type Answer, answerPage } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { type PageText, pageStatement, readPage } from '../../call/page-text.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Page } from '../../wire.ts';
import type { Settlement, SettlementEntry, SettlementSummary } from './schema.ts';

/** Lists settlements, the latest first. They are made by closing turns (docs/design/orders-and-batches.md, "Turns"). */
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

const joins = 'join locations l on l.id = r.location_id';
const summary = `'{"id":"' || r.id || '","batch_number":"' || r.batch_number
  || '","started_at":"' || wire_time(r.started_at, l.timezone) || '","ended_at":"' || wire_time(r.ended_at, l.timezone)
  || '","total_orders":' || r.total_orders || ',"total_collected":' || trim_scale(r.total_collected)
  || ',"average_ticket":' || trim_scale(r.average_ticket)`;

const ofTurn = 'e.location_id = r.location_id and e.turn_id = r.turn_id';
const entriesOf = `settlement_entries e where ${ofTurn}`;
// A turn that is closed gets no more entries, so these are frozen, too.
const figure = (
  name: string,
  kind: string,
) => `coalesce((select ',"${name}":{"count":' || count(*) || ',"amount":' || trim_scale(sum(e.amount)) || '}'
       from ${entriesOf} and e.kind = '${kind}' having count(*) > 0), '')`;

const listSettlements = pageStatement({
  name: 'list_settlements',
  table: 'settlements',
  order: 'r.ended_at desc, r.id desc',
  entry: `${summary} || '}'`,
  joins,
});

const tips = `case when r.tips = 0 then '' else ',"tips":' || trim_scale(r.tips) end`;

const drawer = `coalesce((select ',"counted":' || trim_scale(t.counted) || ',"difference":' || trim_scale(r.difference)
       from turns t where t.location_id = r.location_id and t.id = r.turn_id), '')`;

const readSettlement = statement<{ doc: string }>(
  'read_settlement',
  `select ${summary} || ',"turn_id":"' || r.turn_id || '","payments":' || r.payments || ',"orders":' || r.orders
     || ${tips} || ${drawer} || ${figure('corrections', 'correction')} || ${figure('refunds', 'refund')} || '}' as doc
   from settlements r ${joins} where r.location_id = $1::uuid and r.id = $2::uuid`,
);

/** $1 location, $2 limit, $3 offset, $4 id. Its entries are known where they add up to its total. */
const listEntries = statement<PageText & { known: boolean }>(
  'list_settlement_entries',
  `select
     (select coalesce(sum(e.amount), 0) from ${entriesOf} and e.kind <> 'refund') = r.total_collected as known,
     (select count(*) from ${entriesOf})::int as total,
     (select coalesce('[' || string_agg('{"id":"' || e.id || '","kind":"' || e.kind || '","payment_id":"' || e.payment_id
         || '","order_id":"' || e.order_id || '","method":"' || m.type || '","amount":' || trim_scale(e.amount)
         || ',"created_at":"' || wire_time(e.created_at, l.timezone) || '"' || coalesce(',"reason":' || to_json(e.reason)::text, '')
         || coalesce(',"person":' || to_json(e.person)::text, '') || '}', ',' order by e.created_at, e.id) || ']', '[]')
       from (select * from ${entriesOf} order by e.created_at, e.id limit $2 offset $3) e
       join payments p on p.location_id = e.location_id and p.id = e.payment_id
       join payment_methods m on m.location_id = p.location_id and m.id = p.payment_method_id) as data
   from settlements r ${joins} where r.location_id = $1::uuid and r.id = $4::uuid`,
);
