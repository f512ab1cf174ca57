import type { Permission } from '@comanda/client';

// The client knows permissions by their type alone: one that is missing here does not compile.
const table: Readonly<Record<Permission, true>> = {
  'orders:read': true,
  'orders:write': true,
  'orders:export': true,
  'products:read': true,
  'products:write': true,
  'categories:read': true,
  'categories:write': true,
  'stock:read': true,
  'stock:sync': true,
  'catalog:read': true,
  'catalog:sync': true,
  'menus:read': true,
  'payments:read': true,
  'settlements:read': true,
  'turns:read': true,
  'reports:read': true,
  'locations:read': true,
  'events:read': true,
  'sync:products': true,
  'sync:read': true,
  'webhooks:read': true,
  'webhooks:write': true,
  'sandbox:reset': true,
  'certifications:read': true,
  'certifications:write': true,
  'payments:write': true,
  'payment_methods:write': true,
  'turns:write': true,
  'menus:write': true,
  'catalog:publish': true,
  'locations:write': true,
  'keys:read': true,
  'keys:write': true,
  'audit:read': true,
  'audit:undo': true,
  'deliveries:retry': true,
  'jobs:retry': true,
};

/** Every permission, in the order of the documents. */
export const allPermissions = Object.keys(table) as Permission[];

/** Whether a grant covers another, or a permission: `orders:*` covers `orders:read`, `*` all. */
export const covers = (grant: string, other: string): boolean =>
  grant === '*' || grant === other || grant === `${other.split(':', 1)[0]}:*`;

/** Every permission that some grants cover; one of a newer service than this page stays as it is. */
export const coveredBy = (grants: readonly string[]): string[] => [
  ...allPermissions.filter((permission) => grants.some((grant) => covers(grant, permission))),
  ...grants.filter((grant) => !grant.endsWith('*') && !(grant in table)),
];

/** The grants that are left when only some of the permissions that they cover are kept: a grant that keeps all of its own stays whole. */
export function leftOf(grants: readonly string[], kept: ReadonlySet<string>): string[] {
  const left = grants.flatMap((grant) => {
    const own = coveredBy([grant]);
    return own.every((permission) => kept.has(permission)) ? [grant] : own.filter((each) => kept.has(each));
  });
  return [...new Set(left)];
}
