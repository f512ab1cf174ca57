import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { certificates } from './certificates.ts';

/** Something that listens on loopback and counts who comes. */
export interface Consumer {
  port: number;
  url: string;
  /** Connections accepted. */
  readonly connections: number;
  /** Resolves when the first connection is closed, from whichever side. */
  firstClosed: Promise<void>;
  close(): Promise<void>;
}

/** A consumer that speaks what `handle` writes, byte by byte. It reads and drops what it is sent. */
export function rawConsumer(handle: (socket: Socket) => void, host = '127.0.0.1'): Promise<Consumer> {
  return listen(
    createServer((socket) => {
      socket.resume();
      handle(socket);
    }),
    'http',
    host,
  );
}

/** A consumer that answers as any web server does. */
export function httpConsumer(handle: RequestListener): Promise<Consumer> {
  return listen(createHttpServer(handle), 'http', '127.0.0.1');
}

/** The same over TLS, as `localhost`, with one of our certificates. */
export function httpsConsumer(
  certificate: 'valid' | 'expired',
  handle: RequestListener = (_, response) => response.end('secure'),
  maxVersion: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3',
): Promise<Consumer> {
  const server = createHttpsServer(
    { cert: certificates[certificate], key: certificates.key, maxVersion },
    handle,
  );
  return listen(server, 'https', '127.0.0.1');
}

/** Waits until the request's head and body of a raw connection have arrived, then writes. */
export function answering(text: string, then?: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) =>
    void socket.once('data', () => {
      socket.write(text);
      then?.(socket);
    });
}

/** Writes a piece every few milliseconds until the other side hangs up. */
export function drip(piece: string): (socket: Socket) => void {
  return (socket) => {
    const timer = setInterval(() => socket.write(piece), 20);
    socket.once('close', () => clearInterval(timer));
  };
}

async function listen(server: Server, scheme: string, host: string): Promise<Consumer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let onFirstClosed = () => {};
  const firstClosed = new Promise<void>((resolve) => {
    onFirstClosed = resolve;
  });
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      onFirstClosed();
    });
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${scheme}://127.0.0.1:${port}/hook`,
    get connections() {
      return connections;
    },
    firstClosed,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Closes it when the test is finished. */
export async function using<T extends { close(): Promise<void> }>(thing: T | Promise<T>): Promise<T> {
  const started = await thing;
  onTestFinished(() => started.close());
  return started;
}
