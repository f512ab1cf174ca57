import { newId } from '@comanda/db';
import { describe, expect, test } from 'vitest';
import { Permission } from '../../packages/api/src/permissions.ts';
import { useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { type Entrance, entrancesOf } from './entrances.ts';
import { inputIn, isLookup, makeSubject, openKitchen, useKitchen } from './kitchen.ts';

const entrances = operations.flatMap(entrancesOf);

const api = useApi();
const own = useKitchen(api);
const foreign = useKitchen(api);

test.each(entrances)('without a key $name answers 401', async ({ call }) => {
  for (const key of [undefined, 'no-such-key', `cmd_live_${'A'.repeat(43)}`]) {
    const { status, code, headers } = await call(api.url, key, {});
    expect({ status, code }).toEqual({ status: 401, code: 'unauthorized' });
    expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(headers.get('x-ratelimit-limit')).toBeNull();
  }
});

test.each(entrances)(
  'with every permission but the one needed $name answers 403 and names it, or 200 if it needs none',
  async ({ call, operation }) => {
    const needed = operation.meta.permission;
    // Where none is needed, the key has none.
    const others = Permission.options.filter((name) => needed !== null && name !== needed);
    const { key } = await api.make.key({ locationId: own.locationId, permissions: others });
    const { status, code, message, headers } = await call(api.url, key, {});
    const answer = needed === null ? { status: 200 } : { status: 403, code: 'permission_denied' };
    expect({ status, code }).toEqual(answer);
    if (needed !== null) expect(message).toBe(`The key lacks the permission ${needed}.`);
    expect(headers.get('x-ratelimit-limit')).not.toBeNull();
  },
);

describe('about something that is not there', () => {
  const aboutOne = entrances.filter(({ operation }) => 'id' in operation.input.shape);

  test.each(aboutOne)('$name answers 404', async ({ call, operation }) => {
    const [valid, elsewhere] = await Promise.all([inputIn(own, operation), makeSubject(foreign, operation)]);
    const { id: theirs } = elsewhere;
    const shouted = theirs.toUpperCase();
    for (const id of [theirs, shouted, newId(), 'not-an-id', '%', 'a\0b', '\u{1f355}', `${valid.id} `]) {
      const { status, code, message } = await call(api.url, own.key, { ...valid, id });
      expect({ id, status, code }).toEqual({ id, status: 404, code: 'resource_not_found' });
      expect(message).not.toContain(theirs);
    }
  });

  test.each(entrances.filter(({ operation }) => isLookup(operation)))(
    '$name finds nothing of another location',
    async ({ call, operation }: Entrance) => {
      const empty = await openKitchen(api);
      const { externalId } = await makeSubject(foreign, operation);
      await api.prisma.product.deleteMany({ where: { locationId: empty.locationId } });
      await api.prisma.category.deleteMany({ where: { locationId: empty.locationId } });
      for (const external_id of [externalId, 'unknown', 'x'.repeat(300), '\u0007']) {
        const { status, code } = await call(api.url, empty.key, { external_id });
        expect({ status, code }).toEqual({ status: 404, code: 'resource_not_found' });
      }
    },
  );
});
