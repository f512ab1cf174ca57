import { type LiveChange, liveList, liveOf } from '@comanda/client/live';
import { useLive } from '@comanda/client/react';
import { fakeClient, type ProcedureOutput, refusal } from '@comanda/testing';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { waitFor } from '../support/wait.ts';

// A screen on live lists, as an application tests it: without a service and without a browser.

type Order = ProcedureOutput<'orders.get'>;
type Status = Order['status'];
const filters = { status: ['pending', 'ready'] as Status[] };

const orders = new Map<string, Order>();
const order = (number: number, status: Status, revision = 1) =>
  ({
    id: `o-${number}`,
    number,
    status,
    revision,
    total: 5,
    items: [],
    payment: { id: `p-${number}`, status: 'pending', amount: 5 },
    created_at: `2026-11-27T12:0${number}:00Z`,
    updated_at: `2026-11-27T12:0${number}:00Z`,
  }) as unknown as Order;
const put = (number: number, status: Status) =>
  orders.set(`o-${number}`, order(number, status, (orders.get(`o-${number}`)?.revision ?? 0) + 1));

const start = () =>
  fakeClient({
    'orders.list': () => {
      const data = [...orders.values()].filter(({ status }) => filters.status.includes(status));
      return { data: data.toReversed(), pagination: { limit: 200, offset: 0, total: data.length } } as never;
    },
    'orders.get': ({ id }) => {
      const found = orders.get(id);
      if (found === undefined) throw refusal({ reason: 'not_found' });
      return found;
    },
    'orders.updateStatus': ({ id, status }) => {
      const found = orders.get(id);
      if (found?.status === 'closed') throw refusal({ reason: 'illegal_move' });
      put(Number(id.slice(2)), status);
      return orders.get(id) as Order;
    },
  });

let fake: ReturnType<typeof start>;
beforeEach(() => {
  orders.clear();
  put(1, 'pending');
  fake = start();
});
afterEach(() => liveOf(fake.client).close());

/** The numbers and statuses that a list shows. */
function shown() {
  const list = liveList(fake.client.orders.list, filters);
  list.subscribe(() => {});
  const view = () =>
    (list.getSnapshot().data ?? []).map(({ number, status }) => `${number} ${status}`).join(', ');
  const shows = (text: string) => waitFor(text, () => list.getSnapshot().state === 'live' && view() === text);
  return { list, view, shows };
}

it('reads, and follows what is emitted', async () => {
  const { shows } = shown();
  await shows('1 pending');
  put(2, 'pending');
  fake.emit({ type: 'order.created', data: orders.get('o-2') as never });
  await shows('2 pending, 1 pending');
  put(1, 'closed');
  fake.emit({ type: 'order.updated', data: orders.get('o-1') as never });
  await shows('2 pending');
});

it('shows a change at once, and takes it back when it is refused', async () => {
  const { list, view, shows } = shown();
  await shows('1 pending');
  const move = list.mutate(fake.client.orders.updateStatus, { id: 'o-1', status: 'ready' });
  await waitFor('the move', () => view() === '1 ready');
  await move;
  await shows('1 ready');
  put(1, 'closed');
  const late = list.mutate(fake.client.orders.updateStatus, { id: 'o-1', status: 'canceled' as never });
  await expect(late).rejects.toThrow();
  await waitFor('the order to leave', () => view() === '');
});

it('keeps a change over an outage, and has what it missed', async () => {
  const { list, view, shows } = shown();
  await shows('1 pending');
  fake.disconnect();
  await waitFor('the loss', () => list.getSnapshot().state === 'offline');
  const move = list.mutate(fake.client.orders.updateStatus, { id: 'o-1', status: 'ready' });
  await waitFor('the move', () => view() === '1 ready');
  const waiting = (): readonly LiveChange[] => liveOf(fake.client).changes();
  expect(waiting()).toHaveLength(1);
  put(2, 'pending');
  fake.reconnect();
  await move;
  await shows('2 pending, 1 ready');
  expect(waiting()).toEqual([]);
});

it('gives a component what the list shows', async () => {
  const { shows } = shown();
  await shows('1 pending');
  function Board() {
    const { data, state } = useLive(fake.client.orders.list, filters);
    return createElement('p', null, `${state}: ${data?.map(({ number }) => number).join()}`);
  }
  expect(renderToString(createElement(Board))).toBe('<p>live: 1</p>');
});
