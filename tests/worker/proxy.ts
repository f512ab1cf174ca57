import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to the database that can be cut. */
export interface DatabaseProxy {
  /** The database's URL by way of the proxy. */
  url: string;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  /** Forwards nothing more, in either direction or only no answers, and refuses nothing: packets just vanish. */
  swallow(what: 'everything' | 'answers'): void;
  /** Breaks every connection, and takes new ones without ever saying a word to them. */
  mute(): void;
  /** Forwards nothing more on the connections that there are; new ones are let through. */
  strand(): void;
  /** Forwards each answer so many milliseconds later. */
  lag(ms: number): void;
  /** Lets new connections through again, and what was swallowed. */
  mend(): void;
  /** Connections refused so far. */
  refused(): number;
  close(): Promise<void>;
}

/** Starts a proxy in front of the database that `url` names. */
export async function startProxy(url: string): Promise<DatabaseProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const pairs = new Set<{ socket: Socket; upstream: Socket }>();
  let isCut = false;
  let isMute = false;
  let swallowed: 'everything' | 'answers' | undefined;
  let refused = 0;
  let lagMs = 0;
  const server = createServer((socket) => {
    if (isCut) {
      refused += 1;
      socket.destroy();
      return;
    }
    if (isMute) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
      socket.resume();
      return;
    }
    const upstream = connect(Number(target.port || 5432), target.hostname);
    const pair = { socket, upstream };
    pairs.add(pair);
    for (const end of [socket, upstream]) {
      sockets.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        sockets.delete(end);
        pairs.delete(pair);
        socket.destroy();
        upstream.destroy();
      });
    }
    socket.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => {
      if (lagMs === 0) socket.write(chunk);
      else setTimeout(() => socket.write(chunk), lagMs);
    });
    hold(pair);
  });
  const hold = ({ socket, upstream }: { socket: Socket; upstream: Socket }) => {
    if (swallowed === 'everything') socket.pause();
    else socket.resume();
    if (swallowed !== undefined) upstream.pause();
    else upstream.resume();
  };
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    cut() {
      isCut = true;
      breakAll();
    },
    swallow(what) {
      swallowed = what;
      for (const pair of pairs) hold(pair);
    },
    mute() {
      isMute = true;
      breakAll();
    },
    strand() {
      for (const { socket, upstream } of pairs) {
        socket.pause();
        upstream.pause();
      }
    },
    lag(ms) {
      lagMs = ms;
    },
    mend() {
      isCut = false;
      isMute = false;
      swallowed = undefined;
      for (const pair of pairs) hold(pair);
    },
    refused: () => refused,
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
