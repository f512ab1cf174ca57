import { setTimeout } from 'node:timers/promises';
import { newId, type Queryable } from '@comanda/db';
import { describe, expect, it, vi } from 'vitest';
import { beginningOf } from '../../packages/api/src/call/writing.ts';
import { comeToRest } from '../../packages/api/src/resources/locations/export.store.ts';
import { openKitchen, writeIn } from '../contract/kitchen.ts';
import { callRest } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { ownTables } from '../support/tables.ts';
import { usePlace } from './moving.ts';

// A change acknowledged after the export of a location is lost when it moves. A process that was frozen, or waited long
// for a body or a place, does not know that the location writes no more: so the database itself refuses it.

vi.setConfig({ testTimeout: 60_000 });
const place = usePlace();
type Refused = { error?: { data: object } };
const mutations = operations.filter(({ kind, name }) => kind === 'mutation' && name !== 'audit.undo');

describe('a write of a process that has not heard is refused, with an idempotency key and without:', () => {
  it.each(mutations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (name, operation) => {
      const kitchen = await openKitchen(place.api);
      const { key } = kitchen;
      const input = await writeIn(kitchen, operation);
      // The process knows the key from now on, with an active location.
      expect((await place.api.rest('GET /v2/products', { key })).status).toBe(200);
      await quietly(kitchen.locationId, 'read_only');
      const before = await prints(kitchen.locationId);
      const keyed = { idempotencyKey: `fenced-${name}` };
      for (const more of operation.meta.idempotent === true ? [keyed] : [{}, keyed]) {
        const body = { ...input, ...more };
        const answer = await callRest<Refused>(place.api.url, `POST /trpc/${name}`, { key, body });
        expect(answer.status, answer.text).toBe(503);
        expect(answer.body.error?.data).toMatchObject({
          reason: 'location_read_only',
          retryAfterSeconds: 30,
        });
      }
      expect(await prints(kitchen.locationId)).toEqual(before);
    },
  );
});

it('a location that was given up refuses a process that has not learned of it as it refuses others', async () => {
  const { key, locationId } = await openKitchen(place.api);
  const write = () =>
    place.api.rest('POST /v2/categories', { key, body: { name: 'Late', priority: 1, visible: true } });
  expect((await write()).status).toBe(201);
  await quietly(locationId, 'disabled');
  expect((await write()).headers.get('x-error-reason')).toBe('location_disabled');
  await place.sql`
    insert into internal.moved_locations (code, location_id, cell) select code, id, 'south' from locations where id = ${locationId}`;
  expect((await write()).headers.get('x-error-reason')).toBe('moved');
});

/** As a relay would leave it. */
const nothingWaits = (locationId: string) =>
  place.sql('delete from internal.captured_changes where location_id = $1', [locationId]);

/** Sets the status without a notification. */
async function quietly(locationId: string, status: string): Promise<void> {
  await place.sql(
    `begin; set local session_replication_role = replica;
     update locations set status = '${status}' where id = '${locationId}'; commit`,
  );
}

/** A fingerprint of each table of a location, except for the counters of requests. */
async function prints(locationId: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const tables = await ownTables(place.api.app.database.pool, 'location_id');
  for (const { name, sql } of tables) {
    const row = name === 'api_keys' ? `to_jsonb(t) - 'last_used_at'` : 'to_jsonb(t)';
    const [print] = await place.sql<{ print: string }>(
      `select md5(coalesce(string_agg((${row})::text, ' ' order by (${row})::text), '')) as print
       from ${sql} t where location_id = $1`,
      [locationId],
    );
    found[name] = print?.print;
  }
  return found;
}

describe('an export waits for', () => {
  const write = (on: Queryable, id: string, name: string) =>
    on.run({ name: '', text: `insert into categories (location_id, name, priority) values ($1, $2, 1)` }, [
      id,
      name,
    ]);

  it('a call that found the location active, and has written nothing yet', async () => {
    const { locationId } = await openKitchen(place.api);
    const ctx = { caller: { locationId, apiKeyId: newId() }, requestId: 'late', traceparent: undefined };
    const rested = await atRestAfter(locationId, (leave) =>
      place.api.app.database.transaction(beginningOf(ctx), async (tx) => {
        await leave();
        await write(tx, locationId, 'Late');
      }),
    );
    expect(rested).toBe('late, then at rest');
  });

  it('a statement that looked before, and is held up', async () => {
    const { locationId } = await openKitchen(place.api);
    await place.sql('select pg_advisory_lock(1)');
    const rested = await atRestAfter(locationId, async (leave) => {
      const statement = place.api.app.database.run(
        { name: '', text: 'select pg_advisory_lock(1), pg_advisory_unlock(1)' },
        [],
      );
      await leave();
      await place.sql('select pg_advisory_unlock(1)');
      await statement;
    });
    expect(rested).toBe('late, then at rest');
  });

  /** Whether the location becomes idle before or after the work, which goes on once the location is long read only. */
  async function atRestAfter(
    locationId: string,
    work: (leave: () => Promise<void>) => Promise<void>,
  ): Promise<string> {
    const ends: string[] = [];
    let rest: Promise<unknown> = Promise.resolve();
    await work(async () => {
      await quietly(locationId, 'read_only');
      await nothingWaits(locationId);
      await new Promise<void>((asked) => {
        rest = comeToRest(place.api.app.database, locationId, () => asked()).then(() => ends.push('at rest'));
      });
      // Were it not waited for, nothing else would hold it up.
      await Promise.race([rest, setTimeout(500)]);
      ends.push('late');
    });
    await nothingWaits(locationId);
    await rest;
    return ends.join(', then ');
  }
});
