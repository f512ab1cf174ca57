import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { type MetricRow, metricTable } from '../../packages/api/src/metrics/table.ts';
import { panelsOf, readDashboard } from '../support/dashboard.ts';

const read = (file: string) => readFileSync(join(repositoryRoot, 'ops', file), 'utf8');
const rules = read('prometheus/comanda.rules.yml');
const plays = read('prometheus/comanda.tests.yml');
const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name = '']) => name);
const dashboard = readDashboard();
const panels = panelsOf(dashboard);

/** Labels that Prometheus adds to each series: `cell` where the targets have it. */
const ofTargets = ['job', 'instance', 'cell'];

/** Each metric that a text names, with the labels that it is asked by. */
function selected(text: string): { name: string; labels: string[] }[] {
  return [...text.matchAll(/\b((?:comanda|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', matchers = '']) => ({
      name,
      labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
    }),
  );
}

/** Metrics that no process of the service serves, by name or by label. */
function unknownOf(text: string): string[] {
  const table: Readonly<Record<string, MetricRow>> = metricTable;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const fromNode = registry.getMetricsAsArray().map(({ name }) => name);
  registry.clear();
  return selected(text).flatMap(({ name, labels }) => {
    const histogram = table[name.replace(/_(bucket|sum|count)$/, '')];
    const row = table[name] ?? (histogram?.type === 'histogram' ? histogram : undefined);
    if (row === undefined && !fromNode.includes(name)) return [name];
    const known = [...ofTargets, ...(row?.labels ?? [])];
    return labels.filter((label) => !known.includes(label)).map((label) => `${name}{${label}}`);
  });
}

describe('the alerts', () => {
  it('name metrics and labels that there are', () => {
    const expressions = rules.split('\n').filter((line) => !/^\s+(summary|action):|#/.test(line));
    expect(selected(expressions.join('\n')).length).toBeGreaterThan(alerts.length);
    expect(unknownOf(expressions.join('\n'))).toEqual([]);
  });

  it('and their tests play metrics that there are', () => {
    const series = [...plays.matchAll(/series: (.*)/g)].map(([, one = '']) => one).join('\n');
    expect(unknownOf(series)).toEqual([]);
  });

  it('are each played from the fault to its end', () => {
    const looks = [
      ...plays.matchAll(/eval_time: \w+,? *\n? *alertname: (\w+),? *\n? *exp_alerts:( \[\])?/g),
    ].map(([, name = '', silent]) => ({ name, fires: silent === undefined }));
    expect(new Set(looks.map(({ name }) => name))).toEqual(new Set(alerts));
    for (const alert of alerts) {
      const of = looks.filter(({ name }) => name === alert).map(({ fires }) => fires);
      const begins = of.indexOf(true);
      expect([alert, begins >= 0, of.indexOf(false, begins) > begins]).toEqual([alert, true, true]);
    }
  });

  it('call a person or leave a ticket, and say what to do', () => {
    const blocks = rules.split('- alert: ').slice(1);
    for (const block of blocks) {
      expect(block).toMatch(/labels: \{ severity: (page|ticket) \}/);
      expect(block).toMatch(/summary: \S.*\n\s+action: \S/);
    }
  });
});

describe('the dashboard', () => {
  it('names metrics and labels that there are', () => {
    const queries = panels.flatMap((panel) => panel.queries);
    expect(queries.length).toBeGreaterThan(40);
    expect(unknownOf(queries.join('\n'))).toEqual([]);
  });

  it('shows every metric of the service', () => {
    const text = JSON.stringify(dashboard);
    expect(Object.keys(metricTable).filter((name) => !text.includes(name))).toEqual([]);
  });

  it('asks the data source that is chosen at its import, and cells by their variable', () => {
    expect(dashboard.templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['cell', 'query'],
    ]);
    for (const { targets = [], title } of dashboard.panels)
      for (const { expr, datasource } of targets) {
        expect([title, datasource.uid]).toEqual([title, `\${datasource}`]);
        for (const { labels } of selected(expr))
          expect([title, labels]).toEqual([title, expect.arrayContaining(['cell'])]);
      }
  });

  it('has panels with ids and places of their own', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
  });
});
