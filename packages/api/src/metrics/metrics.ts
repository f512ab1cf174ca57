import type { Database } from '@comanda/db';
import type { Metric } from 'prom-client';
import { type CheckMetrics, noChecks } from './checks.ts';
import { databaseFamilies } from './database-families.ts';
import { family, highestOf, type MetricFamily, shared, single } from './family.ts';
import { processFamilies } from './process-families.ts';
import type { DatabaseState, Publishing, Readiness } from './readiness.ts';
import { type CountedRequest, createRequestMeters } from './request-meters.ts';

/** Counts the work of this process, and reports it together with the database's metrics of all processes. */
export interface Metrics {
  /** Counts one request. */
  observe(request: CountedRequest, durationMs: number): void;
  /** The values that only this process knows; plain data that can be sent to another process. */
  own(): Promise<MetricFamily[]>;
  /**
   * Everything in the text format of Prometheus. `siblings` are the `own()` of the other processes that answer
   * at the same address: theirs and ours are added up.
   */
  text(siblings?: readonly MetricFamily[][]): Promise<string>;
}

/** The content type of `Metrics.text()`. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** The dependencies of metrics. */
export interface MetricsOptions {
  /** Names of all operations. */
  operations: readonly string[];
  /** The database of the requests; its pool is shown. */
  database: Pick<Database, 'pool'>;
  /** Another connection, with time limits: a scrape neither waits for requests nor holds them up. */
  health: Database;
  /** As `/readyz` has it. */
  readiness(): Promise<Readiness>;
  /** Of doctor, where this process watches them. */
  checks?: CheckMetrics;
}

/** How long an answer of the database is reused, in milliseconds. */
const freshMs = 1_500;

/** Starts counting. */
export function createMetrics(options: MetricsOptions): Metrics {
  const { operations, database, health, readiness, checks = noChecks } = options;
  const meters = createRequestMeters(operations);
  let asked = Number.NEGATIVE_INFINITY;
  let answer: Promise<MetricFamily[]> = Promise.resolve([]);

  // Scrapes that come together share one look at the database.
  const fromDatabase = (): Promise<MetricFamily[]> => {
    const now = performance.now();
    if (now - asked < freshMs) return answer;
    asked = now;
    const found = databaseFamilies(health).then(
      (families) => [databaseUp(1), ...families],
      () => [databaseUp(0)],
    );
    answer = Promise.all([found, readiness()]).then(([families, { database: state, publishing }]) => [
      ...families,
      databaseState(state),
      ...(publishing === undefined ? [] : [publishingState(publishing)]),
    ]);
    return answer;
  };
  const own = async () => [...meters.families(), ...(await processFamilies(database))];

  return {
    observe: meters.observe,
    own,
    async text(siblings = []) {
      const [mine, common] = await Promise.all([own(), fromDatabase()]);
      return render([[...mine, ...common, ...checks.families()], ...siblings]);
    },
  };
}

const states: readonly DatabaseState[] = ['ok', 'read-only', 'disk-full', 'unreachable'];

function databaseState(found: DatabaseState): MetricFamily {
  return shared(
    family(
      'comanda_database_state',
      states.map((state) => ({ labels: { state }, value: state === found ? 1 : 0 })),
    ),
  );
}

function publishingState({ state: found }: Publishing): MetricFamily {
  const samples = (['ok', 'stalled'] as const).map((state) => ({
    labels: { state },
    value: state === found ? 1 : 0,
  }));
  return shared(family('comanda_publishing', samples));
}

function databaseUp(value: 0 | 1): MetricFamily {
  return shared(family('comanda_database_up', single(value)));
}

/** The families of one or several processes in the text format of Prometheus, added up. */
export async function render(all: readonly MetricFamily[][]): Promise<string> {
  const { AggregatorRegistry, Registry } = await import('prom-client');
  const parts = highestOf(all);
  const [only] = parts;
  if (only === undefined || parts.length > 1) return AggregatorRegistry.aggregate(parts).metrics();
  // The aggregation leaves out what makes no sense for several processes: alone, nothing is left out.
  const registry = new Registry();
  for (const family of only) {
    registry.registerMetric({ ...family, get: async () => family } as unknown as Metric);
  }
  return registry.metrics();
}
