import { test } from 'vitest';
import { seedOf, trials } from '../support/trials.ts';
import { compareRestaurant } from './compare.ts';
import { drive, turnOver } from './drive.ts';
import { openAt, openService } from './service.ts';

const seed = seedOf(7);
const callers = 4;
const days = Number(process.env.COMANDA_DAYS ?? trials(12, 200));
/** A comparison reads all that a restaurant ever had, so another one opens after so many days. */
const daysOfOne = 40;

test(`${days} days of orders, edits, second payments, refunds, cancels and closings add up to the cent (COMANDA_SEED=${seed})`, async () => {
  const service = await openService({ callers });
  const worker = await service.start('worker');
  let [restaurant] = service.restaurants;
  for (let day = 0; day < days && restaurant !== undefined; day += 1) {
    await turnOver(restaurant, 'open');
    await drive([restaurant], { callers, acts: 2, seed: seed + day, jobEvery: 100 });
    await turnOver(restaurant, 'close');
    if (day + 1 < days && (day + 1) % daysOfOne > 0) continue;
    await service.quiet();
    await compareRestaurant(restaurant, service);
    if (process.env.COMANDA_DAYS !== undefined)
      console.log(`${day + 1} days, ${restaurant.model.orders.length} orders in the last`);
    restaurant.close();
    restaurant = await openAt(service.database, { ...service, callers });
  }
  restaurant?.close();
  await worker.stop();
  await service.api.stop();
  await service.close();
}, 14_400_000);
