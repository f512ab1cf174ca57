// What the bundlers make a script of: both entries of the client.
import { comandaError, createClient, listAll } from '@comanda/client';
import { verifyWebhook } from '@comanda/client/webhooks';

globalThis.work = async ({ url, key, secret, headers, body, now }) => {
  const comanda = createClient({ url, key });
  const names = [];
  for await (const { name } of listAll(comanda.products.list)) names.push(name);
  const made = await comanda.products.create.mutate({ name: 'Tea', description: '', price: 1 });
  const error = await comanda.products.get.query({ id: 'nothing' }).catch((thrown) => thrown);
  const event = await verifyWebhook(secret, headers, body, { now: new Date(now) });
  let live;
  for await (const { type } of comanda.events.watch({ after: '00000000-0000-0000-0000-000000000000' })) {
    live = type;
    break;
  }
  return { names, made: made.name, reason: comandaError(error)?.reason, event: event.id, live };
};
