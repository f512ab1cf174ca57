import { describe, expect, it, onTestFinished } from 'vitest';
import {
  WebhookEndpoint,
  WebhookEndpointPage,
  WebhookEndpointWithSecret,
  WebhookTest,
} from '../../packages/api/src/resources/webhook-endpoints/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { startTestApi, useApi } from '../support/api.ts';
import { parseStrict } from '../support/strict.ts';
import { words } from '../support/words.ts';

const api = useApi();

const valid = { url: 'https://erp.example.com/h', events: ['order.created'] };

async function create(path = '/v2/webhook-endpoints') {
  const answer = await api.rest(`POST ${path}`, { body: valid });
  return { answer, endpoint: dataOf(answer, 201, WebhookEndpointWithSecret) };
}

describe('create', () => {
  it('answers 201 with Location and the secret, which no other answer shows', async () => {
    const { answer, endpoint } = await create();
    expect(answer.headers.get('location')).toBe(`/v2/webhook-endpoints/${endpoint.id}`);
    const secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(endpoint).toMatchObject({ secret, status: 'active' });
    const read = await api.rest(`GET /v2/webhook-endpoints/${endpoint.id}`);
    expect(dataOf(read, 200, WebhookEndpoint)).toEqual({ ...endpoint, secret: undefined });
    expect(read.text).not.toContain('secret');
  });

  it('keeps the secret encrypted at rest', async () => {
    const { endpoint } = await create();
    const rows = await api.prisma.webhookSecret.findMany({ where: { endpointId: endpoint.id } });
    expect(rows).toHaveLength(1);
    const stored = Buffer.from(rows[0]?.sealed ?? []);
    expect(stored.includes(Buffer.from(endpoint.secret))).toBe(false);
    expect(stored.includes(Buffer.from(endpoint.secret.slice(6), 'base64'))).toBe(false);
  });

  it('gives v1 payloads to what is made through v1', async () => {
    const { answer, endpoint } = await create('/v1/webhooks');
    expect(answer.headers.get('location')).toBe(`/v1/webhooks/${endpoint.id}`);
    const row = await api.prisma.webhookEndpoint.findFirst({ where: { id: endpoint.id } });
    expect(row?.apiVersion).toBe('v1');
  });

  it.each([
    ['no url', { url: undefined }, 'url'],
    ['a relative url', { url: '/hooks' }, 'url'],
    ['another scheme', { url: 'ftp://erp.example.com' }, 'url'],
    ['credentials in the url', { url: 'https://a:b@erp.example.com' }, 'url'],
    ['a fragment', { url: 'https://erp.example.com/#a' }, 'url'],
    ['a url that is too long', { url: `https://erp.example.com/${'a'.repeat(2048)}` }, 'url'],
    ['no events', { events: [] }, 'events'],
    ['an unknown event', { events: ['order.eaten'] }, 'events[0]'],
    ['a repeated event', { events: ['order.created', 'order.created'] }, 'events'],
    ['the test event', { events: ['webhook.test'] }, 'events[0]'],
  ])('refuses %s and names the field', async (_what, wrong, field) => {
    const answer = await api.rest('POST /v2/webhook-endpoints', { body: { ...valid, ...wrong } });
    expect(refusalOf(answer, 422, 'validation_error')).toContain(`${field}: `);
  });

  it('refuses the 51st of a location, also when many come at once', async () => {
    const { rest } = await api.place();
    const url = (index: number) => `https://erp.example.com/${index}`;
    const bodies = Array.from({ length: 60 }, (_, index) => ({ url: url(index), events: ['turn.open'] }));
    const answers = await Promise.all(bodies.map((body) => rest('POST /v2/webhook-endpoints', { body })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(10);
  });
});

it('list shows both families the same endpoints, newest first, with pagination', async () => {
  const { endpoint } = await create('/v1/webhooks');
  const v1 = await api.rest('GET /v1/webhooks?limit=200');
  const v2 = await api.rest('GET /v2/webhook-endpoints?limit=200');
  const page = parseStrict(WebhookEndpointPage, v2.body);
  expect(v1.body).toEqual(v2.body);
  expect(page.data[0]?.id).toBe(endpoint.id);
  expect(page.pagination).toEqual({ limit: 200, offset: 0, total: page.data.length });
});

describe('update', () => {
  it('changes only what is present', async () => {
    const { endpoint } = await create();
    const answer = await api.rest(`PATCH /v1/webhooks/${endpoint.id}`, { body: { status: 'disabled' } });
    expect(dataOf(answer, 200, WebhookEndpoint)).toEqual({
      ...endpoint,
      secret: undefined,
      status: 'disabled',
    });
    const row = await api.prisma.webhookEndpoint.findFirst({ where: { id: endpoint.id } });
    expect(row?.apiVersion).toBe('v2');
  });

  it('takes an empty body as no change', async () => {
    const { endpoint } = await create();
    const answer = await api.rest(`PATCH /v2/webhook-endpoints/${endpoint.id}`, { body: {} });
    expect(dataOf(answer, 200, WebhookEndpoint)).toEqual({ ...endpoint, secret: undefined });
  });

  it('refuses null and unknown values', async () => {
    const { endpoint } = await create();
    for (const body of [{ url: null }, { events: null }, { status: 'paused' }]) {
      const answer = await api.rest(`PATCH /v2/webhook-endpoints/${endpoint.id}`, { body });
      expect(answer.status).toBe(422);
    }
  });
});

describe('rotate the secret', () => {
  it('returns a new secret and lets the old one sign for 24 hours', async () => {
    const { endpoint } = await create();
    const answer = await api.rest(`POST /v2/webhook-endpoints/${endpoint.id}/rotate-secret`);
    expect(dataOf(answer, 200, WebhookEndpointWithSecret).secret).not.toBe(endpoint.secret);
    const rows = await api.prisma.webhookSecret.findMany({
      where: { endpointId: endpoint.id },
      orderBy: { createdAt: 'asc' },
    });
    const hours = ((rows[0]?.expiresAt?.getTime() ?? 0) - Date.now()) / 3_600_000;
    expect(rows).toHaveLength(2);
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24.1);
    expect(rows[1]?.expiresAt).toBeNull();
  });

  it('expires every previous secret at once when asked to, also one that was to run out later', async () => {
    const { endpoint } = await create();
    const path = `POST /v2/webhook-endpoints/${endpoint.id}/rotate-secret`;
    expect((await api.rest(path, { body: { expire_previous: false } })).status).toBe(200);
    expect((await api.rest(path, { body: { expire_previous: true } })).status).toBe(200);
    const rows =
      await api.sql`select expires_at is null or expires_at > now() as valid, count(*)::int as count
      from internal.webhook_secrets where endpoint_id = ${endpoint.id} group by 1 order by 1`;
    expect(rows).toEqual([
      { valid: false, count: 2 },
      { valid: true, count: 1 },
    ]);
  });
});

describe('test', () => {
  it('answers 202 with the event that is on its way', async () => {
    const { endpoint } = await create();
    const answer = await api.rest(`POST /v1/webhooks/${endpoint.id}/test`);
    const { event_id } = dataOf(answer, 202, WebhookTest);
    const change = await api.prisma.capturedChange.findFirst({
      where: { resourceIds: { has: endpoint.id }, operation: 'test' },
    });
    expect(change?.after).toEqual([{ event_id }]);
  });

  it('is a conflict for a disabled endpoint', async () => {
    const { endpoint } = await create();
    await api.rest(`PATCH /v2/webhook-endpoints/${endpoint.id}`, { body: { status: 'disabled' } });
    refusalOf(await api.rest(`POST /v2/webhook-endpoints/${endpoint.id}/test`), 409, 'conflict');
  });
});

it('rotations at once leave one current secret; every other one expires', async () => {
  const { endpoint } = await create();
  for (let round = 1; round <= 5; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => api.rest(`POST /v2/webhook-endpoints/${endpoint.id}/rotate-secret`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const rows =
      await api.sql`select expires_at is null as current, count(*)::int as count from internal.webhook_secrets
      where endpoint_id = ${endpoint.id} group by 1 order by 1`;
    expect(rows).toEqual([
      { current: false, count: 4 * round },
      { current: true, count: 1 },
    ]);
  }
});

it('delete answers once, then 404', async () => {
  const { endpoint } = await create();
  const first = await api.rest(`DELETE /v2/webhook-endpoints/${endpoint.id}`);
  expect(first.body).toEqual({ data: { id: endpoint.id, deleted: true } });
  expect((await api.rest(`DELETE /v2/webhook-endpoints/${endpoint.id}`)).status).toBe(404);
  expect((await api.rest(`GET /v2/webhook-endpoints/${endpoint.id}/deliveries`)).status).toBe(404);
});

it('addresses under WEBHOOK_TARGETS=public refuses http and literal addresses that are not public', async () => {
  const strict = await startTestApi({ webhookTargets: 'public' });
  onTestFinished(() => strict.close());
  for (const url of words(`http://erp.example.com https://127.0.0.1/ https://[::1]/ https://2130706433/
      https://localhost/`)) {
    const answer = await strict.rest('POST /v2/webhook-endpoints', { body: { ...valid, url } });
    expect(answer.status, url).toBe(422);
    expect(answer.text).toContain('url: ');
  }
  expect((await strict.rest('POST /v2/webhook-endpoints', { body: valid })).status).toBe(201);
});
