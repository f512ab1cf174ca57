import { webhookHeaders } from '@comanda/worker/webhook-headers';
import { version } from '../package.json';
import { type Answer, exchange, NoAnswerError } from './exchange.ts';
import type { FeedEvent } from './feed.ts';
import type { Terminal } from './terminal.ts';

/** Where deliveries go, and how. */
export interface Receiver {
  url: URL;
  /** `whsec_…` */
  secret: string;
  /** Whether bodies are shown, too. */
  verbose: boolean;
}

/** Sends an event once, as the service would, and gives the answer, or why there was none. */
export async function deliver(
  { url, secret }: Receiver,
  event: FeedEvent,
  attempt: number,
): Promise<Delivery> {
  const body = JSON.stringify(event);
  const headers = webhookHeaders({
    eventId: event.id,
    eventType: event.type,
    attempt,
    timestampSeconds: Math.floor(Date.now() / 1000),
    secrets: [secret],
    body,
    version,
  });
  const began = performance.now();
  const answer = await exchange(url, { ...limits, method: 'POST', headers, body }).catch((error: unknown) => {
    if (error instanceof NoAnswerError) return error;
    throw error;
  });
  return { event, answer, ms: Math.round(performance.now() - began) };
}

/** The outcome of a delivery. */
export interface Delivery {
  event: FeedEvent;
  answer: Answer | NoAnswerError;
  ms: number;
}

/** The service waits as long for an answer, and reads no more of it. */
const limits = { timeoutMs: 30_000, mostBytes: 64 * 1024 };

/** Whether it was delivered: 2xx, and nothing else. */
export const isDelivered = ({ answer }: Delivery): boolean =>
  !(answer instanceof NoAnswerError) && answer.status >= 200 && answer.status < 300;

/** Prints the exchange in one line: type, id, status, ms; with `verbose` what was sent and what was answered. */
export function show(delivery: Delivery, { verbose }: Receiver, terminal: Terminal, more = ''): void {
  const { event, answer, ms } = delivery;
  const status = answer instanceof NoAnswerError ? answer.message : answer.status;
  terminal.say(`${event.type.padEnd(20)}  ${event.id}  ${status}  ${ms} ms${more}`);
  if (!verbose) return;
  terminal.say(`  > ${JSON.stringify(event)}`);
  if (!(answer instanceof NoAnswerError) && answer.text !== '')
    terminal.say(`  < ${answer.text.slice(0, 1024)}`);
}
