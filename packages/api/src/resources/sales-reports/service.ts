import { type Statement, statement } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { notFound } from '../../errors.ts';
import type { SalesGrouping, SalesReport, SalesReportQuery } from './schema.ts';

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

// Not Prisma: a report adds up exact decimals over many rows in one statement, so in one snapshot.

/** A report as JSON text. */
interface ReportText {
  doc: string;
}

// A location's orders may be a handful or a million, which the planner does not know (docs/design/database.md, "Plans"). So what belongs
// to an order is looked up by it, and what is read of the whole location meets by a full join, which is always hashed.
const perOrder = `(select coalesce(sum(i.quantity), 0) from order_items i
  where i.location_id = $1::uuid and i.order_id = s.id)`;
const lines = `sold s cross join lateral (
        select * from order_items where location_id = $1::uuid and order_id = s.id offset 0) i`;

// A line less its own discounts.
const net = `case when s.adjustments is null then i.total else i.total + coalesce((
    select sum((a->>'total')::numeric) from jsonb_array_elements(s.adjustments) a where (a->>'line')::int = i.position), 0) end`;
const adjustments = (
  which: string,
  more = '',
) => `select 'adjustment:' || (a->>'kind') as key, s.id, 0 as quantity, (a->>'total')::numeric as amount${more}
      from sold s cross join lateral jsonb_array_elements(s.adjustments) a where ${which}`;
/** What changed the total of a whole order: rows of their own. */
const ofOrders = adjustments(`not a ? 'line'`);

// A discount of a whole order without a rate is spread over the rates of its lines by their amounts, to the cent: the cents that are left over
// go where most was cut off. The remainders are exact: those of a quotient would differ by its digits where they are equal.
const byRate = `with rated as (
        select coalesce(trim_scale(i.tax_rate)::text, '') as key, i.tax_rate as rate, s.id, i.quantity, ${net} as amount, s.adjustments from ${lines}
      ), shared as (
        select r.key, r.rate, r.id, d.total, div(100 * d.total * r.amount, r.whole) as cents, mod(-100 * d.total * r.amount, r.whole) as rest
        from (select key, rate, id, adjustments, sum(amount) as amount, sum(sum(amount)) over (partition by id) as whole
          from rated where adjustments is not null group by key, rate, id, adjustments) r
        cross join lateral (select sum((a->>'total')::numeric) as total from jsonb_array_elements(r.adjustments) a
          where a->>'kind' = 'discount' and not a ?| '{line,tax_rate}') d
        where d.total < 0 and r.whole > 0
      ), parts as (
        select key, id, quantity, amount, rate from rated
        union all
        select key, id, 0, 0.01 * (cents - case when row_number() over (partition by id order by rest desc, key collate "C")
            <= sum(cents) over (partition by id) - 100 * total then 1 else 0 end), rate from shared
        union all
        ${adjustments(`not a ? 'line' and (a->>'kind' <> 'discount' or a ? 'tax_rate')`, ", (a->>'tax_rate')::numeric")}
      )
      select key, id, quantity, amount, round(amount * rate / (100 + rate), 2) as tax from parts`;

/** How sold orders are cut into parts, and what a row's key is called; the key itself unless said. */
interface Grouping {
  parts: string;
  names?: string;
  unnamed?: string;
  /** Parts have a `tax`. */
  taxed?: true;
}

