import pg from 'pg';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { runSql } from '../setup.ts';
import { type Cost, explain, measure, mostMs, prepare } from './explain.ts';
import { addLocations, fill, type Shape } from './fill.ts';
import { sampleOf } from './sample.ts';
import { idIndexes, type Sample, statements } from './statements.ts';

/** `kept`: as PostgreSQL is without us. A, B, C: see docs/bench/plans.md. */
export type Way = 'kept' | 'A' | 'B' | 'C';

/** When a connection has planned, and for which location. */
export type State = 'planned small' | 'not analysed' | 'old location' | 'new location';

/** How a statement did. */
export interface Finding {
  server: string;
  shape: string;
  way: Way;
  state: State;
  statement: string;
  cost: Cost;
}

const database = 'plans_lab';
const few = { products: 3, orders: 3, deliveries: 3 };
const young = { products: 500, orders: 500, deliveries: 250 };

/**
 * Fills a database of its own in the shape and measures every statement in every state, in the ways that share its indexes:
 * C, or the others. `server` is the connection string of a superuser; autovacuum must be off there.
 */
export async function comparePlans(server: string, shape: Shape, byId: boolean): Promise<Finding[]> {
  const url = new URL(server);
  url.pathname = `/${database}`;
  const findings: Finding[] = [];
  await runSql(server, `drop database if exists ${database} with (force)`);
  await runSql(server, `create database ${database}`);
  await migrate(url.href);
  const hand = await connect(url.href);
  // It fills before anything is analysed: its own plans need no luck.
  await hand.query('set statement_timeout = 0; set enable_nestloop = off; set enable_mergejoin = off');
  const { rows } = await hand.query<{ version: string }>(
    "select split_part(current_setting('server_version'), ' ', 1) as version",
  );
  const ways: readonly Way[] = byId ? ['C'] : ['kept', 'B'];
  if (byId) for (const index of idIndexes) await hand.query(index);
  await setStatistics(hand, -1);

  const note = async (way: Way, state: State, client: pg.Client, sample: Sample) => {
    for (const statement of statements) {
      // A collation that no index by id can help is no other in C.
      if (way === 'C' && statement.byId === undefined) continue;
      const cost = await measure(client, statement, sample);
      findings.push({
        server: rows[0]?.version ?? '',
        shape: shape.name,
        way,
        state,
        statement: statement.name,
        cost,
      });
    }
    await client.end();
  };

  const [old = ''] = await addLocations(hand, 1);
  await fill(hand, [old], few);
  const early = new Map<Way, pg.Client>();
  for (const way of ways) {
    const client = await prepared(url.href, way);
    const sample = await sampleOf(hand, old);
    // From the sixth run on PostgreSQL keeps a plan.
    for (const statement of statements)
      for (let run = 0; run < 7; run += 1) await explain(client, statement, sample);
    early.set(way, client);
  }
  const [first, ...others] = shape.groups;
  await fill(hand, [old], first, few.products);
  for (const group of others) await fill(hand, await addLocations(hand, group.locations), group);
  const oldSample = await sampleOf(hand, old);
  for (const [way, client] of early) await note(way, 'planned small', client, oldSample);
  for (const way of ways) await note(way, 'not analysed', await prepared(url.href, way), oldSample);

  await hand.query('vacuum analyze');
  const [made = ''] = await addLocations(hand, 1);
  await fill(hand, [made], young);
  const newSample = await sampleOf(hand, made);
  for (const way of byId ? ways : ([...ways, 'A'] as const)) {
    if (way === 'A') await setStatistics(hand, 0);
    await note(way, 'old location', await prepared(url.href, way), oldSample);
    await note(way, 'new location', await prepared(url.href, way), newSample);
  }
  await hand.end();
  await runSql(server, `drop database ${database} with (force)`);
  return findings;
}

/** A connection as it is measured on. As replica: triggers and foreign keys are not what is compared. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `set session_replication_role = replica; set statement_timeout = ${mostMs}; set max_parallel_workers_per_gather = 0`,
  );
  return client;
}

async function prepared(url: string, way: Way): Promise<pg.Client> {
  const client = await connect(url);
  if (way === 'B') await client.query('set plan_cache_mode = force_generic_plan');
  for (const statement of statements)
    await prepare(client, statement, way === 'C' ? (statement.byId ?? statement.text) : statement.text);
  return client;
}

/** -1: as many as PostgreSQL keeps by itself; 0: none, and those that there are go. */
async function setStatistics(client: pg.Client, target: -1 | 0): Promise<void> {
  await client.query(`do $$ declare t regclass; begin
    for t in select attrelid from pg_attribute a join pg_class c on c.oid = a.attrelid
      where a.attname = 'location_id' and c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'internal'::regnamespace)
    loop execute format('alter table %s alter location_id set statistics ${target}', t); end loop;
    if ${target} = 0 then
      delete from pg_statistic s using pg_attribute a
      where a.attrelid = s.starelid and a.attnum = s.staattnum and a.attname = 'location_id';
    end if;
  end $$`);
}
