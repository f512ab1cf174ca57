import { type MetricName, metricTable } from './table.ts';

/** A metric with all of its values, as prom-client renders and aggregates it: plain data, fit to be sent to another process. */
export interface MetricFamily {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  /** How the values of several processes become one. */
  aggregator: 'sum' | 'first';
  values: MetricSample[];
  /** Of all processes together no more than so many of the highest values are shown. */
  highest?: number;
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

/** The samples with those of the same name and labels added up. */
export function addUp(samples: readonly MetricSample[]): MetricSample[] {
  const sums = new Map<string, MetricSample>();
  for (const sample of samples) {
    const key = `${sample.metricName ?? ''} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
    sums.set(key, { ...sample, value: (sums.get(key)?.value ?? 0) + sample.value });
  }
  return [...sums.values()];
}

/** The parts of several processes, where the values that are limited to the highest appear once, added up and cut. */
export function highestOf(parts: readonly MetricFamily[][]): MetricFamily[][] {
  const cut = new Map<string, MetricFamily>();
  for (const one of parts.flat()) {
    if (one.highest === undefined) continue;
    const values = [...(cut.get(one.name)?.values ?? []), ...one.values];
    cut.set(one.name, { ...one, values });
  }
  const highest = [...cut.values()].map((one) => ({
    ...one,
    values: addUp(one.values)
      .sort((a, b) => b.value - a.value)
      .slice(0, one.highest),
  }));
  return parts.map((part, index) => [
    ...part.filter((one) => one.highest === undefined),
    ...(index === 0 ? highest : []),
  ]);
}
