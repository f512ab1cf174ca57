import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { tokenHeader } from './page/session.ts';

/** A tab that asks for nothing this long is out. */
export const idleHours = 8;

/** The message for a tab that is not in, or no longer. */
export const notIn = `this tab is not in, or asked for nothing in ${idleHours} hours: open the last address that npm run studio printed`;

/**
 * The tabs that may come in: tabs of a browser on this machine that were given an address which npm run studio
 * prints.
 */
export interface Door {
  /** A new address, which lets one tab in, once. The one before it admits no tab any more. */
  address(): string;
  /** The token for a tab that brings the code of the address; null when the code was used, or is none. */
  enter(code: string): string | null;
  /** Why the request gets nothing at all, for where it comes from; null when it may go on. */
  refusal(request: IncomingMessage): string | null;
  /** Whether the request brings the token of a tab that is in. It stays in by asking. */
  isIn(request: IncomingMessage): boolean;
}

/**
 * Makes one for a port of the loopback address. No cookie: a browser sends those to every port of a host. The code
 * follows the #, which no browser sends; the token is a header, which the page sends to its own server alone.
 */
export function makeDoor(port: number, now: () => number = Date.now): Door {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  let code: string | null = null;
  /** When each tab last asked, by the digest of its token. */
  const lastAsked = new Map<string, number>();
  const secret = () => randomBytes(32).toString('base64url');
  return {
    address() {
      code = secret();
      return `http://127.0.0.1:${port}/#code=${code}&schema=public&table=orders_today`;
    },
    enter(given) {
      if (code === null || !same(given, code)) return null;
      code = null;
      const token = secret();
      lastAsked.set(digest(token), now());
      return token;
    },
    refusal({ method, headers: { host = '', origin } }) {
      if (!hosts.includes(host)) return 'this host name is not mine';
      if (origin !== undefined && origin !== `http://${host}`) return 'this origin is not mine';
      return origin === undefined && method === 'POST' ? 'an origin is missing' : null;
    },
    isIn({ headers }) {
      const token = headers[tokenHeader];
      const tab = digest(typeof token === 'string' ? token : '');
      const last = lastAsked.get(tab);
      if (last === undefined) return false;
      const isAwake = now() - last < idleHours * 3_600_000;
      if (isAwake) lastAsked.set(tab, now());
      else lastAsked.delete(tab);
      return isAwake;
    },
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

function same(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
