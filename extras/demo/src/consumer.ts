import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A webhook as it arrived; `verified` says that the independent library accepted its signature. */
export interface ReceivedEvent {
  id: string;
  type: string;
  verified: boolean;
  attempt: string;
  data: Record<string, unknown>;
}

/** An ERP's webhook URL on this machine: acknowledges first, then verifies and keeps each event once. */
export interface Consumer {
  url: string;
  /** Events by id; a repeated delivery changes nothing. */
  received: ReadonlyMap<string, ReceivedEvent>;
  /** The secret is known only once the endpoint is registered. */
  useSecret(secret: string): void;
  close(): Promise<void>;
}

/** Starts one on a free loopback port. */
export async function startConsumer(): Promise<Consumer> {
  const received = new Map<string, ReceivedEvent>();
  let webhook: Webhook | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(204).end();
      const body = Buffer.concat(chunks).toString('utf8');
      const event = JSON.parse(body) as { id: string; type: string; data: Record<string, unknown> };
      const headers = request.headers as Record<string, string>;
      received.set(event.id, {
        ...event,
        verified: verify(webhook, body, headers),
        attempt: headers['x-comanda-attempt'] ?? '',
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/comanda`,
    received,
    useSecret(secret) {
      webhook = new Webhook(secret);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function verify(webhook: Webhook | undefined, body: string, headers: Record<string, string>): boolean {
  try {
    webhook?.verify(body, headers);
    return webhook !== undefined;
  } catch {
    return false;
  }
}
