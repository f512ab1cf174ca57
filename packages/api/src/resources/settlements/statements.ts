import { statement } from '@comanda/db';
import { pageStatement } from '../../request/page-text.ts';

const joins = 'join locations l on l.id = r.location_id';
const summary = `'{"id":"' || r.id || '","batch_number":"' || r.batch_number
  || '","started_at":"' || wire_time(r.started_at, l.timezone) || '","ended_at":"' || wire_time(r.ended_at, l.timezone)
  || '","total_orders":' || r.total_orders || ',"total_collected":' || trim_scale(r.total_collected)
  || ',"average_ticket":' || trim_scale(r.average_ticket)`;

export const listSettlements = pageStatement({
  name: 'list_settlements',
  table: 'settlements',
  order: 'r.ended_at desc, r.id desc',
  entry: `${summary} || '}'`,
  joins,
});

export const readSettlement = statement<{ doc: string }>(
  'read_settlement',
  `select ${summary} || ',"turn_id":"' || r.turn_id || '","payments":' || r.payments || ',"orders":' || r.orders || '}' as doc
   from settlements r ${joins} where r.location_id = $1::uuid and r.id = $2::uuid`,
);
