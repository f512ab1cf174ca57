import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { comandaError } from '@comanda/client';
import { verifyWebhook } from '@comanda/client/webhooks';
import { fakeClient, refusal, signTestEvent, startComanda } from '@comanda/testing';

/** The subject of this test: your own receiver, and its effect. */
async function receive(secret, request) {
  const event = await verifyWebhook(secret, request.headers, await request.text());
  return event.type === 'order.status_changed' ? event.data.status : undefined;
}

async function cancel(comanda, id) {
  try {
    return (await comanda.orders.cancel.mutate({ id })).status;
  } catch (error) {
    return comandaError(error)?.reason;
  }
}

let comanda;
before(async () => {
  comanda = await startComanda();
});
after(() => comanda.stop());

test('a receiver takes what is signed, and nothing that is old', async () => {
  const data = { id: 'o-1', previous_status: 'pending', status: 'ready' };
  const post = ({ headers, body }) => new Request('http://localhost/hook', { method: 'POST', headers, body });
  const fresh = signTestEvent({ type: 'order.status_changed', data });
  assert.equal(await receive(fresh.secret, post(fresh)), 'ready');
  const old = signTestEvent(
    { type: 'order.status_changed', data },
    { sentAt: new Date(Date.now() - 600_000) },
  );
  await assert.rejects(receive(old.secret, post(old)), { reason: 'old_timestamp' });
});

test('what cannot be canceled says why, without a service', async () => {
  const { client } = fakeClient({
    'orders.cancel': () => {
      throw refusal({ reason: 'illegal_move' });
    },
  });
  assert.equal(await cancel(client, 'o-1'), 'illegal_move');
});

test('what there is not, there is not at the service either', async () => {
  const { client } = await comanda.newLocation({ catalog: 'none' });
  assert.equal(await cancel(client, '01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d'), 'not_found');
});
