import { statement } from '@comanda/db';
import type { Revised } from '../../call/tags.ts';
import type { PaymentStatus } from '../payments/schema.ts';
import type { EditedOrder } from './edit.rules.ts';
import type { OrderStatus } from './schema.ts';

/** $1 location, $2 order: holds it to the end of the transaction. */
export const holdOrder = statement<{ status: OrderStatus }>(
  'hold_order',
  'select status from orders where location_id = $1::uuid and id = $2::uuid for no key update',
);

/** $1 location, $2 order: what an edit begins from. Decimals are text. */
export const readEdited = statement<EditedOrder & { total: string; payment: PaymentStatus }>(
  'read_edited_order',
  `select trim_scale(o.total)::text as total, o.adjustments, o.last_line as "lastLine",
     (select p.status from payments p where p.location_id = o.location_id and p.order_id = o.id and p.replaced = 0) as payment,
     (select json_agg(json_build_object('line', i.position, 'product_id', i.product_id, 'name', i.name, 'unit_price', trim_scale(i.unit_price)::text,
         'quantity', trim_scale(i.quantity)::text, 'total', trim_scale(i.total)::text, 'comment', i.comment, 'selections', i.selections,
         'stock_taken', i.stock_taken) order by i.position)
       from order_items i where i.location_id = o.location_id and i.order_id = o.id) as lines
   from orders o where o.location_id = $1::uuid and o.id = $2::uuid`,
);

/** $1 location, $2 order, $3 API key, $4 the edit; prisma/sql/order_edits.sql has its fields. */
export const editOrder = statement<Revised & { short: Record<string, string> | null; response: string }>(
  'edit_order',
  'select short, response, revision from edit_order($1::uuid, $2::uuid, $3::uuid, $4::jsonb)',
);
