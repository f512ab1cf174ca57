import { fillWithOthers } from '../company.ts';
import { exactCpuMs, serverThreadsMs } from '../cpu.ts';
import { median } from '../load.ts';
import { sendTo } from '../operations/stage.ts';
import type { BenchProcess } from '../processes.ts';
import { figureRow } from '../result.ts';
import { runSql, type Setup } from '../setup.ts';
import { makeShop, type Shop } from '../shop.ts';
import type { Part } from './part.ts';

/** The cost of audit entries for changes by programs: the same calls with and without them, in turns. */
export const keptChanges: Part = {
  name: 'kept-changes',
  summary: 'prices, stock and new products through the API, with their history in the audit and without it',
  async run({ setup, small }) {
    await fillWithOthers(setup, small);
    const api = await setup.startApi();
    const shop = await makeShop(setup, api.url, 400);
    const rounds: Record<'kept' | 'bare', Spent>[] = [];
    const spendAs = async (mode: 'kept' | 'bare') => {
      await runSql(setup.comandaUrl, switched(mode));
      await spend(setup, api, shop, small ? 2 : 20);
      return spend(setup, api, shop, small ? 4 : 100);
    };
    for (let round = 0; round < (small ? 1 : 20); round += 1) {
      // The second meets what the first has left, so they take turns at that.
      const order = round % 2 === 0 ? (['kept', 'bare'] as const) : (['bare', 'kept'] as const);
      const first = await spendAs(order[0]);
      const second = await spendAs(order[1]);
      rounds.push(round % 2 === 0 ? { kept: first, bare: second } : { kept: second, bare: first });
      await runSql(setup.comandaUrl, 'truncate internal.captured_changes');
    }
    await runSql(setup.comandaUrl, switched('kept'));
    await api.stop();
    return works.map((work) => {
      const ratios = rounds.map(({ kept, bare }) => kept[work] / bare[work]);
      const [least, most] = interval(ratios);
      const us = (side: 'kept' | 'bare') => (median(rounds.map((one) => one[side][work])) * 1000).toFixed(0);
      return figureRow(
        'kept-changes',
        `${work}: CPU of API and PostgreSQL with its history ÷ without`,
        { most: 1.05, unit: '×' },
        median(ratios),
        `${us('kept')} µs against ${us('bare')}; 95 % of the mean ratio: ${least.toFixed(3)} to ${most.toFixed(3)}`,
      );
    });
  },
};

const works = ['one price', 'one stock', 'one new product', '250 prices in one statement'] as const;

/** CPU time of one, in milliseconds, of API and PostgreSQL. */
type Spent = Record<(typeof works)[number], number>;

let made = 0;

async function spend(setup: Setup, api: BenchProcess, shop: Shop, count: number): Promise<Spent> {
  const timed = async (times: number, work: (at: number) => Promise<unknown>): Promise<number> => {
    const before = exactCpuMs(api.pid) + serverThreadsMs(setup.postmaster);
    for (let at = 0; at < times; at += 1) await work(at);
    return (exactCpuMs(api.pid) + serverThreadsMs(setup.postmaster) - before) / times;
  };
  const send = (method: 'PATCH' | 'POST', path: string, body: object) =>
    sendTo(api.url, { method, path, body }, shop.key);
  const next = () => {
    made += 1;
    return made;
  };
  const product = (at: number) => shop.productIds[at % shop.productIds.length];
  return {
    'one price': await timed(count, (at) => send('PATCH', `/v2/products/${product(at)}`, { price: next() })),
    'one stock': await timed(count, (at) =>
      send('PATCH', `/v2/products/${product(at)}`, {
        stock: { enabled: true, quantity: next(), min_stock_alarm: 0 },
      }),
    ),
    'one new product': await timed(count, () =>
      send('POST', '/v2/products', { name: `Made ${next()}`, description: '', price: 5, category_ids: [] }),
    ),
    '250 prices in one statement': await timed(Math.ceil(count / 10), () =>
      setup.comanda.pool.query(
        'update products set price = price + 0.01 where location_id = $1::uuid and id = any ($2::uuid[])',
        [shop.locationId, shop.productIds.slice(0, 250)],
      ),
    ),
  };
}

/** Where the mean lies in 95 of 100 runs. */
function interval(values: readonly number[]): [number, number] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance =
    values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1);
  const reach = 2.09 * Math.sqrt(variance / values.length);
  return [mean - reach, mean + reach];
}

// The triggers of capture decide whether a statement is kept; without, they are as before except for the empty look.
const switched = (mode: 'kept' | 'bare') => `
do $$ declare f record; begin
  for f in select pg_get_functiondef(oid) as definition from pg_proc where proname ~ '^capture_(insert|update|delete)_' loop
    execute replace(f.definition, ${mode === 'bare' ? `'program := CASE WHEN pg_trigger', 'program := CASE WHEN false AND pg_trigger'` : `'program := CASE WHEN false AND pg_trigger', 'program := CASE WHEN pg_trigger'`});
  end loop;
end $$`;
