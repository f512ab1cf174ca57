import { type Database, ownBuild } from '@comanda/db';
import type { Registry } from 'prom-client';
import { family, type MetricFamily, shared, single } from './family.ts';

/** Metrics of this process: memory, processor, event loop, garbage, and its connections. */
export async function processFamilies({ pool }: Pick<Database, 'pool'>): Promise<MetricFamily[]> {
  const all = (await (await processRegistry()).getMetricsAsJSON()) as unknown as MetricFamily[];
  // Those of handles and the like are sums of others: no counters, despite their names.
  const own = all
    .filter(({ name, type }) => type === 'counter' || !name.endsWith('_total'))
    .map(withoutPeriod);
  const connections = { total: pool.totalCount, idle: pool.idleCount };
  return [
    ...own,
    family(
      'comanda_pool_connections',
      Object.entries(connections).map(([state, value]) => ({ labels: { state }, value })),
    ),
    family('comanda_pool_waiting', single(pool.waitingCount)),
    buildInfo(),
  ];
}

/** The event loop is looked at so often: each look is a timer, and 100 a second took 7 ms of CPU a second. */
const lookMs = 100;

/** What Node measures from look to look is the delay and the time between two looks. */
function withoutPeriod(all: MetricFamily): MetricFamily {
  if (!/^nodejs_eventloop_lag_(min|max|mean|p\d+)_seconds$/.test(all.name)) return all;
  const values = all.values.map((one) => ({ ...one, value: Math.max(0, one.value - lookMs / 1_000) }));
  return { ...all, values };
}

let registry: Promise<Registry> | undefined;

// A process has one, however many servers it holds: the observers behind it are never let go.
function processRegistry(): Promise<Registry> {
  registry ??= makeRegistry();
  return registry;
}

/** Loads the library with the first scrape: most processes of a small installation are never scraped. */
async function makeRegistry(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const made = new Registry();
  collectDefaultMetrics({ register: made, eventLoopMonitoringPrecision: lookMs });
  return made;
}

let build: MetricFamily | undefined;

function buildInfo(): MetricFamily {
  build ??= shared(
    family('comanda_build_info', [{ labels: { ...ownBuild(), node: process.version }, value: 1 }]),
  );
  return build;
}