/** Orders are cut whole, except by product, category and rate of tax, which take the totals of the lines, and by adjustment. */
const groupings: Readonly<Record<SalesGrouping, Grouping>> = {
  day: {
    parts: `select to_char(local_day(s.created_at, s.timezone), 'YYYY-MM-DD') as key, s.id, ${perOrder} as quantity, s.total as amount from sold s`,
  },
  // What the lines make is in the row without a key.
  adjustment: {
    parts: `select '' as key, s.id, ${perOrder} as quantity, s.total - coalesce((
          select sum((a->>'total')::numeric) from jsonb_array_elements(s.adjustments) a), 0) as amount from sold s
      union all ${adjustments('true')}`,
    unnamed: "''",
  },
  // That of the clock on the wall: 01 comes twice where the clock goes back.
  hour: {
    parts: `select to_char(s.created_at at time zone s.timezone, 'HH24') as key, s.id, ${perOrder} as quantity, s.total as amount from sold s`,
  },
  channel: {
    parts: `select coalesce(s.channel, '') as key, s.id, ${perOrder} as quantity, s.total as amount from sold s`,
  },
  // That of the latest payment, the only one that may be completed: it is what settlements count by. A method that was rejected sold nothing.
  payment_method: {
    parts: `select case when p.status = 'rejected' then '' else coalesce(p.payment_method_id, s.payment_method_id)::text end as key,
        s.id, ${perOrder} as quantity, s.total as amount
      from sold s left join lateral (
        select payment_method_id, status from payments where location_id = $1::uuid and order_id = s.id and replaced = 0 limit 1) p on true`,
    names: 'select id::text as key, name from payment_methods where location_id = $1::uuid',
  },
  // A product that is deleted is called what its last order called it.
  product: {
    parts: `select i.product_id::text as key, s.id, i.quantity, ${net} as amount from ${lines} union all ${ofOrders}`,
    names: 'select id::text as key, name from products where location_id = $1::uuid',
    unnamed: `coalesce((select i.name from ${lines} where i.product_id::text = r.key order by s.created_at desc, s.id desc limit 1), '')`,
  },
  tax_rate: {
    parts: byRate,
    unnamed: "case when r.key ~ '^[0-9]' then r.key || ' %' else '' end",
    taxed: true,
  },
  // That of the sale, by its present name, or by its last one if it is deleted. Lines from before it was kept count under the
  // present one of their product.
  category: {
    parts: `select case when i.id is not null then coalesce(i.category->>'id', case when i.category is null then c.id::text end, '') end as key,
        i.id, i.quantity, i.amount
      from (select i.product_id, i.category, s.id, i.quantity, ${net} as amount from ${lines}) i full join (
        select distinct on (l.product_id) l.product_id, c.id
        from (select product_id, category_id from product_categories where location_id = $1::uuid) l
        full join (select id, priority, name from categories where location_id = $1::uuid) c on c.id = l.category_id
        order by l.product_id, c.priority, c.name, c.id
      ) c on c.product_id = i.product_id
      union all ${ofOrders}`,
    names: 'select id::text as key, name from categories where location_id = $1::uuid',
    unnamed: `coalesce((select i.category->>'name' from ${lines} where i.category->>'id' = r.key order by s.created_at desc, s.id desc limit 1), '')`,
  },
};

/** $1 location, $2 first day, $3 last day. */
const salesReports = Object.fromEntries(
  Object.entries(groupings).map(([grouping, { parts, names, unnamed = 'r.key', taxed }]) => [
    grouping,
    statement<ReportText>(
      `sales_report_${grouping}`,
      `with sold as materialized (
         select o.id, o.created_at, o.total, o.channel, o.payment_method_id, o.adjustments, l.timezone
         from locations l join orders o on o.location_id = l.id
         where l.id = $1::uuid and o.status <> 'canceled'
           and o.created_at >= day_start($2::date, l.timezone) and o.created_at < day_start($3::date + 1, l.timezone)
       ), parts as (${parts}), counted as (
         select key, count(distinct id) as orders, sum(quantity) as quantity, sum(amount) as amount${taxed ? ', sum(tax) as tax' : ''} from parts
         group by key having count(id) > 0
       )
       select json_strip_nulls(json_build_object('from', $2::date, 'to', $3::date, 'currency', l.currency, 'group_by', '${grouping}',
         'total_orders', t.orders, 'total_amount', trim_scale(t.amount),
         'average_ticket', trim_scale(average_money(t.amount, t.orders)),
         'rows', coalesce((select json_agg(json_build_object('key', r.key, 'name', ${names ? `coalesce(n.name, ${unnamed})` : unnamed},
             'orders', r.orders, 'quantity', trim_scale(r.quantity), 'amount', trim_scale(r.amount)${taxed ? ", 'tax', trim_scale(r.tax)" : ''})
           order by r.amount desc, r.key collate "C") filter (where r.orders > 0)
           from counted r${names ? ` full join (${names}) n on n.key = r.key` : ''}), '[]')))::text as doc
       from locations l, (select count(*) as orders, coalesce(sum(s.total), 0) as amount from sold s) t
       where l.id = $1::uuid`,
    ),
  ]),
) as Readonly<Record<SalesGrouping, Statement<ReportText>>>;
