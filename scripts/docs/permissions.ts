import { permissions } from '../../packages/api/src/permissions.ts';
import { events, subscribableEventTypes } from '../../packages/api/src/resources/events/types.schema.ts';

/** The list of permissions for the app, which knows them by the client's type alone. */
export const permissionsFile = 'packages/app/src/desk/permissions-made.ts';

/** The text of that file. */
export const permissionsModule =
  (): string => `// Made by \`npm run docs\` from packages/api/src/permissions.ts; do not edit.
import type { Permission } from '@comanda/client';

/** Every permission, in the order of the documents. */
export const allPermissions = ${JSON.stringify(Object.keys(permissions))} as const satisfies readonly Permission[];
`;

/** The list of event types for the app. */
export const eventTypesFile = 'packages/app/src/desk/event-types-made.ts';

/** The text of that file. */
export const eventTypesModule =
  (): string => `// Made by \`npm run docs\` from packages/api/src/resources/events/types.schema.ts; do not edit.
import type { EventType, Permission } from '@comanda/client';

/** Every event type that an endpoint can subscribe to, with the permission that shows it. */
export const eventTypes = ${JSON.stringify(
    Object.fromEntries(subscribableEventTypes.map((type) => [type, events[type].permission])),
  )} as const satisfies Partial<Record<EventType, Permission>>;
`;
