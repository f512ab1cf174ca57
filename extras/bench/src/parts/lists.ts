import type { Place } from '../calls.ts';
import { processMs } from '../cpu.ts';
import type { Figure } from '../figure.ts';
import { fillWithCompany, makePlace, makeShop, tidy } from '../fill.ts';
import { compare, cpuFigures, type Request, sendLoad } from '../load.ts';
import type { Part } from '../part.ts';

/** Orders of the two locations whose lists are compared. */
const few = 1_000;
const many = 200_000;

/** Filters of the list of orders; each is asked for its first and its last page. */
const filters = [
  { name: 'no filter', query: '' },
  { name: 'status=closed', query: '&status=closed' },
  { name: 'a month', query: `&from=${day(60)}&to=${day(30)}` },
];

/** Lists of 50 with exact total: against the reference, at depth, and of many orders against few. */
export const lists: Part = {
  name: 'lists',
  summary: 'lists of 50 with exact total against the reference, at depth, and of many orders against few',
  rounds: 6,
  async open({ subject, small, log }) {
    const [api, reference] = await Promise.all([subject.startApi(), subject.startReference()]);
    const [other] = await fillWithCompany(subject, small);
    if (other === undefined) throw new Error('there is no company');
    const shop = await makeShop(subject, api.url, small ? 100 : 10_000);
    log('making histories');
    const histories = {
      few: await makePlace(subject, 10, small ? 200 : few),
      many: await makePlace(subject, 10, small ? 1_000 : many),
    };
    await tidy(subject);
    const load = { connections: small ? 4 : 32, until: small ? { amount: 16 } : { seconds: 3 } };
    const ask = (place: Pick<Place, 'key'>, path: string) =>
      sendLoad({ ...load, url: api.url, requests: [get(path, place.key)] }, subject.cpuMs);

    /** How much slower the second list is. */
    const ratio = async (
      work: string,
      [first, second]: readonly [readonly [Place, string], readonly [Place, string]],
    ): Promise<Figure> => {
      const base = await ask(...first);
      const found = await ask(...second);
      const failed = base.failed ?? found.failed;
      const note = `${found.perSecond.toFixed(0)}/s against ${base.perSecond.toFixed(0)}/s; PostgreSQL ${found.cpuUs.postgres.toFixed(0)} µs against ${base.cpuUs.postgres.toFixed(0)}`;
      return {
        work,
        value: base.perSecond / found.perSecond,
        unit: '×',
        note,
        ...(failed !== undefined && { failed }),
      };
    };

    return async () => {
      const { location } = shop.reference;
      const against = (work: string, least: number, ours: Request[], theirs: Request[]) =>
        compare(
          subject,
          {
            work,
            goal: { least },
            why: 'products.md',
            comanda: { ...load, url: api.url, requests: ours },
            reference: { ...load, url: reference.url, requests: theirs },
          },
          () => processMs(reference.pid),
        );
      // A spread of products, not one that stays in every cache.
      const some = (ids: readonly string[]) =>
        ids.filter((_, index) => index % Math.ceil(ids.length / 500) === 0);
      const one = await against(
        'GET /v2/products/{id}, 10,000 products',
        1.3,
        some(shop.productIds).map((id) => get(`/v2/products/${id}`, shop.key)),
        some(shop.reference.productIds).map((id) => get(`/${location}/products/${id}`)),
      );
      const products = await against(
        'GET /v2/products?limit=50, 10,000 products',
        2,
        [get('/v2/products?limit=50', shop.key)],
        [get(`/${location}/products?limit=50`)],
      );
      const page = '/v2/products?limit=50';
      const depth = await ratio('GET /v2/products?limit=50: the last page ÷ the first', [
        [shop, page],
        [shop, `${page}&offset=${shop.productIds.length - 50}`],
      ]);
      const payments = '/v2/payments?limit=50';
      const paymentsDepth = await ratio('GET /v2/payments?limit=50: the last page ÷ the first', [
        [other, payments],
        [other, `${payments}&offset=${await lastPage(api.url, other, '/v2/payments')}`],
      ]);
      const orders = await ask(other, '/v2/orders?limit=50');
      const work = 'GET /v2/orders?limit=50, 10,000 orders';
      const figures: Figure[] = [
        ...one,
        ...products,
        depth,
        paymentsDepth,
        { work: `${work}: rate`, value: orders.perSecond, unit: '/s' },
        ...cpuFigures(work, orders.cpuUs),
      ];
      for (const { name, query } of filters) {
        const first = (place: Place) => [place, `/v2/orders?limit=50${query}`] as const;
        const last = async (place: Place) =>
          [
            place,
            `/v2/orders?limit=50&offset=${await lastPage(api.url, place, '/v2/orders', query)}${query}`,
          ] as const;
        const label = `GET /v2/orders?limit=50, ${name}: ${many.toLocaleString('en')} orders ÷ ${few.toLocaleString('en')}`;
        figures.push(
          {
            ...(await ratio(`${label}, first page`, [first(histories.few), first(histories.many)])),
            goal: { most: 1.3 },
          },
          {
            ...(await ratio(`${label}, last page`, [await last(histories.few), await last(histories.many)])),
            goal: { most: 1.3 },
          },
        );
      }
      return figures;
    };
  },
};

const get = (path: string, key?: string): Request => ({
  method: 'GET',
  path,
  ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
});

async function lastPage(url: string, { key }: Place, list: string, query = ''): Promise<number> {
  const response = await fetch(`${url}${list}?limit=1${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { pagination } = (await response.json()) as { pagination: { total: number } };
  return Math.max(0, pagination.total - 50);
}

/** The date so many days ago. */
function day(ago: number): string {
  return new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
}
