import { randomBytes } from 'node:crypto';
import { issueCode } from '@comanda/api/services';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { makePersonLogin } from '../../packages/db/src/roles/persons.ts';
import { verifier } from '../../packages/embedded/src/password.ts';
import { useApi } from '../support/api.ts';
import { callComanda } from '../support/command.ts';
import { superuserUrl } from '../support/database.ts';
import { makeEndpoint } from '../support/endpoints.ts';
import { refused } from '../support/money.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { roleUrl } from '../support/roles.ts';
import { runOnce } from '../support/server.ts';
import { withClient } from '../support/sql.ts';

// One person, by any way of access: the desk, a login of her own, the command line.

const encryptionKey = Buffer.alloc(32, 7).toString('base64');
const api = useApi(() => ({ app: 'on', encryptionKey }));
const kitchen = useOrderKitchen(api);
const ana = `ana_${randomBytes(4).toString('hex')}`;
const password = 'persons-of-tests-need-no-secret';

const ownUrl = () => Object.assign(new URL(api.databaseUrl), { username: ana, password }).href;
const everything = { limit: 200 };
const audited = async (by = ana) => (await api.client().audit.list.query({ by, ...everything })).data;

async function signedIn() {
  const { locationId: location_id } = api;
  const { code } = await issueCode(api.app.database, { name: ana, screens: ['desk'], location_id });
  const { key } = await api.client('').appCodes.redeem.mutate({ code });
  return api.client(key);
}

const byHand = (url: string, application: string, text: string, values: unknown[]) =>
  withClient(url, (client) => client.query(text, values), application);

beforeAll(async () => {
  const secret = { verifier: verifier(password), always: true };
  await withClient(superuserUrl(api.databaseUrl), (client) =>
    makePersonLogin(client, inject('databasePrefix'), { name: ana, role: 'admin' }, secret),
  );
});
afterAll(() => runOnce(inject('adminUrl'), `drop role if exists ${ana}`));

describe('what a person does at the desk', () => {
  it('is in the audit under the person, each of it', async () => {
    const desk = await signedIn();
    const [first, second] = [await kitchen.place(), await kitchen.place()];
    const endpoint = { id: await makeEndpoint(api) };
    const productId = await api.make.product({ price: 2 });
    await byHand(roleUrl(api.databaseUrl, 'admin'), 'psql', 'update products set price = 3 where id = $1', [
      productId,
    ]);
    const [edit] = (await api.client().audit.list.query({ about: productId })).data;

    const deeds: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['orders.updateStatus', () => desk.orders.updateStatus.mutate({ id: first.id, status: 'ready' })],
      ['orders.cancel', () => desk.orders.cancel.mutate({ id: second.id, reason: 'guest left' })],
      ['payments.complete', () => desk.payments.complete.mutate({ id: first.payment.id })],
      ['webhookEndpoints.rotateSecret', () => desk.webhookEndpoints.rotateSecret.mutate(endpoint)],
      [
        'webhookEndpoints.replay',
        () => desk.webhookEndpoints.replay.mutate({ ...endpoint, since: '2026-01-01T00:00:00Z' }),
      ],
      ['locations.update', () => desk.locations.update.mutate({ id: api.locationId, name: 'Bar Ana' })],
      ['keys.create', () => desk.keys.create.mutate({ name: 'Till', permissions: ['orders:read'] })],
      ['keys.revoke', async () => desk.keys.revoke.mutate({ id: (await api.make.key()).id })],
      ['audit.undo', () => desk.audit.undo.mutate({ id: edit?.id ?? '' })],
    ];
    for (const [operation, deed] of deeds) {
      const before = (await audited()).map(({ id }) => id);
      await deed();
      const written = (await audited()).filter(({ id }) => !before.includes(id));
      expect(
        written.map((entry) => entry.operation),
        operation,
      ).toContain(operation);
      // Of an undo both: that she asked for it, and what it wrote.
      for (const entry of written) expect(entry, operation).toMatchObject({ by: ana, by_known: true });
    }
    const undo = (await audited()).find(({ undo_of }) => undo_of !== undefined);
    expect(undo).toMatchObject({ actor: 'database', table: 'products', undo_of: edit?.id });
    // A guest may be named in a reason: it is kept with the order alone.
    expect(JSON.stringify(await audited())).not.toContain('guest left');
  });

  it('begins with the key that she got, by her own request', async () => {
    const before = (await audited()).map(({ id }) => id);
    await signedIn();
    const [entry, ...rest] = (await audited()).filter(({ id }) => !before.includes(id));
    expect(rest).toEqual([]);
    expect(entry).toMatchObject({
      actor: 'api_key',
      operation: 'keys.create',
      by: ana,
      by_known: true,
      resource_name: `app: ${ana}`,
      api_key_id: entry?.resource_id,
      request_id: expect.any(String),
      client_address: expect.any(String),
    });
  });

  it('is not done in her name by a key that another person makes', async () => {
    const desk = await signedIn();
    expect(await refused(desk.keys.create.mutate({ name: 'app: bob', permissions: ['*'] }))).toEqual({
      code: 'validation_error',
      message: expect.stringContaining('name: must not begin with "app: "'),
    });
  });

  it('is no burden to a program: what that does with orders is not in the audit', async () => {
    const { id } = await kitchen.place();
    await api.client().orders.updateStatus.mutate({ id, status: 'ready' });
    expect((await api.client().audit.list.query({ about: id })).data).toEqual([]);
  });
});

it('what she does at the desk, by her own login and at the command line is found together', async () => {
  const productId = await api.make.product({ price: 2 });
  const { id: keyId } = await api.make.key();
  const before = (await audited()).map(({ id }) => id);
  await byHand(ownUrl(), 'psql', 'update products set price = 3 where id = $1', [productId]);
  await byHand(roleUrl(api.databaseUrl, 'admin'), ana, 'update products set price = 4 where id = $1', [
    productId,
  ]);
  const revoked = await callComanda({ DATABASE_URL: api.databaseUrl }, 'keys', 'revoke', keyId, '--as', ana);
  expect(revoked.code, revoked.stderr).toBe(0);
  const desk = await signedIn();
  await desk.locations.update.mutate({ id: api.locationId, name: 'Bar Nuevo' });

  const written = (await audited()).filter(({ id }) => !before.includes(id)).reverse();
  expect(written.map(({ actor, operation, by, by_known }) => [actor, operation, by, by_known])).toEqual([
    ['database', 'update', ana, true],
    ['database', 'update', ana, false],
    ['command_line', 'keys.revoke', ana, false],
    ['api_key', 'keys.create', ana, true],
    ['api_key', 'locations.update', ana, true],
  ]);
});
