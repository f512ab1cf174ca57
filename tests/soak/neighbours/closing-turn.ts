import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@comanda/client';
import type { Neighbour } from './neighbour.ts';
import { overAndOver } from './over-and-over.ts';
import { placeOrder } from './shop.ts';

/** A turn is closed and opened again and again while 24 clients order without a pause. */
export const closingTurn: Neighbour = {
  id: 'closing-turn',
  name: 'a turn that is closed under 24 clients that order',
  async prepare({ apiUrl, locations: [, location] }) {
    const client = createClient({ url: apiUrl, key: location.key, retries: 0 });
    let at = 0;
    return async () => {
      const orders = overAndOver(24, () => {
        at += 1;
        return placeOrder(location, apiUrl, at * 7);
      });
      const turns = overAndOver(1, async () => {
        await client.turns.open.mutate();
        await sleep(500);
        await client.turns.close.mutate();
      });
      return async () => {
        await turns();
        await orders();
      };
    };
  },
};
