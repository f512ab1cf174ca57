import { fillWithOthers } from '../company.ts';
import { exactCpuMs, serverThreadsMs } from '../cpu.ts';
import { median } from '../load.ts';
import { idOf, orderOf, sendTo } from '../operations/stage.ts';
import type { BenchProcess } from '../processes.ts';
import { figureRow } from '../result.ts';
import { runSql, type Setup } from '../setup.ts';
import { makeShop, type Shop } from '../shop.ts';
import type { Part } from './part.ts';

/**
 * The cost of guards and of the audit of manual edits for the service: the same work with them and without, in turns.
 */
export const guards: Part = {
  name: 'guards',
  summary: 'orders, moves and a bulk change, with guards and audit and without them',
  async run({ setup, small }) {
    await fillWithOthers(setup, small);
    const api = await setup.startApi();
    const shop = await makeShop(setup, api.url, 400);
    const rounds: { guarded: Spent; bare: Spent }[] = [];
    const spendAs = async (mode: 'enable' | 'disable') => {
      await runSql(setup.comandaUrl, switched(mode));
      await spend(setup, api, shop, small ? 2 : 20);
      return spend(setup, api, shop, small ? 4 : 100);
    };
    for (let round = 0; round < (small ? 1 : 40); round += 1) {
      // The second side meets the rows that the first has left, so they take turns at that.
      const first = await spendAs(round % 2 === 0 ? 'enable' : 'disable');
      const second = await spendAs(round % 2 === 0 ? 'disable' : 'enable');
      rounds.push(round % 2 === 0 ? { guarded: first, bare: second } : { guarded: second, bare: first });
      await runSql(setup.comandaUrl, 'truncate internal.captured_changes');
    }
    await runSql(setup.comandaUrl, switched('enable'));
    await api.stop();
    return works.map((work) => {
      const ratio = (of: keyof Cpu) =>
        median(rounds.map(({ guarded, bare }) => guarded[work][of] / bare[work][of]));
      const us = (side: 'guarded' | 'bare') =>
        (median(rounds.map((one) => one[side][work].all)) * 1000).toFixed(0);
      return figureRow(
        'guards',
        `${work}: CPU with guards and audit of hand edits ÷ without`,
        { most: 1.03, unit: '×' },
        ratio('all'),
        `${us('guarded')} µs against ${us('bare')}; of PostgreSQL alone ${ratio('postgres').toFixed(3)}×`,
      );
    });
  },
};

const works = ['order of three items', 'status move', '250 prices in one statement'] as const;

/** CPU time of one, in milliseconds: of API and PostgreSQL, and of PostgreSQL alone. */
interface Cpu {
  all: number;
  postgres: number;
}

type Spent = Record<(typeof works)[number], Cpu>;

async function spend(setup: Setup, api: BenchProcess, shop: Shop, count: number): Promise<Spent> {
  const timed = async (times: number, work: (at: number) => Promise<unknown>): Promise<Cpu> => {
    const before = { node: exactCpuMs(api.pid), postgres: serverThreadsMs(setup.postmaster) };
    for (let at = 0; at < times; at += 1) await work(at);
    const postgres = serverThreadsMs(setup.postmaster) - before.postgres;
    return { all: (exactCpuMs(api.pid) - before.node + postgres) / times, postgres: postgres / times };
  };
  const ids: string[] = [];
  return {
    'order of three items': await timed(count, async () => {
      ids.push(idOf(await sendTo(api.url, orderOf(shop), shop.key)));
    }),
    'status move': await timed(count, (at) =>
      sendTo(
        api.url,
        { method: 'PATCH', path: `/v2/orders/${ids[at]}/status`, body: { status: 'ready' } },
        shop.key,
      ),
    ),
    '250 prices in one statement': await timed(Math.ceil(count / 10), () =>
      setup.comanda.pool.query(
        `update products set price = price + 0.01 where location_id = $1::uuid and id = any ($2::uuid[])`,
        [shop.locationId, shop.productIds.slice(0, 250)],
      ),
    ),
  };
}

// The triggers of guards and audit, and the look for manual edits in those that capture. The check of legal moves
// (guard_move) does not concern manual edits alone: the API relies on it.
const switched = (mode: 'enable' | 'disable') => `
do $$ declare t record; f record; begin
  for t in select tgname, tgrelid::regclass as r from pg_trigger where not tgisinternal and (tgname ~ '^(guard|audit)_' and tgname <> 'guard_move' or tgname = 'complete') loop
    execute format('alter table %s ${mode} trigger %I', t.r, t.tgname);
  end loop;
  for f in select pg_get_functiondef(oid) as definition from pg_proc where proname ~ '^capture_(insert|update|delete)_' loop
    execute replace(f.definition, ${mode === 'disable' ? `'IF NOT by_service() AND', 'IF false AND'` : `'IF false AND', 'IF NOT by_service() AND'`});
  end loop;
end $$`;
