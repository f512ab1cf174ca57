import { means } from '@comanda/db';
import pg from 'pg';
import { threadCpuMs } from '../cpu.ts';
import type { LabStatement, Sample } from './statements.ts';

/** The cost of one run of a statement. */
export interface Cost {
  /** CPU of its connection in milliseconds, planning included: independent of the other work of the machine. */
  cpuMs: number;
  /** Rows that its scans and joins threw away, over all loops. */
  vain: number;
  /** Its scans and joins, the outermost first. */
  plan: string;
}

/** A statement that takes longer is given up, in milliseconds. */
export const mostMs = 20_000;

/** Prepares a statement on a connection, as the service does once. */
export async function prepare(client: pg.Client, { name, types }: LabStatement, text: string): Promise<void> {
  await client.query(`prepare ${pg.escapeIdentifier(name)} (${types}) as ${text}`);
}

/** The middle one of up to six runs after a first one; what takes seconds runs once. */
export async function measure(client: pg.Client, statement: LabStatement, sample: Sample): Promise<Cost> {
  const first = await explain(client, statement, sample);
  if (first.cpuMs >= mostMs / 10) return first;
  const costs: Cost[] = [];
  const end = performance.now() + 2_500;
  while (costs.length < 1 || (costs.length < 6 && performance.now() < end))
    costs.push(await explain(client, statement, sample));
  const sorted = costs.sort((a, b) => a.cpuMs - b.cpuMs);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? first;
}

/** Runs a prepared statement under EXPLAIN ANALYZE, with the plan that its connection has chosen; changes nothing. */
export async function explain(client: pg.Client, statement: LabStatement, sample: Sample): Promise<Cost> {
  const values = statement
    .values(sample)
    .map((value) => (Array.isArray(value) ? `{${value.map((one) => `"${one}"`).join(',')}}` : value))
    .map((value) => pg.escapeLiteral(value));
  const { processID } = client as unknown as { processID: number };
  await client.query('begin');
  try {
    if (statement.set !== undefined) await client.query(statement.set);
    const before = threadCpuMs(processID);
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Node }[] }>(
      `explain (analyze, timing off, format json)
       execute ${pg.escapeIdentifier(statement.name)} (${values.join(', ')})`,
    );
    const cpuMs = threadCpuMs(processID) - before;
    const nodes = rows.flatMap((row) => row['QUERY PLAN']).flatMap(({ Plan }) => walk(Plan));
    return { cpuMs, vain: vainOf(nodes), plan: planOf(nodes) };
  } catch (error) {
    // The statement timeout.
    if (!(error instanceof pg.DatabaseError && means(error.code, 'canceled'))) throw error;
    return { cpuMs: mostMs, vain: Number.NaN, plan: 'given up' };
  } finally {
    await client.query('rollback');
  }
}

interface Node {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Node[];
}

const walk = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(walk)];

const vainOf = (nodes: readonly Node[]) =>
  Math.round(
    nodes.reduce(
      (sum, node) =>
        sum +
        ((node['Rows Removed by Filter'] ?? 0) +
          (node['Rows Removed by Join Filter'] ?? 0) +
          (node['Rows Removed by Index Recheck'] ?? 0)) *
          (node['Actual Loops'] ?? 0),
      0,
    ),
  );

const planOf = (nodes: readonly Node[]) =>
  nodes
    .filter((node) => node['Relation Name'] !== undefined || /Join|Loop/.test(node['Node Type']))
    .map((node) => `${node['Node Type']} ${node['Index Name'] ?? node['Relation Name'] ?? ''}`.trim())
    .join('; ');
