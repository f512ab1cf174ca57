import { type ComandaClient, comandaError } from '@comanda/client';

/** Everything about an order in one answer. */
export type Overview = Awaited<ReturnType<ComandaClient['orders']['overview']['query']>>;

/** Reads the order of that number or id; where there is none, the one that another system gave that id. */
export async function overviewOf(
  comanda: ComandaClient,
  wanted: string,
  signal: AbortSignal,
): Promise<Overview> {
  const byExternalId = () => comanda.orders.overview.query({ external_id: wanted }, { signal });
  const own = ownName(wanted);
  if (own === undefined) return byExternalId();
  try {
    return await comanda.orders.overview.query(own, { signal });
  } catch (error) {
    if (comandaError(error)?.code !== 'resource_not_found') throw error;
    return byExternalId();
  }
}

function ownName(wanted: string): { number: number } | { id: string } | undefined {
  if (/^#?\d{1,15}$/.test(wanted)) return { number: Number(wanted.replace('#', '')) };
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(wanted) ? { id: wanted } : undefined;
}
