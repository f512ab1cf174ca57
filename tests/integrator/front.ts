import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer that a proxy gives in the place of the service; `drop` closes the connection after the service has answered. */
export interface Fault {
  status?: number;
  retryAfter?: number;
  location?: string;
  drop?: boolean;
}

/** A proxy before a service. */
export interface Front {
  url: string;
  close(): Promise<void>;
}

/** Starts a proxy: passes everything on, except the requests for which `fault` gives an answer. */
export async function startFront(
  target: string,
  fault: (request: IncomingMessage) => Fault | undefined,
): Promise<Front> {
  const server = createServer((asked, answer) => {
    const found = fault(asked);
    if (found?.status !== undefined) {
      asked.resume();
      const { status, retryAfter = 0, location } = found;
      answer.writeHead(status, { 'retry-after': String(retryAfter), ...(location && { location }) });
      answer.end('<html>from the proxy</html>');
      return;
    }
    const { method, headers } = asked;
    const passed = request(target + asked.url, { method, headers }, (said) => {
      if (found?.drop) {
        said.resume().on('end', () => answer.destroy());
        return;
      }
      answer.writeHead(said.statusCode ?? 500, said.headers);
      said.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
