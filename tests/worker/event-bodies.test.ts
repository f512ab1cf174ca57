import { describe, expect, it } from 'vitest';
import { exampleEvent } from '../../packages/api/src/documents/webhooks.ts';
import { type Envelope, eventTypes } from '../../packages/api/src/resources/events/types.schema.ts';
import { bodyOf } from '../../packages/worker/src/relay/store.ts';
import { useDatabase, useTestDatabase } from '../support/database.ts';

const database = useDatabase(useTestDatabase());

// The text of `data` holds what looks like an envelope: only the place of the version may count.
const traps = ['{}', '{"type":"x","api_version":"v2"}', '{"name":"\\"api_version\\":\\"v2\\" é 😀"}'];

describe('an endpoint of v1 gets another body than the one that the relay would write for it:', () => {
  it.each(eventTypes)('%s', async (type) => {
    const { id, created_at: createdAt, location_id: locationId, data } = exampleEvent(type) as Envelope;
    for (const text of [JSON.stringify(data), ...traps]) {
      const event = { id, type, createdAt, locationId, text } as Parameters<typeof bodyOf>[0];
      const [v1, v2] = [bodyOf(event, 'v1'), bodyOf(event, 'v2')];
      const { rows } = await database.pool.query<{ made: string; stored: string }>(
        'select body_in_v1($1, $2, null) as made, body_in_v1($1, $2, $3) as stored',
        // The text that an older worker has stored with it is sent as it is.
        [type, v2, v1],
      );
      expect(rows).toEqual([{ made: v1, stored: v1 }]);
    }
  });
});
