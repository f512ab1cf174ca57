import { admission } from './parts/admission.ts';
import { board } from './parts/board.ts';
import { catalog } from './parts/catalog.ts';
import { client } from './parts/client.ts';
import { compression } from './parts/compression.ts';
import { growth } from './parts/growth.ts';
import { guards } from './parts/guards.ts';
import { history } from './parts/history.ts';
import { hostile } from './parts/hostile.ts';
import { joined } from './parts/joined.ts';
import { keptChanges } from './parts/kept-changes.ts';
import { live } from './parts/live.ts';
import { locations } from './parts/locations.ts';
import { memory } from './parts/memory.ts';
import { moves } from './parts/moves.ts';
import { neighbours } from './parts/neighbours.ts';
import { numbers } from './parts/numbers.ts';
import { operations } from './parts/operations.ts';
import { orders } from './parts/orders.ts';
import type { Part } from './parts/part.ts';
import { prices } from './parts/prices.ts';
import { processes } from './parts/processes.ts';
import { products } from './parts/products.ts';
import { publishing } from './parts/publishing.ts';
import { site } from './parts/site.ts';
import { start } from './parts/start.ts';
import { sync } from './parts/sync.ts';
import { testing } from './parts/testing.ts';
import { trickle } from './parts/trickle.ts';
import { trpc } from './parts/trpc.ts';
import { webhooks } from './parts/webhooks.ts';

/** Every part, in the order in which they run. */
export const parts: readonly Part[] = [
  start,
  testing,
  client,
  products,
  orders,
  trpc,
  catalog,
  compression,
  history,
  sync,
  operations,
  guards,
  joined,
  keptChanges,
  locations,
  moves,
  prices,
  publishing,
  neighbours,
  hostile,
  admission,
  trickle,
  webhooks,
  live,
  board,
  site,
  processes,
  memory,
  numbers,
  growth,
];
