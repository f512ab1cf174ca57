import type { Shop } from '../shop.ts';
import { workOnBatches } from './batches.ts';
import { workOnChanges } from './changes.ts';
import { workOnCopies } from './copies.ts';
import { workOnKeys } from './keys.ts';
import { workOnMoney } from './money.ts';
import { workOnOrders } from './orders.ts';
import { workOnPlainResources } from './plain.ts';
import { workOnPlannedPrices } from './prices.ts';
import { workOnProducts } from './products.ts';
import type { Round } from './round.ts';
import { workOnSandbox } from './sandbox.ts';
import { workOnWebhooks } from './webhooks.ts';

/** Does everything that the API can do once or more, and waits until the worker has published all of it. */
export async function work(shop: Shop, round: Round): Promise<void> {
  await workOnProducts(shop, round);
  await workOnPlannedPrices(shop, round);
  await workOnPlainResources(shop);
  await workOnBatches(shop, round);
  await workOnMoney(shop, round, () => workOnOrders(shop, round));
  await workOnChanges(shop);
  await workOnCopies(shop, round);
  await workOnWebhooks(shop, round);
  await workOnKeys(shop, round);
  if (round.size > 2) await workOnSandbox(shop, round);
  await shop.service.settled();
}
