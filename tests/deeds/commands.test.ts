import { describe, expect, it } from 'vitest';
import { OrderOverview } from '../../packages/api/src/resources/orders/overview.schema.ts';
import { useApi } from '../support/api.ts';
import { type CommandOutcome, callComanda } from '../support/command.ts';
import { createKey } from '../support/factories.ts';
import { placeOrder, useOrderKitchen } from '../support/orders.ts';
import { prismaOf } from '../support/prisma.ts';
import { roleUrl } from '../support/roles.ts';
import { parseStrict } from '../support/strict.ts';

// What an admin does every day, by commands in the process of the test.
const encryptionKey = Buffer.alloc(32, 7).toString('base64');
const api = useApi(() => ({ encryptionKey }));
const kitchen = useOrderKitchen(api);

const environment = () => ({ DATABASE_URL: api.databaseUrl, ENCRYPTION_KEY: encryptionKey });
const comanda = (...argv: string[]) => callComanda(environment(), ...argv);

/** The output with `--json` of a command that must succeed. */
async function done<Value = Record<string, unknown>>(...argv: string[]): Promise<Value> {
  const { code, stdout, stderr } = await comanda(...argv, '--json');
  expect(code, stderr + stdout).toBe(0);
  return JSON.parse(stdout) as Value;
}

async function refused(...argv: string[]): Promise<{ code: string; message: string }> {
  const outcome = await comanda(...argv, '--json');
  expect(outcome.code).toBe(1);
  return (JSON.parse(outcome.stdout) as { error: { code: string; message: string } }).error;
}

