import { newId } from '@comanda/db';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { Received } from '../support/consumer.ts';
import { createProduct } from '../support/factories.ts';
import { type SteppedWorker, stepWorker, useSteppedWorker } from '../support/stepped-worker.ts';
import { useSharedKit } from './kit.ts';

const kit = useSharedKit();
const worker = useSteppedWorker(kit);

const verify = (secret: string, { text, headers }: Received) =>
  new Webhook(secret).verify(text, headers as Record<string, string>);

describe('an endpoint changes between two attempts:', () => {
  const failing = async () => {
    const erp = await kit.consumer((_, response) => response.writeHead(500).end());
    const endpoint = await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
    await createProduct(kit.database, { locationId: kit.locationId });
    await worker.turn();
    expect(await kit.statuses()).toEqual(['failed']);
    return { erp, endpoint };
  };

  test('disabled, it gets nothing more, and enabling revives nothing', async () => {
    const { erp, endpoint } = await failing();
    await kit.sql(`update webhook_endpoints set status = 'disabled' where id = $1`, [endpoint.id]);
    await worker.makeDue();
    await worker.turn();
    expect(await kit.statuses()).toEqual(['dropped']);
    await kit.sql(`update webhook_endpoints set status = 'active' where id = $1`, [endpoint.id]);
    await createProduct(kit.database, { locationId: kit.locationId });
    await worker.turn();
    const ids = new Set(erp.received.map(({ headers }) => headers['webhook-id']));
    expect(ids.size).toBe(2);
    expect(erp.received.filter(({ headers }) => headers['webhook-id'] === [...ids][0])).toHaveLength(1);
  });

  test('deleted, it gets nothing more and leaves nothing', async () => {
    const { erp, endpoint } = await failing();
    const other = await kit.consumer();
    await kit.createEndpoint({ url: other.url, events: ['product.created'] });
    await kit.sql('delete from webhook_endpoints where id = $1', [endpoint.id]);
    await worker.makeDue();
    await createProduct(kit.database, { locationId: kit.locationId });
    await worker.turn();
    expect(other.received).toHaveLength(1);
    expect(erp.received).toHaveLength(1);
    expect(await kit.count(`webhook_deliveries where endpoint_id = '${endpoint.id}'`)).toBe(0);
  });

  test('with another address, its next attempt goes there', async () => {
    const { erp, endpoint } = await failing();
    const moved = await kit.consumer();
    await kit.sql('update webhook_endpoints set url = $1 where id = $2', [moved.url, endpoint.id]);
    await worker.makeDue();
    await worker.turn();
    expect(await kit.statuses()).toEqual(['delivered']);
    expect(erp.received).toHaveLength(1);
    expect(moved.received.map(({ headers }) => headers['x-comanda-attempt'])).toEqual(['2']);
  });
});

describe('an attempt that is in flight', () => {
  const inFlight = async (by: SteppedWorker = worker) => {
    let answer = () => {};
    const erp = await kit.consumer((_, response) => {
      answer = () => response.writeHead(500).end();
    });
    const endpoint = await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
    await createProduct(kit.database, { locationId: kit.locationId });
    await by.begin();
    await erp.arrived(1);
    return { erp, endpoint, answer: () => answer() };
  };

  test('is logged when the endpoint was disabled meanwhile, and not repeated', async () => {
    const { endpoint, answer, erp } = await inFlight();
    await kit.sql(`update webhook_endpoints set status = 'disabled'`);
    answer();
    await worker.turn();
    expect(await kit.attempts(endpoint.id)).toHaveLength(1);
    expect(await kit.sql('select status, attempts, next_attempt_at from webhook_deliveries')).toEqual([
      { status: 'dropped', attempts: 1, next_attempt_at: null },
    ]);
    expect(erp.received).toHaveLength(1);
  });

  test('vanishes with an endpoint that is deleted, and the worker goes on', async () => {
    const { endpoint, answer } = await inFlight();
    await kit.sql('delete from webhook_endpoints');
    answer();
    const other = await kit.consumer();
    await kit.createEndpoint({ url: other.url, events: ['product.created'] });
    await createProduct(kit.database, { locationId: kit.locationId });
    await worker.turn();
    expect(other.received).toHaveLength(1);
    expect(await kit.attempts(endpoint.id)).toEqual([]);
  });

  test('is finished and recorded when the worker is asked to stop', async () => {
    const leaving = await stepWorker(kit);
    const { endpoint, answer } = await inFlight(leaving);
    const stopping = leaving.stop();
    answer();
    await stopping;
    expect(await kit.attempts(endpoint.id)).toMatchObject([
      { attempt: 1, status: 'failed', response_code: 500 },
    ]);
    expect(
      await kit.sql(`select 1 from graphile_worker.jobs where key like $1`, [`%${endpoint.id}`]),
    ).toHaveLength(1);
  });
});

test('after a rotation both secrets sign until the old one expires', async () => {
  const erp = await kit.consumer();
  const endpoint = await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  const young = await kit.addSecret(endpoint.id, new Date(Date.now() + 3_600_000));
  await createProduct(kit.database, { locationId: kit.locationId });
  await worker.turn();
  const [both] = erp.received;
  if (both === undefined) throw new Error('nothing arrived');
  verify(endpoint.secret, both);
  verify(young, both);
  await kit.sql`
    update internal.webhook_secrets set expires_at = now() - interval '1 s' where expires_at is not null`;
  await createProduct(kit.database, { locationId: kit.locationId });
  await worker.turn();
  const last = erp.received[1];
  if (last === undefined) throw new Error('nothing arrived');
  verify(young, last);
  expect(() => verify(endpoint.secret, last)).toThrow();
});

test('a secret that cannot be opened uses up no attempt', async () => {
  const erp = await kit.consumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  await kit.sql(`update internal.webhook_secrets set sealed = '\\x00'`);
  await createProduct(kit.database, { locationId: kit.locationId });
  await worker.turn();
  expect(await kit.count('internal.process_heartbeats where cardinality(unsignable) = 1')).toBe(1);
  expect(await kit.sql('select attempts, status, leased_by from webhook_deliveries')).toEqual([
    { attempts: 0, status: 'pending', leased_by: null },
  ]);
  expect(erp.received).toEqual([]);
});

test('a test event reaches its endpoint alone, with any subscription', async () => {
  const [tested, other] = [await kit.consumer(), await kit.consumer()];
  const endpoint = await kit.createEndpoint({ url: tested.url, events: ['turn.open'] });
  await kit.createEndpoint({ url: other.url, events: ['product.created'] });
  const eventId = newId();
  await kit.sql`insert into internal.captured_changes (location_id, resource, operation, resource_ids, after)
    values (${kit.locationId}, 'webhook_endpoint', 'test', array[${endpoint.id}::uuid], array[${{ event_id: eventId }}::jsonb])`;
  await worker.turn();
  const [received] = tested.received;
  expect(received && verify(endpoint.secret, received)).toMatchObject({
    id: eventId,
    type: 'webhook.test',
    data: { endpoint_id: endpoint.id, message: expect.any(String) },
  });
  expect(await kit.statuses()).toEqual(['delivered']);
  expect(other.received).toEqual([]);
});
