import { identified, type Statement, statement } from '@comanda/db';
import { type FilterSql, foldedSearch, type Given, givenFilters } from '../../call/filters.ts';
import { cutOf, type PageText } from '../../call/page-text.ts';
import { keptByName } from '../../kept.ts';
import { entries, type Include } from './entries.statements.ts';
import type { OrderList, OrderStatus } from './schema.ts';

// Not Prisma: a list must not slow down as a location's history grows. By status and date, which callers page by,
// totals come from counts and the page is found without reading the orders before it (docs/design/database.md, "Counts and lists").
// tests/api/orders-list.test.ts holds each of these statements equal to the plain Prisma query.

type Beside = 'limit' | 'offset' | 'sort' | 'order' | 'updated_since' | 'cursor' | 'include' | 'status';

/** The filters of a list: by one status or by any of several. */
export type OrderFilters = Omit<OrderList, Beside> & {
  status?: OrderStatus;
  any_status?: OrderStatus[];
  /** A part of a text of the order or of a line. */
  text?: string | undefined;
};

/** The filters of an input. */
export function filtersOf({
  status = [],
  from,
  to,
  number,
  external_id,
  channel,
  turn_id,
  settlement_id,
  text,
}: OrderList & Pick<OrderFilters, 'text'>): OrderFilters {
  const [first, ...more] = new Set([status].flat());
  return {
    from,
    to,
    number,
    external_id,
    channel,
    turn_id,
    settlement_id,
    text,
    ...(more.length > 0 && first !== undefined
      ? { any_status: [first, ...more] }
      : first && { status: first }),
  };
}

/** The statement and the values that list what passes the filters; only the filters that are given are in the SQL. */
export function listOrders(
  locationId: string,
  input: OrderList & Pick<OrderFilters, 'text'>,
): { statement: Statement<PageText>; values: unknown[] } {
  const { limit, offset, sort, order, include = [] } = input;
  const given = givenFilters(filterSql, filtersOf(input));
  return {
    statement: listStatement(sort, order, given, include),
    values: [locationId, limit, offset, ...given.values],
  };
}

const sortColumns = {
  created_at: 'o.created_at',
  number: 'o.number',
  total: 'o.total',
} as const satisfies Record<OrderList['sort'], string>;

// Limits that are not constant enclose one that is: the planner takes an unknown one for a tenth of the table.
const location = '$1::uuid';
const timezone = `(select l.timezone from locations l where l.id = ${location})`;
const dayStart = (value: string) => `(select day_start(${value}::date, ${timezone}))`;
const dayEnd = (value: string) => `(select day_start(${value}::date + 1, ${timezone}))`;
const mostOnPage = 200;

/** Of the order `o`. */
export const filterSql: FilterSql<OrderFilters> = {
  status: (value) => `o.status = ${value}::order_status`,
  any_status: (value) => `o.status = any (${value}::order_status[])`,
  from: (value) => `o.created_at >= ${dayStart(value)}`,
  to: (value) => `o.created_at < ${dayEnd(value)}`,
  number: (value) => `o.number = ${value}::bigint`,
  external_id: (value) => `o.id = ${identified('orders', 'external_id', location, `${value}::text`)}`,
  channel: (value) => `o.channel = ${value}::text`,
  turn_id: (value) => `o.turn_id = ${value}::uuid`,
  settlement_id: (value) =>
    `o.turn_id = (select s.turn_id from settlements s where s.location_id = ${location} and s.id = ${value}::uuid)`,
  text: (value) => {
    const wanted = foldedSearch(value);
    const holds = (column: string) => `strpos(fold_text(${column}) collate "C", ${wanted}) > 0`;
    return `(${holds('o.identifier')} or ${holds('o.external_id')} or exists (
      select from order_items i where i.location_id = ${location} and i.order_id = o.id
        and (${holds('i.name')} or ${holds('i.comment')})))`;
  },
};

const counted: readonly (keyof OrderFilters)[] = ['status', 'any_status', 'from', 'to'];

/** Part of a statement's name. */
export const shortNames = (names: readonly string[]) =>
  [...new Set(names)].sort().map((name) => name.slice(0, 3));

const kept = keptByName<Statement<PageText>>();

/** Parameters of the filters that are given. */
type Parameters = ReadonlyMap<keyof OrderFilters, string>;

