import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { beforeAll, expect, test, vi } from 'vitest';
import { grants } from '../../../packages/api/src/permissions.ts';
import { keyOfErp } from '../../../tests/docs/erp-key.ts';
import { callRest } from '../../../tests/support/api.ts';
import { useConsumer } from '../../../tests/support/consumer.ts';
import { operations } from '../../../tests/support/documented.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { waitFor } from '../../../tests/support/wait.ts';
import { middayZone, playedCalls } from './day.ts';
import { Bindings, isRecord, type RecordedCall } from './recorded-calls.ts';

// The day that extras/tryton/tests/tryton.test.ts recorded, played again: no Python and no Tryton are needed. An answer that is another
// one than the connector for Tryton was answered with is named by its path.

vi.setConfig({ testTimeout: 120_000 });

const api = usePublishingApi();
const consumer = useConsumer();
const calls = JSON.parse(readFileSync(join(repositoryRoot, playedCalls), 'utf8')) as RecordedCall[];
const keys = new Map<string, string>();

beforeAll(async () => {
  const locationId = await api.make.location({ timezone: middayZone() });
  await api.make.paymentMethod({ locationId });
  const permissions = { connector: keyOfErp(), till: ['*' as const] };
  for (const [who, granted] of Object.entries(permissions))
    keys.set(who, (await api.make.key({ locationId, permissions: granted })).key);
});

/** Types of events, with the fields that all of a type have: an event may show what came a moment later, too. */
class Heard {
  readonly fields = new Map<string, string[]>();

  /** Takes a page of the feed. */
  add(page: unknown): void {
    if (!isRecord(page) || !Array.isArray(page.data)) return;
    for (const { type, data } of page.data) {
      const names = Object.keys(data).sort();
      this.fields.set(type, this.fields.get(type)?.filter((name) => names.includes(name)) ?? names);
    }
  }
}

/** The settlement that a webhook named. */
const settled = () =>
  waitFor('the webhook of the settlement', () => {
    const found = consumer.received.find(({ body }) => body.type === 'settlement.created');
    return isRecord(found?.body.data) && String(found.body.data.id);
  });

test('every call of the connector for Tryton is answered as it was when it was recorded', async () => {
  const bindings = new Bindings();
  bindings.set('hook', consumer.url);
  let cursor = 'latest';
  const heard = { recorded: new Heard(), here: new Heard() };
  for (const [index, { who, call, key, body, status, answer }] of calls.entries()) {
    const isFeed = call.startsWith('GET /v2/events?');
    // How far the feed was at a moment depends on the clock: what it brought until then is compared.
    if (isFeed) await api.published();
    // A webhook said which.
    const [, settlement] = /\/v2\/settlements\/<(\d+)>/.exec(call) ?? [];
    if (settlement !== undefined) bindings.set(settlement, await settled());
    const route = bindings.fill(isFeed ? call.replace(/after=[^&]*/, `after=${cursor}`) : call);
    const answered = await callRest(api.url, route, {
      key: keys.get(who) ?? '',
      headers: key === undefined ? {} : { 'idempotency-key': bindings.fill(key) },
      ...(body !== undefined && { body: JSON.parse(bindings.fill(JSON.stringify(body))) as unknown }),
    });
    // In the restaurant it is the day of its orders.
    const made = isRecord(answered.body.data) ? answered.body.data.created_at : undefined;
    if (call === 'POST /v2/orders' && typeof made === 'string') bindings.set('day', made.slice(0, 10));
    const where = `call ${index}, ${who}: ${call}`;
    expect(answered.status, `${where}: ${answered.text}`).toBe(status);
    if (isFeed) {
      const { next } = answered.body.pagination as { next?: string };
      cursor = next ?? cursor;
      heard.recorded.add(answer);
      heard.here.add(answered.body);
      for (const type of heard.recorded.fields.keys())
        expect([...heard.here.fields.keys()], where).toContain(type);
    } else expect(bindings.unlike(answer, answered.body), where).toEqual([]);
  }
  for (const [type, fields] of heard.recorded.fields)
    expect(heard.here.fields.get(type), type).toEqual(fields);
});

test('it was a whole day: catalog, stock, orders, statuses, a settlement, and repeats after kills', () => {
  const count = (pattern: RegExp, by = 'connector') =>
    calls.filter(({ who, call }) => who === by && pattern.test(call)).length;
  expect(count(/^POST \/v2\/catalog\/sync/)).toBeGreaterThan(2);
  expect(count(/^POST \/v2\/stock\/sync/)).toBe(2);
  expect(count(/stock\/adjust/)).toBeGreaterThan(4);
  expect(count(/^GET \/v2\/orders\/.*snapshot/)).toBeGreaterThan(8);
  expect(count(/^PATCH \/v2\/orders\/.*status/)).toBeGreaterThan(8);
  expect(count(/^POST \/v2\/orders\/.*cancel/)).toBe(1);
  expect(count(/^GET \/v2\/settlements\/.*entries/)).toBeGreaterThan(0);
  expect(count(/^GET \/v2\/sales-reports/)).toBe(1);
  expect(count(/^POST \/v2\/orders$/, 'till')).toBeGreaterThan(8);
  const keyed = calls.flatMap(({ key }) => key ?? []);
  expect(keyed.length - new Set(keyed).size).toBeGreaterThan(1);
});

test('the key of the guide has the permissions that these calls need, and none besides', () => {
  const needed = calls
    .filter(({ who }) => who === 'connector')
    .flatMap(({ call }) => {
      const [method, path = ''] = call.split('?')[0]?.split(' ') ?? [];
      const found = operations.flatMap(({ meta, routes }) =>
        routes
          .filter((route) => route.method === method && matches(route.path, path))
          .map(() => meta.permission ?? []),
      );
      expect(found.length, call).toBeGreaterThan(0);
      return found[0] ?? [];
    });
  const granted = new Set<string>(keyOfErp());
  expect(needed.filter((permission) => !grants(granted, permission))).toEqual([]);
  expect([...granted].filter((permission) => !needed.some((each) => each === permission))).toEqual([]);
});

/** The most particular path comes first in the table of operations, or takes no other's calls. */
const matches = (pattern: string, path: string) =>
  new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
