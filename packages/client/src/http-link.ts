import type { Operation, OperationResultEnvelope, TRPCClientError } from '@trpc/client';
import { noteAnswer } from './answered.ts';
import { refusalOf } from './refusal.ts';
import type { AppRouter } from './surface.ts';
import { type Answer, ask } from './transport.ts';

/** The service that is asked, and how. @internal */
export interface Service {
  /** The base URL, with a slash at its end. */
  base: URL;
  headers: Record<string, string>;
  send: typeof fetch | undefined;
}

/** An answer of the service to a call. @internal */
export type Envelope = OperationResultEnvelope<unknown, TRPCClientError<AppRouter>>;

/** A call that is sent once. @internal */
export interface Call extends Operation {
  /** Its own, in lower case: calls that differ in these share no request. */
  headers: Record<string, string>;
  /** Gets the answer to it, with any status. */
  hear(answer: Response): void;
}

/** Sends a call once. Rejects with its refusal, `NoConnection` or `StrangeAnswer`. @internal */
export type Send = (call: Call) => Promise<Envelope>;

interface Waiting {
  op: Call;
  settle(answer: Promise<Envelope>): void;
}

/** The service takes no more calls in one request. */
const largestBatch = 10;

// The service takes 16 KiB of headers, the URL among them; proxies on the way often take 8.
const longestUrl = 7_500;

/** Sends calls: queries of the same tick in one request, mutations and quotes each alone, by a body. @internal */
export function createSend({ base, headers, send }: Service): Send {
  let waiting: Waiting[] = [];

  async function alone({ path, input, signal, headers: own, hear }: Call): Promise<Envelope> {
    const body = JSON.stringify(input);
    const url = new URL(`trpc/${path}`, base);
    const { json, ...asked } = await ask(send, url, {
      method: 'POST',
      headers: { ...headers, ...own, 'content-type': 'application/json' },
      signal: signal ?? null,
      ...(body !== undefined && { body }),
    });
    hear(asked.answer);
    return envelope(json, asked);
  }

  const urlOf = (calls: Waiting[]): URL => {
    const paths = calls.map(({ op }) => op.path).join(',');
    const input = encodeURIComponent(JSON.stringify({ ...calls.map(({ op }) => op.input) }));
    return new URL(`trpc/${paths}?batch=1&input=${input}`, base);
  };

  function sendWaiting(): void {
    // Those that were given up wait for nothing any more.
    const calls = waiting.filter(({ op }) => !op.signal?.aborted);
    waiting = [];
    for (let [first] = calls; first !== undefined; [first] = calls) {
      const own = JSON.stringify(first.op.headers);
      const alike = calls.filter(({ op }) => JSON.stringify(op.headers) === own);
      let count = Math.min(alike.length, largestBatch);
      while (count > 1 && urlOf(alike.slice(0, count)).href.length > longestUrl) count -= 1;
      const batch = alike.slice(0, count);
      for (const call of batch) calls.splice(calls.indexOf(call), 1);
      sendBatch(batch, first.op.headers);
    }
  }

  function sendBatch(calls: Waiting[], own: Record<string, string>): void {
    const asked = ask(send, urlOf(calls), {
      headers: { ...headers, ...own },
      signal: whenAllAbort(calls),
    });
    for (const [index, { op, settle }] of calls.entries())
      settle(
        asked.then(({ json, ...to }) => {
          op.hear(to.answer);
          return envelope(Array.isArray(json) ? json[index] : json, to, index);
        }),
      );
  }

  return (op) =>
    new Promise((settle, refuse) => {
      if (op.type === 'subscription') refuse(noSubscription(op));
      // A quote is asked by a body: a long order is more than a URL holds.
      else if (op.type === 'mutation' || op.path === 'orders.quote') settle(alone(op));
      else if (waiting.push({ op, settle }) === 1) setTimeout(sendWaiting);
    });
}

// By types there is none; what calls by path would send it in a batch, whose time ends.
const noSubscription = ({ path }: Operation): Error =>
  new TypeError(`${path} is no subscription of this client: loop over comanda.events.watch()`);

/** The service's answer to one call. Throws its refusal, and `StrangeAnswer` for any other. */
function envelope(json: unknown, asked: Answer, index?: number): Envelope {
  const { result } = (json ?? {}) as { result?: { data?: unknown } | null };
  // No operation answers nothing.
  if (result?.data === undefined) throw refusalOf(json, asked);
  noteAnswer(result.data, asked.answer, index);
  return { result: { type: 'data', data: result.data }, context: { response: asked.answer } };
}

/** The request of a batch ends when all of its calls are given up. */
function whenAllAbort(calls: Waiting[]): AbortSignal {
  const ending = new AbortController();
  let left = calls.length;
  for (const { op } of calls)
    op.signal?.addEventListener('abort', () => {
      if (--left === 0) ending.abort();
    });
  return ending.signal;
}
