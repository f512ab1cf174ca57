import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy port before a database. */
export interface Gate {
  /** The database's URL, through the gate. */
  url: string;
  /** Listens; what connects is passed on. */
  open(): Promise<void>;
  /** Listens no more, and breaks off what is connected. */
  shut(): Promise<void>;
}

/** Makes one at a free port of loopback, shut. `accept` serves a connection in place of passing it on. */
export async function makeGate(url: string, accept = passTo(url)): Promise<Gate> {
  const sockets = new Set<Socket>();
  const gate: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    accept(socket);
  });
  await once(gate.listen(0, '127.0.0.1'), 'listening');
  const { port } = gate.address() as AddressInfo;
  const shut = async () => {
    for (const socket of sockets) socket.destroy();
    if (gate.listening) await new Promise((resolve) => gate.close(resolve));
  };
  await shut();
  const gated = new URL(url);
  gated.host = `127.0.0.1:${port}`;
  return {
    url: gated.href,
    open: async () => void (await once(gate.listen(port, '127.0.0.1'), 'listening')),
    shut,
  };
}

/** Passes connections on to the database. */
export const passTo = (url: string) => (socket: Socket) => {
  const { hostname, port } = new URL(url);
  const inner = connect(Number(port), hostname);
  inner.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  socket.on('close', () => inner.destroy());
  socket.pipe(inner).pipe(socket);
};
