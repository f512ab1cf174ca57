import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RecordedCall, startNaming } from './recorded-calls.ts';

/** A proxy before the service: one call at a time, so that the record is in the order of the calls. */
export interface RecordingFront {
  url: string;
  /** The calls recorded so far. */
  calls: RecordedCall[];
  /** The next call that looks like this is done, and its answer lost when `then` is. */
  loseAnswer(call: RegExp, then: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Starts one. `who` has the name of each key; `hook` is where webhooks go. */
export async function startRecordingFront(
  target: string,
  who: Readonly<Record<string, string>>,
  hook: string,
): Promise<RecordingFront> {
  const calls: RecordedCall[] = [];
  const name = startNaming(hook);
  let loss: { call: RegExp; lost: () => Promise<void> } | undefined;
  let line: Promise<unknown> = Promise.resolve();
  const pass = async (asked: IncomingMessage, body: string) => {
    const { method = 'GET', url = '/', headers } = asked;
    const sent = ['authorization', 'content-type', 'idempotency-key'].flatMap(
      (header): [string, string][] => {
        const value = headers[header];
        return typeof value === 'string' ? [[header, value]] : [];
      },
    );
    const response = await fetch(target + url, { method, headers: sent, ...(body !== '' && { body }) });
    const text = await response.text();
    const key = headers['idempotency-key'];
    const call: RecordedCall = {
      who: who[String(headers.authorization).replace('Bearer ', '')] ?? 'nobody',
      call: `${method} ${name(decodeURIComponent(url))}`,
      ...(typeof key === 'string' && { key: name(key) }),
      ...(body !== '' && { body: JSON.parse(name(body)) as unknown }),
      status: response.status,
      answer: JSON.parse(name(text)) as unknown,
    };
    if (!isIdle(call)) calls.push(call);
    return { response, text, call };
  };
  const server = createServer(async (asked, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk as Buffer);
    const mine = line.then(() => pass(asked, Buffer.concat(chunks).toString('utf8')));
    line = mine.catch(() => {});
    const done = await mine.catch(() => undefined);
    if (done === undefined) return answer.destroy();
    const { response, text, call } = done;
    if (loss?.call.test(call.call)) {
      const { lost } = loss;
      loss = undefined;
      await lost();
      return answer.destroy();
    }
    const own = ['content-encoding', 'content-length', 'transfer-encoding', 'connection', 'keep-alive'];
    const kept = [...response.headers].filter(([header]) => !own.includes(header));
    answer.writeHead(response.status, Object.fromEntries(kept));
    return answer.end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    loseAnswer: (call, then) =>
      new Promise((resolve) => {
        loss = {
          call,
          lost: async () => {
            await then();
            resolve();
          },
        };
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A look at the feed that found nothing: how many there are depends on the clock. */
const isIdle = ({ call, answer }: RecordedCall) =>
  call.startsWith('GET /v2/events?') &&
  !call.includes('latest') &&
  (answer as { data?: unknown[] }).data?.length === 0;
