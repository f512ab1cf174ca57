import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** An event as it arrived: the envelope of the specification. */
export interface HeardEvent {
  id: string;
  type: string;
  api_version: string;
  created_at: string;
  location_id: string;
  data: Record<string, unknown>;
}

/** A webhook consumer on loopback that acknowledges first, and keeps each event once. */
export interface Listener {
  url: string;
  /** By event id. */
  events: ReadonlyMap<string, HeardEvent>;
  /** Everything that was not as promised: a signature, a header, a repeat with other bytes. */
  faults: readonly string[];
  /** Deliveries of an event that had arrived already. */
  repeats(): number;
  /** The secret is known only once the endpoint is registered. */
  useSecret(secret: string): void;
  close(): Promise<void>;
}

/** Starts one on a free port. Signatures are checked by the `standardwebhooks` package. */
export async function startListener(): Promise<Listener> {
  const events = new Map<string, HeardEvent>();
  const texts = new Map<string, string>();
  const faults: string[] = [];
  let repeats = 0;
  let webhook: Webhook | undefined;

  const hear = (text: string, headers: IncomingHttpHeaders) => {
    const event = JSON.parse(text) as HeardEvent;
    if (webhook === undefined) throw new Error('came before the secret was known');
    webhook.verify(text, headers as Record<string, string>);
    for (const [header, value] of [
      ['webhook-id', event.id],
      ['x-comanda-event-id', event.id],
      ['x-comanda-event-type', event.type],
      ['content-type', 'application/json'],
    ] as const) {
      if (headers[header] !== value) throw new Error(`${header} is ${String(headers[header])}`);
    }
    const known = texts.get(event.id);
    if (known !== undefined) repeats += 1;
    if (known !== undefined && known !== text) throw new Error(`${event.id} came again with other bytes`);
    texts.set(event.id, text);
    events.set(event.id, event);
  };

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    // A worker that is killed in the middle breaks off.
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(204).end();
      const text = Buffer.concat(chunks).toString('utf8');
      try {
        hear(text, request.headers);
      } catch (error) {
        faults.push(`${String(error)}: ${text.slice(0, 200)}`);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    events,
    faults,
    repeats: () => repeats,
    useSecret(secret) {
      webhook = new Webhook(secret);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** How many events there are of each type. */
export function countTypes(events: Iterable<{ type: string }>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
