import { openDatabase } from '@comanda/db';
import { createCategory, createKey, createLocation, createProduct } from '../../support/factories.ts';

/** A location with a little to read, and a key that may do everything. */
export interface Stall {
  locationId: string;
  key: string;
  productId: string;
}

/** Makes so many. */
export async function openStalls(databaseUrl: string, count: number): Promise<Stall[]> {
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    const stalls: Stall[] = [];
    for (let index = 0; index < count; index++) {
      const locationId = await createLocation(database);
      const { key } = await createKey(database, { locationId, perMinute: 1_000_000 });
      await createCategory(database, { locationId });
      const productId = await createProduct(database, { locationId, stock: { quantity: 1 } });
      stalls.push({ locationId, key, productId });
    }
    return stalls;
  } finally {
    await database.close();
  }
}
