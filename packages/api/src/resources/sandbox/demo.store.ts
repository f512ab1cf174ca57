import { newId, type Transaction } from '@comanda/db';
import type { OpeningHours } from '../locations/hours.schema.ts';
import { type IdOf, type WrittenProduct, writeCatalog } from './demo-catalog.store.ts';
import { demoOrders, writeHistory } from './demo-history.store.ts';
import { menu } from './demo-menu.rules.ts';
import { insertDemo, openDemo } from './statements.ts';

/** How much of the demo restaurant there is. */
export const demoSize = {
  products: menu.reduce((sum, { products }) => sum + products.length, 0),
  orders: demoOrders,
};

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** From breakfast on, two nights into the next day. */
const demoHours: OpeningHours = {
  weekly: weekdays.map((day) => ({
    day,
    opens: '08:00',
    closes: day === 'friday' || day === 'saturday' ? '02:00' : '24:00',
  })),
  exceptions: [{ date: '2026-12-25', name: 'Christmas', spans: [] }],
};

/**
 * Writes the demo restaurant into a location that has nothing: payment methods, the menu, and the last five days. The ids
 * are new unless `idOf` says otherwise, the external ids always the same.
 */
export async function writeDemo(
  tx: Transaction,
  locationId: string,
  now: Date,
  idOf: IdOf = (_name, ms) => newId(ms),
): Promise<void> {
  const { products, methods } = await writeDemoMenu(tx, locationId, now, idOf);
  await tx.run(openDemo, [locationId, JSON.stringify(demoHours)]);
  const methodIds = methods.map(({ id }) => id);
  await writeHistory(tx, locationId, products, methodIds, now, idOf);
}

/** Writes what is ordered and how it is paid, without a past. */
export async function writeDemoMenu(
  tx: Transaction,
  locationId: string,
  now: Date,
  idOf: IdOf = (_name, ms) => newId(ms),
): Promise<{ products: WrittenProduct[]; methods: { id: string; type: 'cash' | 'card' | 'qr' }[] }> {
  const methods = [
    { id: idOf('cash'), name: 'Cash', type: 'cash' as const },
    { id: idOf('card'), name: 'Card', type: 'card' as const },
    { id: idOf('qr'), name: 'QR', type: 'qr' as const },
  ];
  await tx.run(insertDemo.paymentMethods, [locationId, JSON.stringify(methods)]);
  return { products: await writeCatalog(tx, locationId, now, idOf), methods };
}
