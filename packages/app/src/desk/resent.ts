import type { ComandaClient } from '@comanda/client';
import { useQuery } from '@tanstack/react-query';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import type { Overview } from './overview.ts';

type Delivery = Overview['deliveries'][number];

/** A delivery that somebody asked for, and who, where the audit knows. */
export interface Resent {
  delivery: Delivery;
  by: string | undefined;
}

/** For no more deliveries of an order the audit is asked. */
const mostAsked = 20;

/** The deliveries of an order that were sent again, oldest first, each with its person or key for keys that may read the audit. */
export function useResent(deliveries: readonly Delivery[]): Resent[] {
  const { comanda } = useComanda();
  const mayAudit = useGranted().may?.('audit:read') === true;
  const resent = deliveries.filter(({ replayed }) => replayed === true);
  const asked = resent.slice(-mostAsked);
  const { data: names } = useQuery({
    queryKey: ['resent', asked.map(({ id }) => id)],
    queryFn: async ({ signal }) =>
      new Map(
        await Promise.all(
          asked.map(async (delivery) => [delivery.id, await authorOf(comanda, delivery, signal)] as const),
        ),
      ),
    enabled: mayAudit && asked.length > 0,
  });
  return resent.map((delivery) => ({ delivery, by: names?.get(delivery.id) }));
}

/** Who sent one event again, or every event that its endpoint missed: the entry of that is of the moment of the delivery. */
async function authorOf(
  comanda: ComandaClient,
  { id, endpoint_id, created_at }: Delivery,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [own] = (await comanda.audit.list.query({ about: id, limit: 1 }, { signal })).data;
  if (own !== undefined) return own.by ?? own.actor;
  const entries = await comanda.audit.list.query(
    { about: endpoint_id, since: created_at, limit: 200 },
    { signal },
  );
  const replay = entries.data.find(
    (entry) => entry.operation === 'webhookEndpoints.replay' && entry.created_at === created_at,
  );
  return replay && (replay.by ?? replay.actor);
}
