import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useClosed } from './use.ts';

/** A delivery as a consumer saw it. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: Record<string, unknown>;
}

/** The consumer's response to the nth delivery, counted from 1. */
export type Answerer = (received: Received, response: ServerResponse, nth: number) => void;

/** A consumer on loopback that keeps what it gets. */
export interface RecordingConsumer {
  url: string;
  received: Received[];
  /** Resolves once so many have arrived. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** One for the tests of a file. */
export const useConsumer = (answer?: Answerer): RecordingConsumer => useClosed(() => startConsumer(answer));

/** Starts one, at a free port unless said; `answer` answers, 200 unless given. */
export async function startConsumer(
  answer: Answerer = (_, response) => response.end('ok'),
  port = 0,
): Promise<RecordingConsumer> {
  const received: Received[] = [];
  const arrivals = new EventEmitter().setMaxListeners(0);
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    const one = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) };
    received.push(one);
    answer(one, response, received.length);
    arrivals.emit('arrival');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    received,
    async arrived(count) {
      while (received.length < count) await once(arrivals, 'arrival');
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
