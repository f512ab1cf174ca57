import type { Grant } from '@comanda/client';

/** What keys are made for, each with the grants that it needs. */
export const jobs = {
  erp: [
    'orders:*',
    'products:*',
    'categories:*',
    'stock:*',
    'catalog:*',
    'payments:read',
    'events:read',
    'sync:*',
    'webhooks:*',
  ],
  shop: [
    'catalog:read',
    'menus:read',
    'products:read',
    'categories:read',
    'stock:read',
    'orders:read',
    'orders:write',
    'payments:read',
    'locations:read',
    'events:read',
  ],
  kitchen: ['orders:read', 'orders:write', 'products:read', 'stock:read', 'locations:read', 'events:read'],
  stock: ['products:read', 'stock:read', 'stock:sync'],
  books: [
    'reports:read',
    'settlements:read',
    'payments:read',
    'turns:read',
    'orders:read',
    'orders:export',
    'locations:read',
  ],
  // Neither guests, keys nor the audit.
  reader: [
    'orders:read',
    'products:read',
    'categories:read',
    'stock:read',
    'catalog:read',
    'menus:read',
    'payments:read',
    'settlements:read',
    'turns:read',
    'reports:read',
    'locations:read',
    'events:read',
    'sync:read',
    'webhooks:read',
  ],
} as const satisfies Record<string, readonly Grant[]>;

/** What a key is made for. */
export type Job = keyof typeof jobs;

/** Every job, in the order in which they are offered. */
export const jobNames = Object.keys(jobs) as Job[];

/** The job that a key has exactly the grants of. */
export const jobOf = (grants: readonly string[]): Job | undefined =>
  jobNames.find((job) => {
    const needed: readonly string[] = jobs[job];
    return needed.length === grants.length && needed.every((grant) => grants.includes(grant));
  });
