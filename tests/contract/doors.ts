import type { AnyRouter } from '@trpc/server';
import { subscriptionsOf } from '../../packages/api/src/call/subscription.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { operations } from '../support/documented.ts';

/** An address of the server, with a method that it takes. */
export interface Door {
  method: string;
  target: string;
}

const { procedures } = (appRouter as AnyRouter)._def;

/** Every procedure that `/trpc` knows, with its kind. */
export const procedureKinds: [name: string, kind: 'query' | 'mutation' | 'subscription'][] = Object.entries(
  procedures as Record<string, { _def: { type: 'query' | 'mutation' | 'subscription' } }>,
).map(([name, { _def }]) => [name, _def.type]);

/** Every REST path of every operation; the parameters name nothing that exists. */
export const restDoors: Door[] = operations.flatMap(({ routes }) =>
  routes.map(({ method, path }) => ({ method, target: path.replace(/\{\w+\}/g, 'unknown') })),
);

/** The streams of events: their answers do not end. */
export const streamDoors: Door[] = subscriptionsOf(appRouter).flatMap(({ name, meta }) =>
  [meta.rest.slice('GET '.length), `/trpc/${name}`].map((target) => ({ method: 'GET', target })),
);

/** Every procedure alone, and two in a batch by URL and by body. */
export const trpcDoors: Door[] = [
  ...procedureKinds
    .filter(([, kind]) => kind !== 'subscription')
    .map(([name, kind]) => ({ method: kind === 'mutation' ? 'POST' : 'GET', target: `/trpc/${name}` })),
  { method: 'GET', target: '/trpc/orders.list,products.list?batch=1&input=%7B%7D' },
  { method: 'POST', target: '/trpc/orders.list,products.list?batch=1' },
];

/** The routes that need no key: health, metrics, documents, and unknown paths. */
export const openDoors: Door[] = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/docs/',
  '/docs/errors',
  '/llms.txt',
  '/openapi-v1.json',
  '/openapi-v2.json',
  '/',
  '/nothing',
  '/v2/nothing',
  '/trpc/nothing',
].map((target) => ({ method: 'GET', target }));

/** All of them. */
export const doors: Door[] = [...restDoors, ...streamDoors, ...trpcDoors, ...openDoors];
