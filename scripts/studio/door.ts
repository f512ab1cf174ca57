import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Who may come in: a browser of this machine that was given the address which npm run studio prints. */
export interface Door {
  /** The query that lets a browser in. */
  entrance: string;
  /** Given to a browser that came by the entrance; otherwise null. */
  cookieFor(request: IncomingMessage): string | null;
  /** Why the request gets nothing; null when it may come in. */
  refusal(request: IncomingMessage): string | null;
}

/** Makes one for a port of the loopback address. Its session lasts as long as this process. */
export function makeDoor(port: number): Door {
  const session = randomBytes(32).toString('base64url');
  // Cookies know no ports: each Studio has its own name.
  const cookie = `studio_${port}`;
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const knownHost = ({ headers }: IncomingMessage) => hosts.includes(headers.host ?? '');
  return {
    entrance: `?session=${session}`,
    cookieFor(request) {
      const given = new URL(request.url ?? '/', 'http://studio').searchParams.get('session');
      if (given === null || !same(given, session) || !knownHost(request)) return null;
      // Lax: a link of the guide, which stands elsewhere, opens Studio; what writes asks for the origin besides.
      return `${cookie}=${session}; HttpOnly; SameSite=Lax; Path=/`;
    },
    refusal(request) {
      const { origin, host } = request.headers;
      if (!knownHost(request)) return 'this host name is not mine';
      if (origin !== undefined && origin !== `http://${host}`) return 'this origin is not mine';
      if (origin === undefined && request.method === 'POST') return 'an origin is missing';
      const held = request.headers.cookie?.split(/; */).find((each) => each.startsWith(`${cookie}=`));
      return same(held?.slice(cookie.length + 1) ?? '', session)
        ? null
        : 'open the address that npm run studio has printed: it lets this browser in';
    },
  };
}

function same(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
