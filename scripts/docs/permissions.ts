import { permissions } from '../../packages/api/src/permissions.ts';

/** The list of permissions for the app, which knows them by the client's type alone. */
export const permissionsFile = 'packages/app/src/desk/permissions-made.ts';

/** The text of that file. */
export const permissionsModule =
  (): string => `// Made by \`npm run docs\` from packages/api/src/permissions.ts; do not edit.
import type { Permission } from '@comanda/client';

/** Every permission, in the order of the documents. */
export const allPermissions = ${JSON.stringify(Object.keys(permissions))} as const satisfies readonly Permission[];
`;
