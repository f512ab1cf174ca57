import { holdRows } from './hold.ts';
import type { Neighbour } from './neighbour.ts';
import { overAndOver } from './over-and-over.ts';
import { placeOrder } from './shop.ts';

/** Forgotten sessions hold a stock row at each of two locations, and orders that need it come again and again. */
export const lockedStock: Neighbour = {
  id: 'locked-stock',
  name: 'locked stock rows at two locations',
  async prepare({ apiUrl, databaseUrl, locations }) {
    return async () => {
      const ends = await Promise.all(
        locations.map(async (location) => {
          const release = await holdRows(
            databaseUrl,
            'select from product_stock where location_id = $1 and product_id = $2 for update',
            [location.locationId, location.productIds[0]],
          );
          const rest = overAndOver(6, () => placeOrder(location, apiUrl, 0));
          return async () => {
            // Those that wait are answered then.
            await release();
            await rest();
          };
        }),
      );
      return async () => {
        await Promise.all(ends.map((end) => end()));
      };
    };
  },
};
