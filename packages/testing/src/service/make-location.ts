import { createLocation, issueKey, subscribableEventTypes, writeDemoMenu } from '@comanda/api/services';
import { type Database, statement } from '@comanda/db';
import type { LocationOptions, MadeLocation } from '../messages.ts';

/**
 * Makes a restaurant with a key, and the demo menu unless it is to have none. Throws the error that a call would get.
 */
export async function makeLocation(
  database: Database,
  {
    name = 'Test Kitchen',
    timezone = 'UTC',
    currency = 'USD',
    sandbox,
    permissions = ['*'],
    perMinute = 100_000,
    catalog = 'demo',
  }: LocationOptions,
): Promise<MadeLocation> {
  const { id } = await createLocation(database, { name, timezone, currency, ...(sandbox && { sandbox }) });
  const limits = { per_minute: perMinute, monthly: 1_000_000_000, batch_jobs_per_hour: 100_000 };
  const [made, menu] = await Promise.all([
    issueKey(database, { name: 'test', permissions, location_id: id, ...limits }),
    catalog === 'demo' ? writeMenu(database, id) : onlyCash(database, id),
  ]);
  return { id, keyId: made.id, key: made.key, ...menu, eventTypes: subscribableEventTypes };
}

type Menu = Pick<MadeLocation, 'products' | 'paymentMethods'>;

// The way to pay that a location is born with gives way to those of the menu, of which one is cash, too.
function writeMenu(database: Database, locationId: string): Promise<Menu> {
  return database.transaction(undefined, async (tx) => {
    await tx.run(removeMethods, [locationId]);
    const { products, methods } = await writeDemoMenu(tx, locationId, new Date());
    const idOf = (type: string) => methods.find((method) => method.type === type)?.id ?? '';
    return {
      products: products.map(({ choices, stock, ...product }) => ({
        ...product,
        ...(stock !== undefined && { stock }),
        needsSelection: choices.some(({ min }) => min > 0),
      })),
      paymentMethods: { cash: idOf('cash'), card: idOf('card'), qr: idOf('qr') },
    };
  });
}

async function onlyCash(database: Database, locationId: string): Promise<Menu> {
  const [row] = await database.run(cashOf, [locationId]);
  return { products: [], paymentMethods: { cash: row?.id ?? '' } };
}

const removeMethods = statement(
  'testing_remove_methods',
  'delete from payment_methods where location_id = $1::uuid',
);

const cashOf = statement<{ id: string }>(
  'testing_cash_of',
  'select id from payment_methods where location_id = $1::uuid',
);
