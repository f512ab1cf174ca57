import { type ComandaClient, comandaError } from '@comanda/client';

/** Everything about an order in one answer. */
export type Overview = Awaited<ReturnType<ComandaClient['orders']['overview']['query']>>;

/** Reads the order of that number; where there is none, the one that another system gave that id. */
export async function overviewOf(
  comanda: ComandaClient,
  wanted: string,
  signal: AbortSignal,
): Promise<Overview> {
  const byExternalId = () => comanda.orders.overview.query({ external_id: wanted }, { signal });
  if (!/^#?\d{1,15}$/.test(wanted)) return byExternalId();
  try {
    return await comanda.orders.overview.query({ number: Number(wanted.replace('#', '')) }, { signal });
  } catch (error) {
    if (comandaError(error)?.code !== 'resource_not_found') throw error;
    return byExternalId();
  }
}
