import type { LimitKind } from '../errors.ts';
import { counter, type MetricFamily, type MetricSample } from './family.ts';

/** What is counted of a request. */
export interface CountedRequest {
  entrance: 'rest' | 'trpc';
  method: string;
  status: number;
  operation?: string | undefined;
  /** The limit that was used up. */
  limit?: LimitKind | undefined;
}

/** Counts requests of this process. What is counted is bounded: operations, methods and statuses are known ones. */
export interface RequestMeters {
  /** Counts one request that took `durationMs`; costs well under a microsecond. */
  observe(request: CountedRequest, durationMs: number): void;
  families(): MetricFamily[];
}

/** Upper bounds of the latency buckets, in seconds. */
export const latencyBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
] as const;

const entrances = ['rest', 'trpc'] as const;
const limitKinds = ['minute', 'month', 'batch_hour'] as const satisfies readonly LimitKind[];
const methods = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'query', 'mutation', 'other'] as const;
/** Stands for a path that leads to no operation. */
const noOperation = 'none';

/** Makes the meters of every operation, at zero. `operations` are their names. */
export function createRequestMeters(operations: readonly string[]): RequestMeters {
  const meters = {
    rest: new Map<string, Meter>(),
    trpc: new Map<string, Meter>(),
  };
  for (const entrance of entrances) {
    for (const operation of [...operations, noOperation]) {
      meters[entrance].set(operation, newMeter(entrance, operation));
    }
  }
  const unknown = { rest: newMeter('rest', noOperation), trpc: newMeter('trpc', noOperation) };
  for (const entrance of entrances) meters[entrance].set(noOperation, unknown[entrance]);
  const refused: Record<LimitKind, number> = { minute: 0, month: 0, batch_hour: 0 };

  return {
    observe(request, durationMs) {
      const { entrance } = request;
      const meter = meters[entrance].get(request.operation ?? noOperation) ?? unknown[entrance];
      const code = methodIndex(request.method) * codes + request.status;
      meter.answers.set(code, (meter.answers.get(code) ?? 0) + 1);
      const seconds = durationMs / 1_000;
      const bucket = bucketOf(seconds);
      meter.buckets[bucket] = (meter.buckets[bucket] ?? 0) + 1;
      meter.seconds += seconds;
      if (request.limit !== undefined) refused[request.limit] += 1;
    },
    families() {
      const used = entrances.flatMap((entrance) =>
        [...meters[entrance].values()].filter(({ answers }) => answers.size > 0),
      );
      return [
        counter('comanda_http_requests_total', 'Requests answered.', used.flatMap(answerSamples)),
        {
          ...counter(
            'comanda_http_request_duration_seconds',
            'Time from the request to the end of its answer.',
            used.flatMap(latencySamples),
          ),
          type: 'histogram',
        },
        counter(
          'comanda_limit_refusals_total',
          'Requests refused because a limit of their key was used up.',
          limitKinds.map((limit) => ({ labels: { limit }, value: refused[limit] })),
        ),
      ];
    },
  };
}

/** What is counted of one operation at one entrance. */
interface Meter {
  readonly labels: { operation: string; entrance: string };
  /** By method and status: index of the method × `codes` + status. */
  readonly answers: Map<number, number>;
  /** Per bucket, the last without bound; not cumulative. */
  readonly buckets: Float64Array;
  seconds: number;
}

const codes = 1_000;

function newMeter(entrance: string, operation: string): Meter {
  const buckets = new Float64Array(latencyBuckets.length + 1);
  return { labels: { operation, entrance }, answers: new Map(), buckets, seconds: 0 };
}

const indexOfMethod = new Map<string, number>(methods.map((method, index) => [method, index]));

function methodIndex(method: string): number {
  return indexOfMethod.get(method) ?? methods.length - 1;
}

// Most requests end in the first buckets: looking from there is the shortest way.
function bucketOf(seconds: number): number {
  let index = 0;
  while (index < latencyBuckets.length && seconds > (latencyBuckets[index] ?? 0)) index += 1;
  return index;
}

function answerSamples({ labels, answers }: Meter): MetricSample[] {
  return [...answers].map(([code, value]) => ({
    labels: { ...labels, method: methods[Math.floor(code / codes)] ?? 'other', code: code % codes },
    value,
  }));
}

function latencySamples({ labels, buckets, seconds }: Meter): MetricSample[] {
  const name = 'comanda_http_request_duration_seconds';
  let count = 0;
  const cumulative = [...buckets].map((inBucket, index): MetricSample => {
    count += inBucket;
    const le = latencyBuckets[index] ?? '+Inf';
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...cumulative,
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
