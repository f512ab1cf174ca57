import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { type Answer, callRest, useApi } from '../support/api.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';

const api = useApi();

const text = readFileSync(join(repositoryRoot, 'docs/guides/closing-the-day.md'), 'utf8');
const calls = [
  ...text.matchAll(
    /```http till\n(POST \S+)\n(.*?)\n\n(\{.*?\})\n\nHTTP\/1\.1 (\d+) .*?\n(?:\n(\{.*?\})\n)?```/gs,
  ),
];

/** What a value is made of: names and kinds of what it holds. */
const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
    : typeof value;

it('every call that the guide shows for the till is answered as shown', async () => {
  expect(calls.length).toBeGreaterThan(4);
  const order = await placeOrder(api, await createOrderKitchen(api));
  for (const [, route = '', head = '', body = '', status, answer] of calls) {
    expect(head).toContain('Authorization: Bearer cmd_live_YOUR_KEY\nContent-Type: application/json');
    const input = JSON.parse(body);
    const given: Answer = await callRest(api.url, route, {
      key: api.key.key,
      body: { ...input, ...('id' in input && { id: order.payment.id }) },
    });
    expect([route, String(given.status)], given.text).toEqual([route, status]);
    if (answer === undefined) continue;
    const shown = JSON.parse(answer);
    expect(shapeOf(given.body), route).toEqual(shapeOf(shown));
    if ('error' in shown) {
      const { message, code, data } = given.body.error as typeof shown.error;
      expect({ message, code, reason: data.reason, word: data.code }).toEqual({
        ...{ message: shown.error.message, code: shown.error.code },
        ...{ reason: shown.error.data.reason, word: shown.error.data.code },
      });
    }
  }
});
