import { type Statement, statement } from '@comanda/db';
import type { SalesGrouping } from './schema.ts';

// Not Prisma: a report adds up exact decimals over many rows in one statement, so in one snapshot.

/** A report as JSON text. */
export interface ReportText {
  doc: string;
}

const perOrder = `(select coalesce(sum(i.quantity), 0) from order_items i
  where i.location_id = $1::uuid and i.order_id = s.id)`;
const lines = 'sold s join order_items i on i.location_id = $1::uuid and i.order_id = s.id';

/**
 * How each grouping cuts the sold orders into parts, and what a row's key is called. Orders are cut whole, except
 * by product and category, which take the totals of the lines.
 */
const groupings: Readonly<Record<SalesGrouping, { parts: string; name: string }>> = {
  day: {
    parts: `select local_day(s.created_at, s.timezone)::text as key, s.id, ${perOrder} as quantity, s.total as amount from sold s`,
    name: 'r.key',
  },
  channel: {
    parts: `select coalesce(s.channel, '') as key, s.id, ${perOrder} as quantity, s.total as amount from sold s`,
    name: 'r.key',
  },
  // That of the payment: it is what settlements count by.
  payment_method: {
    parts: `select coalesce(p.payment_method_id, s.payment_method_id)::text as key, s.id, ${perOrder} as quantity,
        s.total as amount
      from sold s left join payments p on p.location_id = $1::uuid and p.order_id = s.id`,
    name: '(select m.name from payment_methods m where m.location_id = $1::uuid and m.id = r.key::uuid)',
  },
  // A product that is deleted is called what its last order called it.
  product: {
    parts: `select i.product_id::text as key, s.id, i.quantity, i.total as amount from ${lines}`,
    name: `coalesce((select p.name from products p where p.location_id = $1::uuid and p.id = r.key::uuid),
      (select i.name from ${lines} where i.product_id = r.key::uuid order by s.created_at desc, s.id desc limit 1))`,
  },
  category: {
    parts: `select coalesce(c.id::text, '') as key, s.id, i.quantity, i.total as amount
      from ${lines} left join (
        select distinct on (l.product_id) l.product_id, c.id from product_categories l
        join categories c on c.location_id = l.location_id and c.id = l.category_id
        where l.location_id = $1::uuid order by l.product_id, c.priority, c.name, c.id
      ) c on c.product_id = i.product_id`,
    name: `coalesce((select c.name from categories c where c.location_id = $1::uuid and c.id = nullif(r.key, '')::uuid), '')`,
  },
};

/** $1 location, $2 first day, $3 last day. */
export const salesReports = Object.fromEntries(
  Object.entries(groupings).map(([grouping, { parts, name }]) => [
    grouping,
    statement<ReportText>(
      `sales_report_${grouping}`,
      `with sold as materialized (
         select o.id, o.created_at, o.total, o.channel, o.payment_method_id, l.timezone
         from locations l join orders o on o.location_id = l.id
         where l.id = $1::uuid and o.status <> 'canceled'
           and o.created_at >= day_start($2::date, l.timezone) and o.created_at < day_start($3::date + 1, l.timezone)
       ), parts as (${parts}), counted as (
         select key, count(distinct id) as orders, sum(quantity) as quantity, sum(amount) as amount from parts group by key
       )
       select json_strip_nulls(json_build_object('from', $2::date, 'to', $3::date, 'currency', l.currency, 'group_by', '${grouping}',
         'total_orders', t.orders, 'total_amount', trim_scale(t.amount),
         'average_ticket', trim_scale(average_money(t.amount, t.orders)),
         'rows', coalesce((select json_agg(json_build_object('key', r.key, 'name', ${name}, 'orders', r.orders,
             'quantity', trim_scale(r.quantity), 'amount', trim_scale(r.amount))
           order by r.amount desc, r.key collate "C") from counted r), '[]')))::text as doc
       from locations l, (select count(*) as orders, coalesce(sum(s.total), 0) as amount from sold s) t
       where l.id = $1::uuid`,
    ),
  ]),
) as Readonly<Record<SalesGrouping, Statement<ReportText>>>;
