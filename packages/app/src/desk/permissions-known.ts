import { allPermissions } from './permissions-made.ts';

/** Whether a grant covers another, or a permission: `orders:*` covers `orders:read`, `*` all. */
export const covers = (grant: string, other: string): boolean =>
  grant === '*' || grant === other || grant === `${other.split(':', 1)[0]}:*`;

/** Every permission that some grants cover; one of a newer service than this page stays as it is. */
export const coveredBy = (grants: readonly string[]): string[] => [
  ...allPermissions.filter((permission) => grants.some((grant) => covers(grant, permission))),
  ...grants.filter((grant) => !grant.endsWith('*') && !allPermissions.some((known) => known === grant)),
];

/** The grants that are left when only some of the permissions that they cover are kept: a grant that keeps all of its own stays whole. */
export function leftOf(grants: readonly string[], kept: ReadonlySet<string>): string[] {
  const left = grants.flatMap((grant) => {
    const own = coveredBy([grant]);
    return own.every((permission) => kept.has(permission)) ? [grant] : own.filter((each) => kept.has(each));
  });
  return [...new Set(left)];
}

/** Permissions by their resources (`orders` of `orders:read`), in the order of the documents. */
export function byResource<Name extends string>(permissions: readonly Name[]): [string, Name[]][] {
  const groups = new Map<string, Name[]>();
  for (const permission of permissions) {
    const [resource = ''] = permission.split(':', 1);
    groups.set(resource, [...(groups.get(resource) ?? []), permission]);
  }
  return [...groups];
}

/** What a table calls something; one of a newer service than this page has its own name. */
export const calledIn = (table: Readonly<Record<string, string>>, name: string): string =>
  table[name] ?? name;
