import { type ComandaClient, comandaError, noAnswer } from '@comanda/client';
import { fakeClient, refusal, unanswered } from '@comanda/testing';
import { expect, test } from 'vitest';

/** The subject of this test: a board that follows the orders, and moves one. */
async function follow(
  comanda: ComandaClient,
  show: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const onState = ({ status }: { status: string }) => show(status);
  for await (const event of comanda.events.watch({ types: ['order.status_changed'] }, { signal, onState }))
    if (event.type === 'order.status_changed') show(`${event.data.id} is ${event.data.status}`);
}

async function move(comanda: ComandaClient, id: string): Promise<string> {
  try {
    return (await comanda.orders.updateStatus.mutate({ id, status: 'ready' })).status;
  } catch (error) {
    return comandaError(error)?.reason ?? noAnswer(error) ?? 'an error of the application';
  }
}

test('the board shows what happens, and that it is cut off', async () => {
  const { client, emit, disconnect, reconnect } = fakeClient({});
  const shown: string[] = [];
  const stop = new AbortController();
  const following = follow(client, (line) => shown.push(line), stop.signal);
  await expect.poll(() => shown).toEqual(['connecting', 'live']);
  disconnect();
  await expect.poll(() => shown).toContain('waiting');
  emit({ type: 'order.status_changed', data: { id: 'o-1', previous_status: 'pending', status: 'ready' } });
  reconnect();
  await expect.poll(() => shown).toContain('o-1 is ready');
  stop.abort();
  await following;
});

test('a move that is refused, or has no answer, says why', async () => {
  const { client } = fakeClient({
    'orders.updateStatus': ({ id }) => {
      throw id === 'o-1' ? refusal({ reason: 'illegal_move' }) : unanswered('timeout');
    },
  });
  expect(await move(client, 'o-1')).toBe('illegal_move');
  expect(await move(client, 'o-2')).toBe('timeout');
});

test('what the service would refuse, the fake refuses', async () => {
  const { client } = fakeClient({});
  const asked = client.products.create.mutate({ name: 'Tea', description: '', price: 1.005 });
  await expect(asked).rejects.toThrow('price: must have at most 2 decimals');
});
