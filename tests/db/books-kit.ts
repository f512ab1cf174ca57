import { newId } from '@comanda/db';
import { beforeEach, expect } from 'vitest';
import { useApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { createOrderKitchen, type OrderKitchen, placeOrder } from '../support/orders.ts';

/** A location for each test, with what is done to its money. */
export function useBooks() {
  const api = useApi();
  const owner = useHand(api);
  const admin = useHand(api, { role: 'admin' });
  let locationId: string;
  let client: ReturnType<typeof api.client>;
  let rest: typeof api.rest;
  let kitchen: OrderKitchen;
  beforeEach(async () => {
    locationId = await createLocation(api.app.database);
    const { key } = await createKey(api.app.database, { locationId });
    rest = (route, call) => api.rest(route, { key, ...call });
    client = api.client(key);
    kitchen = await createOrderKitchen(api, locationId);
  });

  /** An order of 12.50, whose payment is pending. */
  const place = async () => {
    const { id, payment } = await placeOrder({ rest }, kitchen);
    return { order: id, payment: payment.id };
  };
  return {
    api,
    owner,
    admin,
    place,
    get locationId() {
      return locationId;
    },
    get client() {
      return client;
    },
    get kitchen() {
      return kitchen;
    },
    /** One whose payment is completed. */
    async paid() {
      const placed = await place();
      await client.payments.complete.mutate({ id: placed.payment });
      return placed;
    },
    refund: (id: string, amount: number) =>
      client.payments.refund.mutate({ id, amount, reason: 'Cold', person: 'Ana', idempotencyKey: newId() }),
    booksOf: (id: string) => client.payments.get.query({ id, include: ['books'] }),
    /** The payments of a list, as ids. */
    listed: async (list: Parameters<typeof client.payments.list.query>[0]) =>
      (await client.payments.list.query(list)).data.map(({ id }) => id),
    /** Closes the turn; its settlement and what that is made of. */
    async close() {
      const { id: turn } = await client.turns.close.mutate();
      const [latest] = (await client.settlements.list.query({ limit: 1 })).data;
      const settlement = await client.settlements.get.query({ id: latest?.id ?? '' });
      expect(settlement.turn_id).toBe(turn);
      const { data } = await client.settlements.entries.query({ id: settlement.id });
      return { settlement, entries: data.map(({ kind, payment_id, amount }) => [kind, payment_id, amount]) };
    },
    /** Moves a payment back, as an owner does. */
    back: (payment: string, to = 'pending') =>
      owner.deed(
        'repair: it was the other guest',
        'update payments set status = $2::payment_status where id = $1',
        [payment, to],
      ),
  };
}
