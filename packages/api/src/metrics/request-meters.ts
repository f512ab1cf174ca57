import type { Reason, ReasonOf } from '../reasons.ts';
import { family, type MetricFamily, type MetricSample } from './family.ts';
import { type Latency, latencySamples, newLatency } from './latency.ts';
import { countLocations } from './noisy-locations.ts';

/** The counted properties of a request. */
export interface CountedRequest {
  entrance: Entrance;
  method: string;
  status: number;
  operation?: string | undefined;
  /** Why it was refused. */
  reason?: Reason | undefined;
  locationId?: string | undefined;
}

/** Counts requests of this process. The counts are bounded: operations, methods and statuses are known ones. */
export interface RequestMeters {
  /** Counts one request that took `durationMs`; costs about a microsecond. */
  observe(request: CountedRequest, durationMs: number): void;
  families(): MetricFamily[];
}

const durationName = 'comanda_http_request_duration_seconds';
const entrances = ['rest', 'trpc', 'mcp'] as const;
type Entrance = (typeof entrances)[number];
const limits = {
  minute_limit: 'minute',
  month_limit: 'month',
  batch_limit: 'batch_hour',
  too_many_codes: 'codes',
  too_many_streams: 'streams',
} as const satisfies Record<ReasonOf<'rate_limited'>, string>;
const methods = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'query', 'mutation', 'other'] as const;
/** The operations that create an order, of both families. */
const creations: ReadonlySet<string | undefined> = new Set(['orders.create', 'v1.orders.create']);
/** The label of a path that leads to no operation. */
const noOperation = 'none';

/** Makes the meters of every operation, at zero. `operations` are their names. */
export function createRequestMeters(operations: readonly string[]): RequestMeters {
  const metersOf = (entrance: Entrance) =>
    new Map([...operations, noOperation].map((each) => [each, newMeter(entrance, each)]));
  const meters = { rest: metersOf('rest'), trpc: metersOf('trpc'), mcp: metersOf('mcp') };
  const unknownOf = (entrance: Entrance) => meters[entrance].get(noOperation) as Meter;
  const unknown = { rest: unknownOf('rest'), trpc: unknownOf('trpc'), mcp: unknownOf('mcp') };
  const refused = new Map<Reason, number>();
  const requests = countLocations();
  const orders = countLocations();

  return {
    observe(request, durationMs) {
      const { entrance } = request;
      const meter = meters[entrance].get(request.operation ?? noOperation) ?? unknown[entrance];
      const code = methodIndex(request.method) * codes + request.status;
      meter.answers.set(code, (meter.answers.get(code) ?? 0) + 1);
      meter.latency.observe(durationMs);
      const { reason, locationId, operation } = request;
      if (locationId !== undefined) {
        requests.count(locationId);
        if (creations.has(operation) && request.status < 300) orders.count(locationId);
      }
      if (reason !== undefined && reason in limits) refused.set(reason, (refused.get(reason) ?? 0) + 1);
    },
    families() {
      const used = entrances.flatMap((entrance) =>
        [...meters[entrance].values()].filter(({ answers }) => answers.size > 0),
      );
      return [
        family('comanda_http_requests_total', used.flatMap(answerSamples)),
        family(
          durationName,
          used.flatMap(({ labels, latency }) => latencySamples(durationName, labels, latency)),
        ),
        family(
          'comanda_limit_refusals_total',
          (Object.keys(limits) as (keyof typeof limits)[]).map((reason) => ({
            labels: { limit: limits[reason] },
            value: refused.get(reason) ?? 0,
          })),
        ),
        requests.family('comanda_location_requests'),
        orders.family('comanda_location_orders'),
      ];
    },
  };
}

/** The counts of one operation at one entrance. */
interface Meter {
  readonly labels: { operation: string; entrance: string };
  /** By method and status: index of the method × `codes` + status. */
  readonly answers: Map<number, number>;
  readonly latency: Latency;
}

const codes = 1_000;

function newMeter(entrance: string, operation: string): Meter {
  return { labels: { operation, entrance }, answers: new Map(), latency: newLatency() };
}

const indexOfMethod = new Map<string, number>(methods.map((method, index) => [method, index]));

function methodIndex(method: string): number {
  return indexOfMethod.get(method) ?? methods.length - 1;
}

function answerSamples({ labels, answers }: Meter): MetricSample[] {
  return [...answers].map(([code, value]) => ({
    labels: { ...labels, method: methods[Math.floor(code / codes)] ?? 'other', code: code % codes },
    value,
  }));
}