function listStatement(
  sort: OrderList['sort'],
  direction: OrderList['order'],
  given: Given<keyof OrderFilters>,
  include: Include,
): Statement<PageText> {
  const name = ['list_orders', sort, direction, ...shortNames(given.names), ...shortNames(include)].join('_');
  return kept(name, () => {
    const parameters = new Map(given.names.map((filter, index) => [filter, `$${index + 4}`]));
    const where = `o.location_id = ${location}${given.where(4)}`;
    const page = given.names.every((filter) => counted.includes(filter))
      ? sort === 'created_at'
        ? byTime(direction, parameters)
        : byColumn(sortColumns[sort], direction, where, parameters)
      : plain(sortColumns[sort], direction, where);
    // The page is found first, on ids and the sorted column alone; only its orders become JSON.
    const shown = entries(include, `page.sorted ${direction}, page.id ${direction}`);
    return statement<PageText>(
      name,
      `with recursive ${page}${shown.tables}
       select (select start.total from start)::int as total, ${shown.data} as data, ${cutOf(shown)} as cut`,
    );
  });
}

// Where the page begins, and the exact total: see order_page_start in prisma/sql/order_lists.sql.
function startOf(
  { newestFirst, offset }: { newestFirst: boolean; offset: string },
  given: Parameters,
): string {
  const [status, anyStatus, from, to] = counted.map((name) => given.get(name));
  const statuses = status ? `array[${status}::order_status]` : `${anyStatus ?? 'null'}::order_status[]`;
  return `order_page_start($1::uuid, ${statuses}, ${from ? dayStart(from) : 'null'},
    ${to ? dayEnd(to) : 'null'}, ${newestFirst}, ${offset})`;
}

// The start bounds the scan, so that the index is entered within an hour of the page's first order.
function byTime(direction: OrderList['order'], given: Parameters): string {
  const [status, anyStatus] = [given.get('status'), given.get('any_status')];
  const upper = '(select start.upper from start)';
  const found = (more: string, limit: string) => `select o.id, o.created_at as sorted from orders o
         where o.location_id = ${location} and o.created_at >= (select start.lower from start) and ${more}
         order by o.created_at ${direction}, o.id ${direction}
         limit ${limit}`;
  const first = `${mostOnPage} offset (select start.rest from start)`;
  // Each status has its own run of the index. A bound that is a row is not taken for one end of a narrow range: there the
  // planner expects one order by time as by status, and takes either index.
  const merged = () => `select o.* from unnest(${anyStatus}::order_status[]) s (status) cross join lateral (
           ${found(
             `o.status = s.status and (o.created_at, o.id) < (${upper}, uuid '00000000-0000-0000-0000-000000000000')`,
             '(select start.rest from start) + $2',
           )}) o
         order by o.sorted ${direction}, o.id ${direction} limit ${first}`;
  const alone = () =>
    found(`o.created_at < ${upper}${status ? ` and ${filterSql.status(status)}` : ''}`, first);
  return `start as materialized (
       select * from ${startOf({ newestFirst: direction === 'desc', offset: '$3::bigint' }, given)}
     ), page as materialized (
       select * from (
         ${anyStatus ? merged() : alone()}
       ) found limit $2
     )`;
}

// Found from the nearer end, so that the last page costs what the first costs. Within dates the orders of these are
// sorted: to go along the index of another column until the dates are met could mean to read all of the history.
function byColumn(column: string, direction: OrderList['order'], where: string, given: Parameters): string {
  const opposite = direction === 'asc' ? 'desc' : 'asc';
  const sorted = given.has('from') || given.has('to') ? `${column} + 0` : column;
  const slice = (way: 'asc' | 'desc', near: string, limit: string, offset: string) =>
    `(select * from (
         select o.id, ${column} as sorted from orders o where ${where} and (select ${near} from start)
         order by ${sorted} ${way}, o.id ${way} limit ${mostOnPage} offset ${offset}
       ) found limit ${limit})`;
  return `start as materialized (
       select total, $3::bigint * 2 <= total as from_start
       from ${startOf({ newestFirst: true, offset: '0' }, given)}
     ), page as materialized (
       ${slice(direction, 'start.from_start', '$2', '$3::bigint')}
       union all
       ${slice(
         opposite,
         'not start.from_start',
         '(select greatest(least($2::bigint, start.total - $3::bigint), 0) from start)',
         '(select greatest(start.total - $3::bigint - $2::bigint, 0) from start)',
       )}
     )`;
}

// By number or external_id there is one at most; by channel what has the channel is counted; a text is looked for in the orders of some days.
function plain(column: string, direction: OrderList['order'], where: string): string {
  return `start as (
       select count(*) as total from orders o where ${where}
     ), page as materialized (
       select * from (
         select o.id, ${column} as sorted from orders o where ${where}
         order by ${column} ${direction}, o.id ${direction} limit ${mostOnPage} offset $3::bigint
       ) found limit $2
     )`;
}
