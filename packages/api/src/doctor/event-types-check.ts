import { statement } from '@comanda/db';
import { grants } from '../permissions.ts';
import { hiddenFrom } from '../resources/events/seen.rules.ts';
import { type Check, count, ok } from './check.ts';

/**
 * Names the keys that see event types which their permissions would hide: made before types had permissions. A hint:
 * they work, and their users may need the types that they see.
 */
export const eventTypesOfKeys: Check = {
  name: 'event types of keys',
  means: 'Each key sees the event types of its permissions.',
  advice: 'comanda keys update <id> --event-types by_permission --as <your name> narrows a key for good.',
  async run({ database }) {
    const keys = await database.run(keysOfAllTypes, []);
    const wide = keys.filter(({ permissions }) => {
      const granted = new Set(permissions);
      const hasEvents = grants(granted, 'events:read') || grants(granted, 'webhooks:write');
      return hasEvents && hiddenFrom({ granted, allEventTypes: false }).length > 0;
    });
    if (wide.length === 0) return ok('all by permission');
    const named = wide.slice(0, 5).map(({ id, name }) => `${name} (${id})`);
    const more = wide.length > named.length ? ` and ${wide.length - named.length} more` : '';
    return ok(
      `${count(wide.length, 'key')} from before see${wide.length === 1 ? 's' : ''} every type: ${named.join(', ')}${more}; ${this.advice}`,
    );
  },
};

const keysOfAllTypes = statement<{ id: string; name: string; permissions: string[] }>(
  'doctor_keys_of_all_event_types',
  `select id, name, permissions from api_keys
   where all_event_types and revoked_at is null and (expires_at is null or expires_at > now()) and not '*' = any (permissions)
   order by created_at, id limit 1000`,
);
