import type { Part } from './part.ts';
import { changes } from './parts/changes.ts';
import { hostile } from './parts/hostile.ts';
import { lists } from './parts/lists.ts';
import { orders } from './parts/orders.ts';
import { rest } from './parts/rest.ts';
import { start } from './parts/start.ts';
import { sync } from './parts/sync.ts';
import { webhooks } from './parts/webhooks.ts';

/** Every part, in the order in which they run. */
export const parts: readonly Part[] = [start, orders, lists, sync, changes, webhooks, hostile, rest];
