import { keylessOf } from '../../packages/api/src/request/keyless.ts';
import { operationsOf } from '../../packages/api/src/request/operations.ts';
import { subscriptionsOf } from '../../packages/api/src/request/subscription.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import type { Call } from './call.ts';
import { deskCalls } from './desk.ts';
import { reads } from './reads.ts';
import { writes } from './writes.ts';

/** Every call that is measured; writes make the shop bigger, so reads come first. */
export const calls: readonly Call[] = [...reads, ...writes, ...deskCalls];

// An operation has its REST paths as names, or its own where it has none.
const served: readonly string[] = [
  ...operationsOf(appRouter).flatMap(({ name, meta }): readonly string[] => meta.rest ?? [name]),
  ...subscriptionsOf(appRouter).map(({ meta }) => meta.rest),
  ...keylessOf(appRouter).map(({ name }) => name),
];
const called = new Set(calls.map(({ operation }) => operation));

/** Calls of operations that the service does not have. */
export const unknownOperations: readonly string[] = [...called].filter((name) => !served.includes(name));

/** Operations of the service that the bench does not call. */
export const unmeasured: readonly string[] = served.filter((name) => !called.has(name));
