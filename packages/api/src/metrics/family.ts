/** A metric with all of its values, as prom-client renders and aggregates it: plain data, fit to be sent to another process. */
export interface MetricFamily {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  /** How the values of several processes become one. */
  aggregator: 'sum' | 'first';
  values: MetricSample[];
}

/** One value. */
export interface MetricSample {
  labels: Record<string, string | number>;
  value: number;
  /** Where it is not the name of the family: `…_bucket`, `…_sum`, `…_count`. */
  metricName?: string;
}

/** A total of this process. */
export function counter(name: string, help: string, values: MetricSample[]): MetricFamily {
  return { name, help, type: 'counter', aggregator: 'sum', values };
}

/** A state of this process; several processes add up. */
export function gauge(name: string, help: string, values: MetricSample[]): MetricFamily {
  return { name, help, type: 'gauge', aggregator: 'sum', values };
}

/** One value without labels. */
export function single(value: number): MetricSample[] {
  return [{ labels: {}, value }];
}

/** The family as something that every process reads alike: several processes say the same. */
export function shared(family: MetricFamily): MetricFamily {
  return { ...family, aggregator: 'first' };
}
