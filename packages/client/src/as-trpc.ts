import type { TRPCClient } from '@trpc/client';
import type { ClientRouter, ComandaClient } from './client.ts';

/**
 * The client as integrations of tRPC take it, such as that of TanStack Query: the same object, with the types of tRPC.
 *
 * @example
 * const forTrpc = trpcClient(comanda);
 */
export function trpcClient(comanda: ComandaClient): TRPCClient<ClientRouter> {
  return comanda as object as TRPCClient<ClientRouter>;
}
