import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, test } from 'vitest';
import { operations } from '../support/documented.ts';
import { createLocation, subscribableEventTypes } from '@comanda/api/services';
import { waitFor } from '../support/wait.ts';
import type { RunStatement } from './auto-explain.ts';
import { fill } from './fill.ts';
import { judge, mostTouched, type Verdict } from './judge.ts';
import { type Service, startService } from './service.ts';
import { openShop, type Shop, touched } from './shop.ts';
import { workOnBatches, workOnProducts } from './work/catalog.ts';
import { workOnOrders } from './work/orders.ts';
import { workOnKeys, workOnMoney, workOnWebhooks } from './work/rest.ts';

const variant = process.env.VARIANT ?? '';
let state = '0 start';
const seen = new Map<string, { state: string; run: RunStatement; verdict: Verdict; runs: number; bad: number }>();
let service: Service;
beforeAll(async () => {
  service = await startService((run) => {
    if (!run.application.startsWith('comanda')) return;
    const key = `${state}\n${run.text}`;
    const verdict = judge(run.plan);
    const known = seen.get(key);
    const bad = verdict.ratio > mostTouched ? 1 : 0;
    if (known === undefined) seen.set(key, { state, run, verdict, runs: 1, bad });
    else {
      known.runs += 1;
      known.bad += bad;
      if (verdict.ratio > known.verdict.ratio) Object.assign(known, { run, verdict });
    }
  });
}, 60_000);
afterAll(() => service.close(), 60_000);

test('x', async () => {
  const { sql } = service;
  const t0 = performance.now();
  const lap = (what: string) => console.log(((performance.now() - t0) / 1000).toFixed(1), what);
  if (variant.includes('b'))
    for (const { c } of await sql<{ c: string }>(`select format('alter table %I alter column location_id set statistics 0', table_name) as c
      from information_schema.columns where column_name = 'location_id' and table_schema = 'public'`)) await sql(c);
  const make = async (name: string) => {
    const { id } = await createLocation(service.app.database, { name, timezone: 'America/Montevideo', currency: 'UYU' });
    const shop = await openShop(service, id);
    await shop.call('POST /v2/webhook-endpoints', {
      url: service.consumer.url,
      events: [...subscribableEventTypes],
    });
    return shop;
  };
  const work = async (shop: Shop, round: string, size: number) => {
    await workOnProducts(shop, round);
    await workOnBatches(shop, round, size);
    await workOnMoney(shop, round, () => workOnOrders(shop, round));
    await workOnWebhooks(shop);
    await workOnKeys(shop, round);
    await service.settled();
  };
  const forget = async () => {
    if (!variant.includes('c')) return;
    await Promise.all([...service.listening.clients].map((client) => client.query('discard plans').catch(() => {})));
  };
  const sweeps = async () => {
    const { app } = service;
    await app.readiness.check?.().catch?.(() => {});
    await waitFor('a sweep', () => [...seen.values()].some((s) => s.state === state && s.run.text.includes('bool_and(d.leased_until')));
  };
  const first = await make('First');
  if (variant.includes('a5')) { await work(first, 'r', 5); await sql('analyze'); await forget(); }
  state = '1 small';
  for (let n = 0; n < Number(process.env.ROUNDS ?? 7); n += 1) await work(first, `s${n % 2}`.replace(/$/, `-${n}`), 5);
  await sweeps();
  lap('small');
  state = 'filling';
  const other = await make('Other');
  await fill(service, other.locationId, { products: 20_000, orders: 50_000 });
  lap('filled other');
  await fill(service, first.locationId, { products: 400, orders: 400 });
  await service.settled();
  await forget();
  lap('filled');
  state = '2 filled';
  for (let n = 0; n < 2; n += 1) await work(first, `f-${n}`, 120);
  await sweeps();
  lap('2');
  state = 'analysing';
  await sql('analyze');
  await forget();
  lap('analysed');
  state = '3 analysed';
  for (let n = 0; n < 2; n += 1) await work(first, `a-${n}`, 120);
  await sweeps();
  lap('3');
  state = '4 new location';
  const fresh = await make('Fresh');
  for (let n = 0; n < 2; n += 1) await work(fresh, `n-${n}`, 120);
  await sweeps();
  lap('4');
  console.log('untouched', operations.flatMap(({ name, routes }) => routes.length === 0 ? [] : routes.map((r) => `${r.method} ${r.path}`)).filter((r) => !touched.has(r)));
  const lines: string[] = [];
  for (const { run, verdict, state: at, runs, bad } of [...seen.values()].sort((a, b) => a.state.localeCompare(b.state) || b.verdict.ratio - a.verdict.ratio)) {
    if (verdict.ratio <= mostTouched) continue;
    const { node, touched: t } = verdict.worst;
    const line = run.text.trim().replace(/\s+/g, ' ');
    lines.push(`${at} | ratio ${verdict.ratio.toFixed(1)} (${Math.round(verdict.touched)}/${verdict.useful}) bad ${bad} of ${runs} | ${run.application} | ${service.listening.nameOf(run.text) ?? ''} | ${line.slice(0, 160)}
    ${node['Node Type']} ${node['Relation Name'] ?? ''} ${node['Index Name'] ?? ''} rows=${node['Actual Rows']} loops=${node['Actual Loops']} touched=${t} cond=${node['Index Cond'] ?? ''} filter=${node.Filter ?? ''} removed=${node['Rows Removed by Filter'] ?? 0} join=${node['Join Filter'] ?? ''} ${node['Rows Removed by Join Filter'] ?? 0}`);
  }
  writeFileSync(`/tmp/w/plans-experiment-${variant}.txt`, lines.join('\n'));
  writeFileSync(`/tmp/w/plans-all-${variant}.json`, JSON.stringify([...seen.values()].map(({ run, verdict, ...r }) => ({ ...r, name: service.listening.nameOf(run.text), ...run, touched: verdict.touched, useful: verdict.useful })) ));
}, 600_000);
