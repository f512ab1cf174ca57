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

/** What is not called here, each with its reason. */
export const leftOut: Readonly<Record<string, string>> = {
  'turns.open':
    'one turn is open at a time, so it cannot be called over and over; the neighbour closing-turn does both',
  'turns.close':
    'it settles what the turn has, and waits for its orders; the neighbour closing-turn does it under load',
  'POST /v2/certifications':
    'a worker plays what it starts for minutes, with calls and deliveries that would count as those of what comes next',
  'GET /v2/events/stream': 'a stream, which the part live opens 2,000 times',
};

/** How every operation of the router is called here: by each of its REST paths, or by its name where it has none. */
export const everyOperation: readonly string[] = [
  ...operationsOf(appRouter).flatMap(({ name, meta }): readonly string[] => meta.rest ?? [name]),
  ...subscriptionsOf(appRouter).map(({ meta }) => meta.rest),
  ...keylessOf(appRouter).map(({ name }) => name),
];

/** What is wrong with the list of calls, if anything: each operation has a call or a reason for none, and no other has. */
export function faultsOfCalls(): string[] {
  const measured = new Set(calls.map(({ operation }) => operation));
  return [
    ...everyOperation
      .filter((name) => measured.has(name) === name in leftOut)
      .map((name) =>
        measured.has(name)
          ? `${name} is called and left out`
          : `${name} has no call (bench/operations) and no reason for none (complete.ts)`,
      ),
    ...[...measured, ...Object.keys(leftOut)]
      .filter((name) => !everyOperation.includes(name))
      .map((name) => `${name} is no operation`),
  ];
}
