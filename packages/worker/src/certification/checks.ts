import type { CheckName } from '@comanda/api/services';
import type { Check } from './check.ts';
import { catalogPulled } from './checks/catalog-pulled.ts';
import { caughtUp } from './checks/caught-up.ts';
import { endpointReached } from './checks/endpoint-reached.ts';
import { everyPage } from './checks/every-page.ts';
import { failedItemsRead } from './checks/failed-items-read.ts';
import { forgedRefused } from './checks/forged-refused.ts';
import { goneAndCancelled } from './checks/gone-and-cancelled.ts';
import { onceEach } from './checks/once-each.ts';
import { orderRepeated } from './checks/order-repeated.ts';
import { refusedMoveEnds } from './checks/refused-move-ends.ts';
import { statusesSent } from './checks/statuses-sent.ts';
import { waitsAsTold } from './checks/waits-as-told.ts';

/** Every check, by its name, in the order in which they are played. */
export const checks: Readonly<Record<CheckName, Check>> = {
  endpoint_reached: endpointReached,
  catalog_pulled: catalogPulled,
  order_repeated: orderRepeated,
  statuses_sent: statusesSent,
  refused_move_ends: refusedMoveEnds,
  failed_items_read: failedItemsRead,
  waits_as_told: waitsAsTold,
  every_page: everyPage,
  forged_refused: forgedRefused,
  once_each: onceEach,
  caught_up: caughtUp,
  gone_and_cancelled: goneAndCancelled,
};
