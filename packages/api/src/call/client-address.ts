import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** The address of a request's client, undefined when its connection is gone already. */
export type ClientAddress = (request: IncomingMessage) => string | undefined;

/**
 * The address of the connection; where that is a proxy in one of the ranges (`TRUSTED_PROXIES`), the last address of
 * `X-Forwarded-For` that is in none of them. An address that a client wrote there itself comes before it, and is
 * never believed.
 */
export function clientAddressBehind(ranges: readonly string[]): ClientAddress {
  const trusted = ranges.map((range) => ipaddr.parseCIDR(range));
  const isTrusted = (text: string) => {
    const address = ipaddr.process(text);
    return trusted.some((range) => address.kind() === range[0].kind() && address.match(range));
  };
  return ({ socket, headers }) => {
    let caller = plain(socket.remoteAddress);
    if (trusted.length === 0) return caller;
    const hops = [headers['x-forwarded-for'] ?? ''].flat().join().split(',');
    while (caller !== undefined && isTrusted(caller)) {
      const before = plain(hops.pop()?.trim());
      // Text that is no address does not come from a trusted proxy.
      if (before === undefined) break;
      caller = before;
    }
    return caller;
  };
}

/** An address as it is written down, an IPv4 one behind `::ffff:` as such; undefined for what is none. */
function plain(text: string | undefined): string | undefined {
  return text !== undefined && ipaddr.isValid(text) ? ipaddr.process(text).toString() : undefined;
}
