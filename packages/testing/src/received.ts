import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ComandaClient, ComandaEvent, ComandaEventOf, EventType } from '@comanda/client';
import {
  verifyWebhook,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from '@comanda/client/webhooks';
import type { ReceivedTypes } from './messages.ts';

/** The receiver's address and answers; everything can be left out. */
export interface ReceiveOptions {
  /** The types that the endpoint asks for; all unless given. */
  types?: ReceivedTypes;
  /** The status that the nth delivery, counted from 1, is answered with; 204 unless given. */
  answer?: ((event: ComandaEvent, nth: number) => number | Promise<number>) | undefined;
}

/** A delivery that was not to be trusted. */
export interface RefusedDelivery {
  reason: WebhookVerificationReason;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

/** A receiver on loopback, registered as an endpoint of the location. */
export interface ReceivedEvents {
  endpointId: string;
  /** Where it listens; a signed delivery of your own may be posted there as well. */
  url: string;
  /** The signing secret of the endpoint. */
  secret: string;
  /** The verified deliveries, in their order, repeats included. */
  events: readonly ComandaEvent[];
  /** The deliveries that failed verification; each was answered with 400. */
  refused: readonly RefusedDelivery[];
  /**
   * The first event of that type, or that the function takes, that `next` has not given before; waits for it, 10 s unless
   * `timeoutMs` says otherwise. Throws {Error} that names what came instead.
   */
  next<Type extends EventType>(type: Type, options?: { timeoutMs?: number }): Promise<ComandaEventOf<Type>>;
  next(takes: (event: ComandaEvent) => boolean, options?: { timeoutMs?: number }): Promise<ComandaEvent>;
  /** Deletes the endpoint and listens no more. */
  close(): Promise<void>;
}

/** Starts a receiver and registers it. */
export async function receiveEvents(
  client: ComandaClient,
  { types, answer = () => 204 }: ReceiveOptions & { types: ReceivedTypes },
): Promise<ReceivedEvents> {
  const events: ComandaEvent[] = [];
  const refused: RefusedDelivery[] = [];
  const given = new Set<ComandaEvent>();
  const waiting = new Set<() => void>();
  let secret = '';
  let nth = 0;

  async function take(request: IncomingMessage): Promise<number> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    try {
      const event = await verifyWebhook(secret, request.headers, body);
      events.push(event);
      nth += 1;
      for (const look of waiting) look();
      return await answer(event, nth);
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      refused.push({ reason: error.reason, headers: request.headers, body });
      return 400;
    }
  }

  const server = createServer((request, response) => {
    take(request).then(
      (status) => response.writeHead(status).end(),
      // An answer that throws is what a receiver's bug is to the service.
      () => response.writeHead(500).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A test that forgets to close it ends even so.
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const endpoint = await client.webhookEndpoints.create.mutate({ url, events: types });
  secret = endpoint.secret;

  async function next(
    wanted: EventType | ((event: ComandaEvent) => boolean),
    { timeoutMs = 10_000 }: { timeoutMs?: number } = {},
  ): Promise<ComandaEvent> {
    const takes = typeof wanted === 'function' ? wanted : ({ type }: ComandaEvent) => type === wanted;
    const find = () => events.find((event) => !given.has(event) && takes(event));
    const found = find() ?? (await arrival(find, timeoutMs));
    if (found !== undefined) {
      given.add(found);
      return found;
    }
    const what = typeof wanted === 'function' ? 'event that the function takes' : wanted;
    const came = events.filter((event) => !given.has(event)).map(({ type }) => type);
    throw new Error(`no ${what} within ${timeoutMs} ms; other deliveries: ${came.join(', ') || 'nothing'}`);
  }

  function arrival<Found>(find: () => Found | undefined, timeoutMs: number): Promise<Found | undefined> {
    return new Promise((resolve) => {
      const end = (found: Found | undefined) => {
        clearTimeout(timer);
        waiting.delete(look);
        resolve(found);
      };
      const look = () => {
        const found = find();
        if (found !== undefined) end(found);
      };
      const timer = setTimeout(() => end(undefined), timeoutMs);
      waiting.add(look);
    });
  }

  return {
    endpointId: endpoint.id,
    url,
    secret,
    events,
    refused,
    next: next as ReceivedEvents['next'],
    async close() {
      await client.webhookEndpoints.delete.mutate({ id: endpoint.id });
      server.closeAllConnections();
      server.close();
    },
  };
}
