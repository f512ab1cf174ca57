import { newOrder, settled, unused } from '../calls.ts';
import { processMs } from '../cpu.ts';
import type { Figure } from '../figure.ts';
import { fillWithCompany, letCompanyWork, makeShop, type Shop } from '../fill.ts';
import { type Compared, compare, type Load, type Request } from '../load.ts';
import type { Part } from '../part.ts';
import { runSql, type Subject } from '../subject.ts';

/** Lines of an order. */
const lines = 5;
/** Orders that a round moves, each once. */
const manyMoves = 1_600;

/**
 * Orders of five lines, their moves and reads, in locations that were made after the database was filled. The company orders and the
 * worker publishes meanwhile.
 */
export const orders: Part = {
  name: 'orders',
  summary: 'orders of five lines alone and 32 at once, moves and single reads, against the reference',
  rounds: 6,
  async open({ subject, small }) {
    const [api, , reference] = await Promise.all([
      subject.startApi(),
      subject.startWorker(),
      subject.startReference(),
    ]);
    const company = await fillWithCompany(subject, small);
    const shops: Shop[] = [];
    for (let index = 0; index < (small ? 2 : 8); index += 1)
      shops.push(await makeShop(subject, api.url, 100));
    const moves = small ? 64 : manyMoves;
    return async () => {
      const made = await makePending(subject, shops, moves);
      const figures: Figure[] = [];
      for (const load of loads({ shops, made, moves, small })) {
        await settled(subject);
        const stop = letCompanyWork(company, api.url);
        const after = async () => {
          await stop();
          await settled(subject);
        };
        const sides: Compared = {
          ...load,
          comanda: { ...load.comanda, url: api.url },
          reference: { ...load.reference, url: reference.url },
        };
        figures.push(...(await compare(subject, sides, () => processMs(reference.pid), after)));
      }
      return figures;
    };
  },
};

/** Ids of pending orders of the first shop. */
type Made = Record<'comanda' | 'reference', string[]>;

async function makePending(
  { database, referenceUrl }: Subject,
  [shop]: readonly Shop[],
  count: number,
): Promise<Made> {
  if (shop === undefined) throw new Error('there is no shop');
  const { rows } = await database.pool.query<{ id: string }>(
    `with made as (
       insert into orders (location_id, id, number, external_id, total, payment_method_id, identifier)
       select $1, uuid_v7(), coalesce((select max(number) from orders where location_id = $1), 0) + 100000 + n, $5 || n, 12.5, $2, ''
       from generate_series(1, $4::int) n returning id, number
     ), bought as (
       insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total)
       select $1, m.id, p, ($3::uuid[])[1 + (m.number + p) % 100], 'Product', 2.5, 1, 2.5 from made m, generate_series(1, ${lines}) p
     ), paid as (
       insert into payments (location_id, order_id, payment_method_id, amount) select $1, id, $2, 12.5 from made
     ) select id from made`,
    [shop.locationId, shop.paymentMethodId, shop.productIds, count, unused('pending-')],
  );
  const { location, productIds } = shop.reference;
  const reference = await runSql(
    referenceUrl,
    `select (create_order($1::uuid, gen_random_uuid(), (($2::jsonb) || jsonb_build_object('external_id', $3 || n))::json)::json)->>'id' as id
     from generate_series(1, 100) n`,
    [location, JSON.stringify(newOrder({ ...shop, productIds }, lines)), unused('pending-')],
  );
  return { comanda: rows.map(({ id }) => id), reference: reference.map(({ id }) => String(id)) };
}

/** A load of both sides without the addresses. */
type Unplaced = Omit<Compared, 'comanda' | 'reference'> & Record<'comanda' | 'reference', Omit<Load, 'url'>>;

function loads(options: { shops: Shop[]; made: Made; moves: number; small: boolean }): Unplaced[] {
  const { shops, made, moves, small } = options;
  const [shop] = shops;
  if (shop === undefined) throw new Error('there is no shop');
  const { location } = shop.reference;
  const until = small ? { amount: 16 } : { seconds: 4 };
  const atOnce = small ? 4 : 32;
  const json = { 'content-type': 'application/json' };
  const both = (
    how: Pick<Load, 'connections' | 'until'>,
    comanda: readonly Request[],
    reference: readonly Request[],
  ) => ({
    comanda: { ...how, requests: comanda },
    reference: { ...how, requests: reference },
  });
  const placed = (connections: number, over: readonly Shop[]) =>
    both({ connections, until }, over.map(order), over.map(orderOfReference));
  const nextOf = (ids: readonly string[]) => {
    let at = 0;
    return () => {
      at += 1;
      return ids[at % ids.length] ?? '';
    };
  };
  const move = (path: (id: string) => string, ids: readonly string[], headers: Record<string, string>) => {
    const next = nextOf(ids);
    const body = JSON.stringify({ status: 'ready' });
    return [{ method: 'PATCH' as const, path: '/', headers, next: () => ({ path: path(next()), body }) }];
  };
  const get = (path: string, headers: Record<string, string> = {}): Request => ({
    method: 'GET',
    path,
    headers,
  });
  const authorization = { authorization: shop.headers.authorization ?? '' };
  return [
    {
      work: 'POST /v2/orders, alone',
      goal: { least: 0.4 },
      why: 'orders.md',
      ...placed(1, shops.slice(0, 1)),
    },
    {
      work: 'POST /v2/orders, 32 at once over 8 locations',
      goal: { least: 0.65 },
      why: 'orders.md',
      ...placed(atOnce, shops),
    },
    {
      work: 'PATCH /v2/orders/{id}/status, 32 at once',
      goal: { least: 0.65 },
      ...both(
        { connections: atOnce, until: { amount: moves } },
        move((id) => `/v2/orders/${id}/status`, made.comanda, shop.headers),
        move((id) => `/${location}/orders/${id}`, made.reference, json),
      ),
    },
    {
      work: 'GET /v2/orders/{id}',
      goal: { least: 0.65 },
      ...both(
        { connections: atOnce, until },
        made.comanda.slice(0, 100).map((id) => get(`/v2/orders/${id}`, authorization)),
        made.reference.map((id) => get(`/${location}/orders/${id}`)),
      ),
    },
  ];
}

const order = (shop: Shop): Request => ({
  method: 'POST',
  path: '/v2/orders',
  headers: shop.headers,
  next: () => ({
    headers: { 'idempotency-key': unused('bench') },
    body: JSON.stringify(newOrder(shop, lines)),
  }),
});

const orderOfReference = (shop: Shop): Request => {
  const { location, productIds } = shop.reference;
  return {
    method: 'POST',
    path: `/${location}/orders`,
    headers: { 'content-type': 'application/json' },
    next: () => ({ body: JSON.stringify(newOrder({ ...shop, productIds }, lines)) }),
  };
};
