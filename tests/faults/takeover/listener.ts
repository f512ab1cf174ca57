import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { listening } from '../../support/listening.ts';

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
export type Listener = Awaited<ReturnType<typeof startListener>>;

/** Starts one on a free port. Signatures are checked by the `standardwebhooks` package. */
export async function startListener() {
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

  const { url, close } = await listening((request, response) => {
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
  return {
    ...{ url: `${url}/hook`, close },
    events,
    faults,
    /** Deliveries of an event that had arrived already. */
    repeats: () => repeats,
    /** The secret is known only once the endpoint is registered. */
    useSecret(secret: string) {
      webhook = new Webhook(secret);
    },
  };
}

/** How many events there are of each type. */
export function countTypes(events: Iterable<{ type: string }>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
