import type { MetricSample } from './family.ts';

/** Counts lengths of time in buckets. */
export interface Latency {
  /** Counts one; costs well under a microsecond. */
  observe(durationMs: number): void;
  /** Per bucket, the last without bound; not cumulative. */
  readonly buckets: Float64Array;
  /** All together. */
  readonly seconds: number;
}

/** Upper bounds of the buckets, in seconds. */
export const latencyBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
] as const;

/** Starts at zero. */
export function newLatency(): Latency {
  const buckets = new Float64Array(latencyBuckets.length + 1);
  let total = 0;
  return {
    observe(durationMs) {
      const seconds = durationMs / 1_000;
      const bucket = bucketOf(seconds);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      total += seconds;
    },
    buckets,
    get seconds() {
      return total;
    },
  };
}

/** The samples of a histogram of that name, with these labels. */
export function latencySamples(
  name: string,
  labels: MetricSample['labels'],
  { buckets, seconds }: Latency,
): MetricSample[] {
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

// Most requests end in the first buckets: looking from there is the shortest way.
function bucketOf(seconds: number): number {
  let index = 0;
  while (index < latencyBuckets.length && seconds > (latencyBuckets[index] ?? 0)) index += 1;
  return index;
}
