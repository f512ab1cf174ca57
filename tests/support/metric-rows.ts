import { expect } from 'vitest';
import { type MetricRow, metricTable } from '../../packages/api/src/metrics/table.ts';
import { labelsOf, metricsIn } from './metric-text.ts';

/**
 * Compares an answer of `/metrics` with the table: every row of this place, no other metric, and types, words and
 * labels as there.
 */
export function expectRowsOf(place: 'api' | 'worker', text: string): void {
  const exposed = metricsIn(text);
  expect(exposed.length).toBeGreaterThan(30);
  expect(exposed.filter(({ name, type }) => name.endsWith('_total') !== (type === 'counter'))).toEqual([]);
  const ours = exposed.filter(({ name }) => name.startsWith('comanda_'));
  const rows = Object.entries<MetricRow>(metricTable).filter(([, { of }]) => of === place || of === 'both');
  expect(ours.map(({ name }) => name).toSorted()).toEqual(rows.map(([name]) => name).toSorted());
  for (const [name, { type, labels, help }] of rows) {
    const metric = ours.find((each) => each.name === name);
    expect([name, metric?.type, metric?.help.toLowerCase()]).toEqual([name, type, `${help}.`.toLowerCase()]);
    const shown = metric === undefined ? [] : labelsOf(metric);
    expect([name, shown.filter((set) => set.join() !== labels.toSorted().join())]).toEqual([name, []]);
  }
}
