import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { digestOf } from './digest.ts';

/** One arrival of an event. */
export interface Arrival {
  /** The number of the attempt, as the sender counts it. */
  attempt: number;
  /** By `performance.now()`. */
  at: number;
  /** The answer; undefined while there is none, or when the sender was gone first. */
  status?: number;
}

/** An event as one endpoint got it, however often. */
export interface Receipt {
  eventId: string;
  type: string;
  /** Of the body; a second arrival with another one is a fault. */
  digest: string;
  arrivals: Arrival[];
}

/** The consumer's reaction to an arrival; 204 at once by default. */
export type Manners = (receipt: Receipt) => { afterMs?: number; status?: number };

/** A webhook consumer that keeps a record of its own. Signatures are checked by the `standardwebhooks` package. */
export interface Consumer {
  /** The URL to register; every endpoint has a path of its own under it. */
  hookUrl(name: string): string;
  useSecret(name: string, secret: string): void;
  /** By `${name of the endpoint} ${event id}`. */
  receipts: ReadonlyMap<string, Receipt>;
  /** A signature that does not verify, a header that is wrong, a repeat with another body. */
  faults: string[];
  /** Arrivals that wait for their answer. */
  inHand(): { receipt: Receipt; arrival: Arrival }[];
  behave(manners: Manners): void;
  close(): Promise<void>;
}

/** Starts one on a free loopback port. */
export async function startConsumer(): Promise<Consumer> {
  const receipts = new Map<string, Receipt>();
  const faults: string[] = [];
  const webhooks = new Map<string, Webhook>();
  const inHand = new Set<{ receipt: Receipt; arrival: Arrival }>();
  let manners: Manners = () => ({});

  const receive = (name: string, text: string, { headers }: IncomingMessage): Receipt => {
    const { id, type } = JSON.parse(text) as { id: string; type: string };
    const receipt = receipts.get(`${name} ${id}`) ?? {
      eventId: id,
      type,
      digest: digestOf(text),
      arrivals: [],
    };
    receipts.set(`${name} ${id}`, receipt);
    if (receipt.digest !== digestOf(text)) faults.push(`${type} ${id} came again with another body`);
    if (headers['webhook-id'] !== id || headers['x-comanda-event-id'] !== id)
      faults.push(`${type} ${id} came under the id ${headers['webhook-id']}`);
    try {
      const webhook = webhooks.get(name);
      if (webhook === undefined) throw new Error('came before the secret was known');
      webhook.verify(text, headers as Record<string, string>);
    } catch (error) {
      faults.push(`${type} ${id}: ${String(error)}`);
    }
    return receipt;
  };

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // The sender died in the middle: nothing has arrived.
      return;
    }
    const name = (request.url ?? '').slice('/hook/'.length);
    const receipt = receive(name, Buffer.concat(chunks).toString('utf8'), request);
    const arrival: Arrival = { attempt: Number(request.headers['x-comanda-attempt']), at: performance.now() };
    receipt.arrivals.push(arrival);
    const held = { receipt, arrival };
    inHand.add(held);
    response.on('close', () => inHand.delete(held));
    const { afterMs = 0, status = 204 } = manners(receipt);
    if (afterMs > 0) await sleep(afterMs);
    if (response.destroyed) return;
    arrival.status = status;
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    hookUrl: (name) => `http://127.0.0.1:${port}/hook/${name}`,
    useSecret: (name, secret) => void webhooks.set(name, new Webhook(secret)),
    receipts,
    faults,
    inHand: () => [...inHand],
    behave(next) {
      manners = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
