import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { digestOf } from '../faults/support/digest.ts';
import type { JournalLine } from './journal.ts';
import { mannersFor } from './manners.ts';

/** The soak's instructions to its consumer; the first time before it listens. */
export interface ConsumerOrders {
  /** Signing secrets by the name of the endpoint. */
  secrets: Record<string, string>;
  /** Whether it refuses and dawdles as `mannersFor` says, or takes everything at once. */
  fussy: boolean;
}

// A webhook consumer in a process of its own, for `npm test -- --suite soak`: node dist/soak-consumer.js PORT JOURNAL. Each delivery
// is in the journal before it is answered, so that being killed loses none of them.
const [port = '0', journal = ''] = process.argv.slice(2);
const webhooks = new Map<string, Webhook>();
let fussy = false;

const faultOf = (webhook: Webhook, text: string, headers: IncomingMessage['headers'], id: string) => {
  if (headers['webhook-id'] !== id || headers['x-comanda-event-id'] !== id)
    return `came under the id ${headers['webhook-id']}`;
  try {
    webhook.verify(text, headers as Record<string, string>);
    return undefined;
  } catch (error) {
    return String(error);
  }
};

// Events of an endpoint can arrive before the program that registers it has read the answer.
const secretOf = async (name: string) => {
  for (let patience = 0; patience < 100 && !webhooks.has(name); patience++) await sleep(100);
  return webhooks.get(name);
};

const server = createServer(async (request, response) => {
  const at = Date.now();
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // The sender died in the middle: nothing has arrived.
    return;
  }
  const name = (request.url ?? '').slice('/hook/'.length);
  const text = Buffer.concat(chunks).toString('utf8');
  const { id, type } = JSON.parse(text) as { id: string; type: string };
  const attempt = Number(request.headers['x-comanda-attempt']);
  const webhook = await secretOf(name);
  const fault = webhook === undefined ? 'came without a secret' : faultOf(webhook, text, request.headers, id);
  const { afterMs, status } = fussy ? mannersFor(id, attempt) : { afterMs: 0, status: 204 };
  if (afterMs > 0) await sleep(afterMs);
  const line: JournalLine = {
    ...{ name, id, type, digest: digestOf(text), attempt, at },
    ...(fault !== undefined && { fault }),
    ...(!response.destroyed && { status }),
  };
  appendFileSync(journal, `${JSON.stringify(line)}\n`);
  if (!response.destroyed) response.writeHead(status).end();
});

process.on('disconnect', () => process.exit(0));
process.on('message', (orders: ConsumerOrders) => {
  fussy = orders.fussy;
  for (const [name, secret] of Object.entries(orders.secrets))
    if (!webhooks.has(name)) webhooks.set(name, new Webhook(secret));
});
await once(process, 'message');
// After a death in the middle of a line.
appendFileSync(journal, '\n');
server.listen(Number(port), '127.0.0.1');
await once(server, 'listening');
process.send?.({ ready: true, port: (server.address() as AddressInfo).port });
