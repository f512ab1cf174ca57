import pg from 'pg';
import type { Neighbour } from './neighbour.ts';

/** Many products come by one COPY, and are published. */
export const copiedRows: Neighbour = {
  id: 'copied-rows',
  name: 'products by COPY at another location',
  size: 20_000,
  async prepare({ databaseUrl, locations: [, { locationId }] }, size) {
    return async () => {
      const client = new pg.Client({ connectionString: databaseUrl, application_name: 'import' });
      client.on('error', () => {});
      await client.connect();
      // Numbers that no earlier one had.
      const first = Date.now() * 1_000;
      const rows = pg.escapeLiteral(`seq -f '${locationId},%.0f,Copied,1' ${first} ${first + size - 1}`);
      const copied = client.query(
        `copy products (location_id, sku, name, price) from program ${rows} (format csv)`,
      );
      // Its end is reported to the caller; until then its messages are ignored.
      copied.catch(() => {});
      return async () => {
        await copied.finally(() => client.end());
      };
    };
  },
};