const statusOf = async (key: string) => (await api.rest('GET /v2/orders', { key })).status;
/** The audit entries of a resource, oldest first. */
const entriesOf = async (resourceId: string) =>
  prismaOf(api.app.database).auditEntry.findMany({
    where: { resourceId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
const audited = async (id: string) =>
  (await entriesOf(id)).map(({ actorKind, operation }) => [actorKind, operation]);

async function endpoint(): Promise<string> {
  const body = { url: 'http://127.0.0.1:9/hook', events: ['order.created'] };
  return (await api.rest<{ data: { id: string } }>('POST /v2/webhook-endpoints', { body })).body.data.id;
}

/** A dead delivery to an endpoint, with its one attempt. */
async function deadDelivery(endpointId: string): Promise<{ id: string; attemptId: string; eventId: string }> {
  const [row] = await api.sql<{ id: string; attemptId: string; eventId: string }>(
    `with e as (
       insert into events (location_id, id, number, type, resource_id, body, created_at)
       select $1, uuid_v7(), coalesce(max(number), 0) + 1, 'order.created', $1, '{}', now() from events where location_id = $1
       returning id
     ), d as (
       insert into webhook_deliveries (location_id, endpoint_id, event_id, status, attempts)
       select $1, $2, id, 'dead', 5 from e returning id, event_id
     ), a as (
       insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status,
         response_code, duration_ms, attempted_at)
       select $1, id, $2, event_id, 'order.created', 5, 'dead', 503, 5, now() from d returning id
     )
     select d.id, a.id as "attemptId", d.event_id as "eventId" from d, a`,
    [api.locationId, endpointId],
  );
  return row ?? { id: '', attemptId: '', eventId: '' };
}

describe('keys', () => {
  it('show prints what a key may do, and nothing of its text', async () => {
    const { id, key } = await createKey(api.app.database, { locationId: api.locationId, name: 'ERP' });
    expect(await done('keys', 'show', id)).toMatchObject({ id, name: 'ERP', permissions: ['*'] });
    const { stdout } = await comanda('keys', 'show', id);
    expect(stdout).toMatch(/^name +ERP$/m);
    expect(stdout).not.toContain(key);
  });

  it.each([
    ['keys show', ['keys', 'show']],
    ['keys revoke', ['keys', 'revoke']],
    ['keys rotate', ['keys', 'rotate']],
  ])('%s says of what is no id that it is none', async (_, words) => {
    expect(await refused(...words, 'abc')).toEqual({
      code: 'resource_not_found',
      message: 'Key not found: "abc" is no id; comanda keys list shows them',
    });
  });

  it('update changes what is given, at once and in the audit, and leaves the rest', async () => {
    const { id, key } = await createKey(api.app.database, { locationId: api.locationId, name: 'Till' });
    expect(await statusOf(key)).toBe(200);
    const options = '--permissions products:read --per-minute 90 --expires-at 2099-01-01T00:00:00Z --as ana';
    expect(await done('keys', 'update', id, ...options.split(' '))).toMatchObject({
      name: 'Till',
      permissions: ['products:read'],
      per_minute: 90,
      monthly: 1_000_000,
      expires_at: expect.stringMatching(/^2099/),
    });
    await expect.poll(() => statusOf(key), { timeout: 5_000 }).toBe(403);
    const wider = '--permissions * --expires-at never --as ana';
    const widened = await done('keys', 'update', id, ...wider.split(' '));
    expect(widened).not.toHaveProperty('expires_at');
    await expect.poll(() => statusOf(key), { timeout: 5_000 }).toBe(200);
    const [first, ...more] = await entriesOf(id);
    expect(more).toHaveLength(1);
    expect(first?.changes).toEqual({
      before: { permissions: ['*'], per_minute: 100_000 },
      after: { permissions: ['products:read'], per_minute: 90, expires_at: expect.any(String) },
    });
    const unknown = await refused('keys', 'update', id, '--permissions', 'orders:eat', '--as', 'ana');
    expect(unknown.message).toMatch(/orders:eat/);
  });

  it('rotate makes a key that may do the same, and lets the old one live for the grace', async () => {
    const old = await createKey(api.app.database, {
      locationId: api.locationId,
      name: 'ERP',
      permissions: ['orders:*'],
      perMinute: 77,
    });
    const made = await done<{ id: string; key: string; old: { id: string; expires_at: string } }>(
      ...['keys', 'rotate', old.id],
    );
    expect(made).toMatchObject({ name: 'ERP', permissions: ['orders:*'], per_minute: 77 });
    expect(made.old.id).toBe(old.id);
    const hours = (Date.parse(made.old.expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    expect([await statusOf(old.key), await statusOf(made.key)]).toEqual([200, 200]);
    expect(await audited(old.id)).toEqual([['command_line', 'keys.rotate']]);
    expect(await audited(made.id)).toEqual([['command_line', 'keys.rotate']]);

    const { stdout } = await comanda('keys', 'rotate', made.id, '--grace-hours', '0');
    expect(stdout).toMatch(/^key +cmd_live_/m);
    expect(stdout).toContain(`the old key, ${made.id}, is refused from `);
    await expect.poll(() => statusOf(made.key), { timeout: 5_000 }).toBe(401);
    expect((await refused('keys', 'rotate', made.id, '--grace-hours=-1')).message).toMatch(/0 to 8760/);
  });

  it('a revoked key is neither changed nor rotated', async () => {
    const { id } = await createKey(api.app.database, { locationId: api.locationId });
    await done('keys', 'revoke', id);
    for (const verb of ['update', 'rotate'])
      expect(await refused('keys', verb, id)).toEqual({
        code: 'conflict',
        message: expect.stringMatching(/revoked for good/),
      });
  });
});

describe('orders show', () => {
  it('returns everything about an order, by its number, its id or the external id', async () => {
    const { id, number, external_id = '' } = await placeOrder(api, kitchen);
    for (const name of [String(number), id, external_id]) {
      const found = parseStrict(OrderOverview, await done('orders', 'show', name));
      expect(found.order.id).toBe(id);
    }
    const { stdout } = await comanda('orders', 'show', String(number));
    const shown = ['Flat White', '12.50', 'ready, canceled', 'created pending', 'key "test"'];
    for (const part of [id, external_id, ...shown]) expect(stdout).toContain(part);
    expect((await refused('orders', 'show', 'nobody')).code).toBe('resource_not_found');
  });
});

describe('webhooks', () => {
  it('list shows endpoints, rotate gives a secret and writes it down', async () => {
    const id = await endpoint();
    const listed = await done<{ id: string }[]>('webhooks', 'list');
    expect(listed.filter((each) => each.id === id)).toMatchObject([{ status: 'active' }]);
    expect((await comanda('webhooks', 'list')).stdout).toMatch(/^ID +STATUS +DEAD +DELIVERED +URL +EVENTS\n/);
    const { secret } = await done('webhooks', 'rotate', id);
    expect(secret).toMatch(/^whsec_/);
    const secrets = await api.sql`
      select expires_at is null as current from internal.webhook_secrets where endpoint_id = ${id} order by created_at`;
    expect(secrets).toEqual([{ current: false }, { current: true }]);
    expect(await audited(id)).toEqual([['command_line', 'webhookEndpoints.rotateSecret']]);
    await done('webhooks', 'rotate', id, '--expire-previous');
    const valid = await api.sql`
      select from internal.webhook_secrets where endpoint_id = ${id} and (expires_at is null or expires_at > now())`;
    expect(valid).toHaveLength(1);
    expect((await refused('webhooks', 'rotate', 'nothing')).code).toBe('resource_not_found');
  });

  it('replay sends again what did not arrive, and says how much', async () => {
    const id = await endpoint();
    await deadDelivery(id);
    const replay = ['webhooks', 'replay', id, '--since', '2026-01-01T00:00:00Z'];
    expect(await done(...replay)).toEqual({ replayed: 1 });
    expect(await done(...replay)).toEqual({ replayed: 0 });
    expect((await refused('webhooks', 'replay', id)).message).toBe('--since is required');
    expect((await refused(...replay, '--only', 'some')).message).toMatch(/^only: /);
    expect((await audited(id))[0]).toEqual(['command_line', 'webhookEndpoints.replay']);
  });
});

describe('deliveries', () => {
  it('list finds what is dead, retry sends it again by the id that the list shows', async () => {
    const id = await endpoint();
    const { attemptId, eventId } = await deadDelivery(id);
    const list = ['deliveries', 'list', '--endpoint', id, '--status', 'dead'];
    expect(await done(...list)).toEqual([
      expect.objectContaining({ id: attemptId, event_id: eventId, endpoint_id: id, response_code: 503 }),
    ]);
    expect((await comanda('deliveries', 'list', '--status', 'dead')).stdout).toContain(attemptId);
    const made = await done<{ id: string }>('deliveries', 'retry', attemptId);
    expect(made).toMatchObject({ event_id: eventId, endpoint_id: id, status: 'pending' });
    expect(await audited(made.id)).toEqual([['command_line', 'deliveries.retry']]);
    const queued =
      await api.sql`select from graphile_worker._private_jobs where payload->>'endpointId' = ${id}`;
    expect(queued).toHaveLength(1);
    expect(await refused('deliveries', 'retry', attemptId)).toEqual({
      code: 'conflict',
      message: expect.stringMatching(/on its way/),
    });
  });
});

describe('jobs', () => {
  it('list finds what failed, retry queues it again', async () => {
    const headers = { 'idempotency-key': 'a-job' };
    const body = { items: [{ external_id: 'mate', name: 'Mate', price: 3 }] };
    const started = await api.rest<{ data: { job_id: string } }>('POST /v2/sync/products', { body, headers });
    const { job_id } = started.body.data;
    expect(await done('jobs', 'list', '--status', 'failed')).toEqual([]);
    expect((await refused('jobs', 'retry', job_id)).message).toMatch(/this one is queued/);
    await api.sql`update sync_jobs set status = 'failed', error = 'stopped' where id = ${job_id}`;
    const failed = new RegExp(`${job_id} +failed +0 of 1 +0 +stopped`);
    expect((await comanda('jobs', 'list', '--status', 'failed')).stdout).toMatch(failed);
    expect(await done('jobs', 'retry', job_id)).toMatchObject({ job_id, status: 'queued' });
    expect(await audited(job_id)).toEqual([['command_line', 'syncJobs.retry']]);
  });
});

describe('a group without a command', () => {
  it.each([
    ['keys', 'keys rotate'],
    ['webhooks', 'webhooks replay'],
    ['deliveries', 'deliveries retry'],
    ['jobs', 'jobs retry'],
    ['orders', 'orders show'],
  ])('%s lists its commands', async (group, one) => {
    const { code, stdout }: CommandOutcome = await comanda(group);
    expect(code).toBe(0);
    expect(stdout).toContain(one);
    expect(stdout).not.toContain('migrate');
  });
});

describe('an unknown option', () => {
  it('is named, without advice on how to write something else', async () => {
    expect((await comanda('audit', '--nope')).stderr).toBe(
      'comanda: unknown option --nope; see comanda audit --help\n',
    );
  });
});

describe('where there are several locations', () => {
  it('asks which one is meant, and works at that one', async () => {
    const other = await done<{ id: string }>('locations', 'create', '--name', 'Second');
    expect(await refused('webhooks', 'list')).toEqual({
      code: 'validation_error',
      message: expect.stringMatching(/^location: there are several/),
    });
    expect(await done('webhooks', 'list', '--location', other.id)).toEqual([]);
    expect((await refused('jobs', 'list', '--location', 'nowhere')).message).toMatch(/no location nowhere/);
    await done('locations', 'disable', other.id);
    const owner = { ...environment(), DATABASE_OWNER_URL: roleUrl(api.databaseUrl, 'owner') };
    const deleted = await callComanda(owner, 'locations', 'delete', other.id, '--confirm', 'Second');
    expect(deleted.code, deleted.stderr).toBe(0);
  });
});
