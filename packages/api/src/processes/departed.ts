import { addUp, type MetricFamily } from '../metrics/family.ts';

/**
 * The totals of processes that have ended, as last reported: without them the sum would fall, which Prometheus takes
 * for a start from zero. States (gauges) end with their process.
 */
export function addDeparted(departed: readonly MetricFamily[], own: readonly MetricFamily[]): MetricFamily[] {
  const totals = [...departed, ...own].filter(({ type }) => type !== 'gauge');
  const names = [...new Set(totals.map(({ name }) => name))];
  return names.flatMap((name) => {
    const same = totals.filter((family) => family.name === name);
    const [first] = same;
    return first === undefined ? [] : [{ ...first, values: addUp(same.flatMap(({ values }) => values)) }];
  });
}
