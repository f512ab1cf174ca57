import { permissions } from '../../packages/api/src/permissions.ts';
import { subscribableEventTypes } from '../../packages/api/src/resources/events/types.schema.ts';

/** `prisma/sql/made/known_names.sql`: the names of events and permissions, as the database knows them. */
export function knownNames(): string {
  return [
    '-- Made by `npm run docs` from packages/api/src/resources/events/types.schema.ts and permissions.ts; do not edit.',
    '-- Functions, not a table: they come with the version that knows the names.',
    '',
    names('event_names', subscribableEventTypes),
    names('permission_names', Object.keys(permissions)),
  ].join('\n');
}

const names = (name: string, list: readonly string[]): string =>
  `CREATE FUNCTION ${name}() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$\n  SELECT '{\n    ${list.join(',\n    ')}\n  }'::text[]\n$$;\n`;
