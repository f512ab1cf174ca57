import { alternate, medians, type Side } from '../load.ts';
import { figureRow } from '../result.ts';
import { makeShop } from '../shop.ts';
import type { Part } from './part.ts';

/** `GET /v2/catalog` with 10,000 products: for a caller that has it already, and in full. */
export const catalog: Part = {
  name: 'catalog',
  summary: 'the catalog of 10,000 products, unchanged and in full',
  async run({ setup, effort, small, log }) {
    const api = await setup.startApi();
    const reference = await setup.startReference();
    const shop = await makeShop(setup, api.url, small ? 100 : 10_000);
    await setup.comanda.pool.query('vacuum analyze');
    const { authorization = '' } = shop.headers;
    const first = await fetch(`${api.url}/v2/catalog`, { headers: { authorization } });
    const etag = first.headers.get('etag') ?? '';
    const bytes = (await first.arrayBuffer()).byteLength;
    const sides = (headers: Record<string, string>, other: string): [Side, Side] => [
      {
        name: 'comanda',
        url: api.url,
        pid: api.pid,
        requests: [{ method: 'GET', path: '/v2/catalog', headers: { authorization, ...headers } }],
      },
      {
        name: 'reference',
        url: reference.url,
        pid: reference.pid,
        requests: [{ method: 'GET', path: other }],
      },
    ];
    log('304');
    const unchanged = await alternate(
      sides({ 'if-none-match': etag }, '/unchanged'),
      effort,
      setup.postmaster,
    );
    log('the whole tree');
    const whole = await alternate(
      sides({}, `/${shop.reference.location}/catalog`),
      { ...effort, connections: Math.min(4, effort.connections) },
      setup.postmaster,
    );
    await Promise.all([api.stop(), reference.stop()]);
    return [
      {
        ...figureRow(
          'catalog',
          'GET /v2/catalog unchanged (304): Node of a request',
          { most: 30, unit: ' µs' },
          medians(unchanged.comanda).nodeUs,
          `the same bytes from memory ${medians(unchanged.reference).nodeUs.toFixed(0)} µs`,
        ),
        why: 'catalog.md',
      },
      {
        ...row('GET /v2/catalog unchanged (304): time ÷ the same bytes from memory', 1.2, unchanged),
        why: 'requests.md',
      },
      row(`GET /v2/catalog, ${(bytes / 1e6).toFixed(1)} MB: time ÷ reference`, 2, whole),
    ];
  },
};

function row(work: string, most: number, found: Awaited<ReturnType<typeof alternate>>) {
  const sides = { comanda: medians(found.comanda), reference: medians(found.reference) };
  const made = figureRow(
    'catalog',
    work,
    { most, unit: '×' },
    sides.reference.perSecond / sides.comanda.perSecond,
  );
  return { ...made, sides };
}
