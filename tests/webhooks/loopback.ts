import { isIP, type LookupFunction, Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { vi } from 'vitest';

/** Keeps every socket of this process on loopback; `contacted` lists where each was going, inside or out. */
export interface LoopbackOnly {
  contacted: string[];
  restore(): void;
}

interface ConnectOptions {
  host?: string;
  lookup?: LookupFunction;
}

/** Wraps `Socket.connect`, which plain and TLS connections both use. */
export function stayOnLoopback(): LoopbackOnly {
  const contacted: string[] = [];
  const connect = Reflect.get(Socket.prototype, 'connect') as (this: Socket, ...args: unknown[]) => Socket;
  const guarded = function (this: Socket, ...args: unknown[]): Socket {
    const [first] = args;
    const options = (Array.isArray(first) ? first[0] : first) as ConnectOptions;
    const { host = 'localhost', lookup } = options;
    if (isIP(host) !== 0) contacted.push(host);
    if (isIP(host) !== 0 && !isLoopback(host)) {
      process.nextTick(() => this.destroy(refusal()));
      return this;
    }
    if (isIP(host) === 0) {
      if (!lookup) throw new Error(`${host} would be looked up with DNS`);
      options.lookup = (name, lookupOptions, callback) =>
        lookup(name, lookupOptions, (error, answer, family) => {
          const addresses = Array.isArray(answer) ? answer.map(({ address }) => address) : [answer];
          if (error) return callback(error, answer, family);
          contacted.push(...addresses);
          callback(addresses.every(isLoopback) ? null : refusal(), answer, family);
        });
    }
    return connect.apply(this, args);
  };
  const spy = vi.spyOn(Socket.prototype, 'connect').mockImplementation(guarded as typeof connect as never);
  return { contacted, restore: () => spy.mockRestore() };
}

// The unspecified addresses reach this machine too.
function isLoopback(address: string): boolean {
  return ['0.0.0.0', '::'].includes(address) || ipaddr.process(address).range() === 'loopback';
}

function refusal(): Error {
  return Object.assign(new Error('outside of loopback'), { code: 'ECONNREFUSED' });
}
