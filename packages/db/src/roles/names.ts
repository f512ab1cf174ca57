import type { RoleKind } from './access.ts';

/** The four, the owner first. */
export const roleKinds: readonly RoleKind[] = ['owner', 'service', 'admin', 'reader'];

/** The name of a role in the cluster, where databases with other prefixes may have theirs: `comanda_owner`. */
export const roleName = (prefix: string, kind: RoleKind): string => `${prefix}_${kind}`;
