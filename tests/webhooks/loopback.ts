import { isIP, type LookupFunction, Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { vi } from 'vitest';

/** Keeps every socket of this process on loopback; `refused` lists the addresses it would have gone to. */
export interface LoopbackOnly {
  refused: string[];
  restore(): void;
}

interface ConnectOptions {
  host?: string;
  lookup?: LookupFunction;
}

/** Stands in front of `Socket.connect`, which plain and TLS connections both go through. */
export function stayOnLoopback(): LoopbackOnly {
  const refused: string[] = [];
  const connect = Reflect.get(Socket.prototype, 'connect') as (this: Socket, ...args: unknown[]) => Socket;
  const guarded = function (this: Socket, ...args: unknown[]): Socket {
    const [first] = args;
    const options = (Array.isArray(first) ? first[0] : first) as ConnectOptions;
    const { host = 'localhost', lookup } = options;
    if (isIP(host) !== 0 && !isLoopback(host)) {
      refused.push(host);
      process.nextTick(() => this.destroy(refusal()));
      return this;
    }
    if (isIP(host) === 0) {
      if (!lookup) throw new Error(`${host} would be looked up with DNS`);
      options.lookup = (name, lookupOptions, callback) =>
        lookup(name, lookupOptions, (error, answer, family) => {
          const addresses = Array.isArray(answer) ? answer.map(({ address }) => address) : [answer];
          const outside = error ? [] : addresses.filter((address) => !isLoopback(address));
          refused.push(...outside);
          callback(outside.length > 0 ? refusal() : error, answer, family);
        });
    }
    return connect.apply(this, args);
  };
  const spy = vi.spyOn(Socket.prototype, 'connect').mockImplementation(guarded as typeof connect as never);
  return { refused, restore: () => spy.mockRestore() };
}

// The unspecified address reaches this machine too.
function isLoopback(address: string): boolean {
  return ['loopback', 'unspecified'].includes(ipaddr.process(address).range());
}

function refusal(): Error {
  return Object.assign(new Error('outside of loopback'), { code: 'ECONNREFUSED' });
}
