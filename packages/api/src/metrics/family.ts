import { type MetricName, metricTable } from './table.ts';

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

/** A metric of this process with its values; several processes add up. */
export function family(name: MetricName, values: MetricSample[]): MetricFamily {
  const { type, help } = metricTable[name];
  return { name, help: sentence(help), type, aggregator: 'sum', values };
}

/** One value without labels. */
export function single(value: number): MetricSample[] {
  return [{ labels: {}, value }];
}

/** The family as something that every process reads alike: several processes say the same. */
export function shared(one: MetricFamily): MetricFamily {
  return { ...one, aggregator: 'first' };
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
