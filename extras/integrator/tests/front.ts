import { type IncomingMessage, request } from 'node:http';
import { listening } from '../../../tests/support/listening.ts';

/** An answer that a proxy gives in the place of the service; `drop` closes the connection after the service has answered. */
export interface Fault {
  status?: number;
  retryAfter?: number;
  location?: string;
  drop?: boolean;
}

/** A proxy before a service. */
export type Front = Awaited<ReturnType<typeof startFront>>;

/** Starts a proxy: passes everything on, except the requests for which `fault` gives an answer. */
export const startFront = (target: string, fault: (request: IncomingMessage) => Fault | undefined) =>
  listening((asked, answer) => {
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
