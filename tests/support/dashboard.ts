import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';

/** A panel of the dashboard that asks something. */
export interface Panel {
  id: number;
  title: string;
  description: string;
  queries: string[];
}

/** The dashboard as Grafana imports it, with what a test looks at. */
export interface Dashboard {
  uid: string;
  schemaVersion: number;
  templating: { list: { name: string; type: string; query: unknown }[] };
  panels: {
    id: number;
    type: string;
    title: string;
    description?: string;
    gridPos: { h: number; w: number; x: number; y: number };
    targets?: { expr: string; datasource: { uid: string } }[];
  }[];
}

/** `ops/grafana/comanda.json`. */
export const readDashboard = (): Dashboard =>
  JSON.parse(readFileSync(join(repositoryRoot, 'ops/grafana/comanda.json'), 'utf8'));

/** Its panels with the queries that they ask, for all cells. */
export function panelsOf({ panels }: Dashboard): Panel[] {
  return panels.flatMap(({ id, title, description = '', targets = [] }) =>
    targets.length === 0 ? [] : [{ id, title, description, queries: targets.map(({ expr }) => asked(expr)) }],
  );
}

/** A query with what Grafana puts in place of its variables. */
const asked = (expression: string): string =>
  expression.replaceAll('$cell', '.*').replaceAll('$__rate_interval', '1m');
