import { operations } from './documented.ts';

/** What reads much without being a list. */
const large = new Set(['catalog.get', 'orders.export', 'salesReports.get']);

/** The operations that a replica may answer. */
export const readFromReplica = operations.filter(({ name, isList }) => isList || large.has(name));

/** Who answered the reads of the process at `url` that a replica may answer: `replica`, or why the primary did. */
export async function replicaReads(url: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const rows = text.matchAll(/^comanda_replica_reads_total\{answered_by="(\w+)",reason="(\w*)"\} (\d+)$/gm);
  return Object.fromEntries([...rows].map(([, by, reason, n]) => [reason || by, Number(n)]));
}
