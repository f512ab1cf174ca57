/** What a run of a statement cost. */
export interface Cost {
  ms: number;
  planMs: number;
  cpuMs: number;
  /** Rows that its scans of tables gave and that they threw away, over all loops. */
  read: number;
  vain: number;
  buffers: number;
  /** Its scans and joins in short. */
  plan: string;
}

interface Node {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Node[];
}

export function costOf(answer: unknown): Omit<Cost, 'cpuMs'> {
  const [top] = answer as { Plan: Node; 'Execution Time': number; 'Planning Time': number }[];
  if (top === undefined) throw new Error('no plan');
  const nodes = walk(top.Plan);
  const sum = (of: (node: Node) => number) => Math.round(nodes.reduce((total, node) => total + of(node), 0));
  const vain = sum(
    (node) =>
      ((node['Rows Removed by Filter'] ?? 0) +
        (node['Rows Removed by Join Filter'] ?? 0) +
        (node['Rows Removed by Index Recheck'] ?? 0)) *
      (node['Actual Loops'] ?? 0),
  );
  return {
    ms: top['Execution Time'],
    planMs: top['Planning Time'],
    read:
      vain +
      sum((node) =>
        node['Relation Name'] === undefined || node['Node Type'] === 'ModifyTable'
          ? 0
          : (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0),
      ),
    vain,
    buffers: (top.Plan['Shared Hit Blocks'] ?? 0) + (top.Plan['Shared Read Blocks'] ?? 0),
    plan: nodes
      .filter((node) => node['Relation Name'] !== undefined || /Join|Loop/.test(node['Node Type']))
      .map((node) =>
        [node['Node Type'], node['Index Name'] ?? node['Relation Name']].filter(Boolean).join(' '),
      )
      .join('; '),
  };
}

const walk = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(walk)];
