import pg from 'pg';
import { migrate } from '../../packages/db/src/migrate.ts';
import { threadCpuMs } from '../cpu.ts';
import { median } from '../load.ts';
import { type Cost, costOf } from './cost.ts';
import { addLocations, fill, type Shape, shapes } from './fill.ts';
import { idIndexes, type LabStatement, type Sample, statements } from './statements.ts';

/** How a statement did in one way and state. */
export interface Finding {
  server: string;
  shape: string;
  way: Way;
  state: State;
  statement: string;
  cost: Cost;
}

/** A statement that takes longer is given up; what takes a tenth of it runs once. */
const mostMs = 20_000;
const longMs = mostMs / 10;

type Way = 'today' | 'A' | 'B' | 'C';
type State = 'planned small' | 'not analysed' | 'old location' | 'new location';

/** `node dist/lab.js <url of a superuser> …`: prints every finding as a line of JSON. */
for (const url of process.argv.slice(2).filter((w) => w.startsWith('postgres'))) {
  for (const shape of shapes.filter((s) => (process.env.SHAPES ?? s.name).includes(s.name))) {
    await measureShape(url, shape, false);
    await measureShape(url, shape, true);
  }
}

async function measureShape(server: string, shape: Shape, byId: boolean): Promise<void> {
  const name = 'plans_lab';
  const url = new URL(server);
  url.pathname = `/${name}`;
  await run(server, `drop database if exists ${name} with (force)`, `create database ${name}`);
  await migrate(url.href);
  const open = async (...settings: string[]) => {
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(
      [
        `set session_replication_role = replica; set statement_timeout = ${mostMs}; set max_parallel_workers_per_gather = 0`,
        ...settings,
      ].join(';'),
    );
    return client;
  };
  const generic = 'set plan_cache_mode = force_generic_plan';
  const hand = await open('set statement_timeout = 0; set enable_nestloop = off; set enable_mergejoin = off');
  const version =
    String((await hand.query('show server_version')).rows[0]?.server_version).split(' ')[0] ?? '';
  if (byId) for (const index of idIndexes) await hand.query(index);
  const few = { products: 3, orders: 3, deliveries: 3 };
  const [old = ''] = await addLocations(hand, 1);
  await fill(hand, [old], few);
  const note = async (way: Way, state: State, client: pg.Client, sample: Sample) => {
    for (const statement of statements) {
      if (
        way === 'C' &&
        statement.byId === undefined &&
        !statement.name.includes('external') &&
        !statement.name.includes('foreign')
      )
        continue;
      const cost = await measure(client, statement, sample);
      console.log(
        JSON.stringify({
          server: version,
          shape: shape.name,
          way,
          state,
          statement: statement.name,
          cost,
        } satisfies Finding),
      );
    }
  };
  // Planned while every table held three rows.
  const ways: [Way, string[]][] = byId
    ? [['C', []]]
    : [
        ['today', []],
        ['B', [generic]],
      ];
  const early: [Way, pg.Client][] = [];
  for (const [way, settings] of ways) {
    const client = await open(...settings);
    const sample = await sampleOf(hand, old);
    for (const statement of statements) {
      await prepare(client, statement, way);
      for (let time = 0; time < 7; time += 1) await explain(client, statement, sample);
    }
    early.push([way, client]);
  }
  const [first, ...others] = shape.groups;
  if (first === undefined) return;
  const began = performance.now();
  await fill(hand, [old], first, 3);
  for (const group of others) await fill(hand, await addLocations(hand, group.locations), group);
  console.error(`${version} ${shape.name}: filled in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  const sample = await sampleOf(hand, old);
  for (const [way, client] of early) {
    await note(way, 'planned small', client, sample);
    await client.end();
  }
  const fresh = async (way: Way, settings: string[]) => {
    const client = await open(...settings);
    for (const statement of statements) await prepare(client, statement, way);
    return client;
  };
  for (const [way, settings] of ways) {
    const client = await fresh(way, settings);
    await note(way, 'not analysed', client, sample);
    await client.end();
  }
  await hand.query('analyze');
  const [young = ''] = await addLocations(hand, 1);
  await fill(hand, [young], { products: 500, orders: 500, deliveries: 250 });
  const youngSample = await sampleOf(hand, young);
  const analysed = async (way: Way, settings: string[]) => {
    for (const [state, asked] of [
      ['old location', sample],
      ['new location', youngSample],
    ] as const) {
      const client = await fresh(way, settings);
      await note(way, state, client, asked);
      await client.end();
    }
  };
  for (const [way, settings] of ways) await analysed(way, settings);
  if (!byId) {
    await hand.query(`do $$ declare t text; begin
      for t in select table_name from information_schema.columns where table_schema = 'public' and column_name = 'location_id' loop
        execute format('alter table %I alter location_id set statistics 0', t);
      end loop;
      delete from pg_statistic s using pg_attribute a where a.attrelid = s.starelid and a.attnum = s.staattnum and a.attname = 'location_id';
    end $$`);
    await analysed('A', []);
  }
  await hand.end();
  await run(server, `drop database ${name} with (force)`);
}

function nameOf(statement: LabStatement): string {
  return `"${statement.name}"`;
}

async function prepare(client: pg.Client, statement: LabStatement, way: Way): Promise<void> {
  const text = way === 'C' ? (statement.byId ?? statement.text) : statement.text;
  await client.query(`prepare ${nameOf(statement)} (${statement.types}) as ${text}`);
}

/** The medians of up to six runs after a first one, fewer where they take long. */
async function measure(client: pg.Client, statement: LabStatement, sample: Sample): Promise<Cost> {
  const first = await explain(client, statement, sample);
  if (first.ms >= longMs) return first;
  const costs: Cost[] = [];
  for (
    const end = performance.now() + 2_500;
    costs.length < 1 || (costs.length < 6 && performance.now() < end);
  )
    costs.push(await explain(client, statement, sample));
  const of = (name: 'ms' | 'cpuMs' | 'planMs') => median(costs.map((cost) => cost[name]));
  return { ...(costs.at(-1) ?? first), ms: of('ms'), cpuMs: of('cpuMs'), planMs: of('planMs') };
}

async function explain(client: pg.Client, statement: LabStatement, sample: Sample): Promise<Cost> {
  const values = statement
    .values(sample)
    .map((value) =>
      pg.escapeLiteral(Array.isArray(value) ? `{${value.map((one) => `"${one}"`).join(',')}}` : value),
    );
  await client.query('begin');
  try {
    if (statement.set !== undefined) await client.query(statement.set);
    const before = cpuMs(client);
    const { rows } = await client.query(
      `explain (analyze, timing off, buffers, format json) execute ${nameOf(statement)} (${values.join(', ')})`,
    );
    return { ...costOf(rows[0]?.['QUERY PLAN']), cpuMs: cpuMs(client) - before };
  } catch (error) {
    return { ms: mostMs, cpuMs: mostMs, planMs: 0, read: 0, vain: 0, buffers: 0, plan: String(error) };
  } finally {
    await client.query('rollback');
  }
}

/** On a CPU, planning included: whatever else the machine does. */
function cpuMs(client: pg.Client): number {
  const { processID } = client as unknown as { processID: number };
  return threadCpuMs(processID);
}

async function sampleOf(client: pg.Client, location: string): Promise<Sample> {
  const list = async (text: string) =>
    (await client.query<{ v: string }>(text, [location])).rows.map(({ v }) => v);
  const [product = '', ...products] = await list(
    'select id as v from products where location_id = $1 order by md5(id::text) limit 500',
  );
  const externalIds = await list(
    'select external_id as v from products where location_id = $1 order by md5(id::text) limit 500',
  );
  const [order = ''] = await list(
    'select id as v from orders where location_id = $1 order by md5(id::text) limit 1',
  );
  const [turn = ''] = await list(
    'select turn_id as v from orders where location_id = $1 and turn_id is not null order by number desc limit 1',
  );
  const [endpoint = ''] = await list('select id as v from webhook_endpoints where location_id = $1');
  const deliveries = await list(
    'select id as v from webhook_deliveries where location_id = $1 order by md5(id::text) limit 250',
  );
  return {
    location,
    product,
    products: [product, ...products],
    externalId: externalIds[0] ?? '',
    externalIds,
    bought: [product, ...products].slice(0, 5),
    order,
    turn: turn || order,
    endpoint,
    deliveries,
  };
}

async function run(url: string, ...texts: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const text of texts) await client.query(text);
  } finally {
    await client.end();
  }
}
