import { gzipSync } from 'node:zlib';
import { type Effort, type Measure, measure, medians } from '../load.ts';
import { figureRow, type Row } from '../result.ts';
import type { Setup } from '../setup.ts';
import { makeShop } from '../shop.ts';
import type { Part } from './part.ts';

/**
 * The cost of gzip for a caller's answers: CPU of Node and PostgreSQL for callers that ask for it, against those that
 * do not.
 */
export const compression: Part = {
  name: 'compression',
  summary: 'answers as gzip against the same as they are',
  async run({ setup, effort, small }) {
    const api = await setup.startApi();
    const { headers, productIds } = await makeShop(setup, api.url, small ? 50 : 400);
    await setup.comanda.pool.query('vacuum analyze');
    const { authorization = '' } = headers;
    const rows: Row[] = [];
    for (const path of [
      `/v2/products/${productIds[0]}`,
      '/v2/products?limit=10',
      '/v2/products?limit=50',
      '/v2/catalog',
    ]) {
      const text = await (await fetch(api.url + path, { headers: { authorization } })).arrayBuffer();
      const found = await compare(setup, api, path, authorization, effort);
      const cost = ({ nodeUs, postgresUs }: Measure) => nodeUs + postgresUs;
      const { plain, packed } = found;
      const made = figureRow(
        'compression',
        `GET ${path.replace(productIds[0] ?? '', '{id}')}: CPU with gzip ÷ without`,
        { most: 1.5, unit: '×' },
        cost(packed) / cost(plain),
        `${text.byteLength} bytes, gzip of level 1 ${gzipSync(text, { level: 1 }).length}; ` +
          `Node ${plain.nodeUs.toFixed(0)} and ${packed.nodeUs.toFixed(0)} µs, PostgreSQL ${plain.postgresUs.toFixed(0)} µs`,
      );
      rows.push({ ...made, sides: { comanda: packed, reference: plain } });
    }
    await api.stop();
    return rows;
  },
};

/** Both in turn, so that what disturbs the machine disturbs both. */
async function compare(
  setup: Setup,
  { url, pid }: { url: string; pid: number },
  path: string,
  authorization: string,
  effort: Effort,
): Promise<{ plain: Measure; packed: Measure }> {
  const found = { plain: [] as Measure[], packed: [] as Measure[] };
  const run = (accepted: Record<string, string>) =>
    measure(
      {
        name: 'comanda',
        url,
        pid,
        requests: [{ method: 'GET', path, headers: { authorization, ...accepted } }],
      },
      { ...effort, connections: Math.min(8, effort.connections) },
      setup.postmaster,
    );
  if (effort.repeats > 1) await run({});
  for (let repeat = 0; repeat < effort.repeats; repeat += 1) {
    found.plain.push(await run({}));
    found.packed.push(await run({ 'accept-encoding': 'gzip' }));
  }
  return { plain: medians(found.plain), packed: medians(found.packed) };
}
