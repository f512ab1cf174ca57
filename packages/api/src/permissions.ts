import { z } from 'zod';

/** Every permission, as `resource:action`, with what it lets a key do. The last group serves the typed client only. */
export const permissions = {
  'orders:read': 'list and read orders and their timeline',
  'orders:write': 'create and cancel orders, change their status',
  'orders:pause': 'pause and resume the taking of orders, create orders while it is paused',
  'orders:export': 'export orders',
  'customers:read': 'see whom orders are for and where they go',
  'products:read': 'list and read products',
  'products:write': 'create, update and delete products',
  'categories:read': 'list and read categories',
  'categories:write': 'create, update and delete categories',
  'stock:read': 'list stock, read the stock of a product',
  'stock:sync': 'set stock in batches, adjust the stock of a product',
  'catalog:read': 'read the full catalog',
  'catalog:sync': 'replace or extend the catalog in batches',
  'menus:read': 'read the active menu',
  'payments:read': 'list and read payments, list payment methods',
  'settlements:read': 'list and read settlements',
  'turns:read': 'list and read turns',
  'reports:read': 'read sales reports',
  'locations:read': 'read the location of the key',
  'events:read': 'read the feed of events',
  'sync:products': 'start jobs that sync products',
  'sync:read': 'list and read sync jobs',
  'webhooks:read': 'list and read webhook endpoints and their deliveries',
  'webhooks:write': 'create, change, delete, test, rotate and replay webhook endpoints',
  'sandbox:reset': 'reset a sandbox to the demo data',
  'certifications:read': 'follow certifications of a sandbox, read their reports',
  'certifications:write': 'start certifications of a sandbox',
  'payments:write': 'add, complete, reject and refund payments',
  'payment_methods:write': 'create, change and delete payment methods',
  'turns:write': 'open and close turns',
  'menus:write': 'create, change and publish menus',
  'catalog:publish': 'publish the catalog',
  'locations:write': 'create and change locations',
  'keys:read': 'list API keys',
  'keys:write': 'create, narrow, rotate and revoke API keys',
  'audit:read': 'list the audit of the location',
  'audit:undo': 'undo what was changed by hand',
  'deliveries:retry': 'send an event to a webhook endpoint again',
  'jobs:retry': 'run failed sync jobs again',
} as const satisfies Record<`${string}:${string}`, string>;

/** A permission that an operation asks for. */
export const Permission = z
  .enum(Object.keys(permissions) as (keyof typeof permissions)[])
  .meta({ id: 'Permission', description: 'A permission of a key; more may be added.' });
export type Permission = z.infer<typeof Permission>;

type ResourceOf<Name> = Name extends `${infer Resource}:${string}` ? Resource : never;
const wholeOf = <Name extends Permission>(name: Name) =>
  `${name.slice(0, name.indexOf(':'))}:*` as `${ResourceOf<Name>}:*`;

/** A grant of a key: a permission, every permission of a resource (`orders:*`), or `*`. */
export const Grant = z
  .enum([...new Set(Permission.options.flatMap((name) => [name, wholeOf(name)])), '*'], {
    error: ({ input }) =>
      typeof input === 'string' ? `unknown permission "${input.slice(0, 100)}"` : undefined,
  })
  .meta({
    id: 'Grant',
    description: 'A permission, every permission of a resource (`orders:*`), or `*` for all.',
  });
export type Grant = z.infer<typeof Grant>;

/** Whether the grants of a key cover a permission, or all grants of another key. */
export function grants(granted: ReadonlySet<string>, needed: Grant): boolean {
  return granted.has(needed) || granted.has('*') || granted.has(`${needed.slice(0, needed.indexOf(':'))}:*`);
}

/** Every permission that what a key was granted covers. */
export const permissionsOf = (granted: ReadonlySet<string>): Permission[] =>
  Permission.options.filter((permission) => grants(granted, permission));
