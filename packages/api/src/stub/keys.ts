import type { Idempotency } from '../call/context.ts';
import { type KnownKey, keyReused } from '../call/idempotency.ts';

/** The idempotency keys that came, with what was answered. */
export interface StubKeys {
  /** PostgreSQL's record of a key, by the values of `claim`. */
  known(values: readonly unknown[]): KnownKey[];
  /**
   * Does work once for a key: of two calls at once the second waits for the first. A refusal leaves the key unused. Throws
   * `idempotency_key_reused` for another input.
   */
  once(key: Idempotency, work: () => Promise<Done>): Promise<Done>;
}

/** The result of work; with `lost` it was done, and its caller gets another answer. */
export type Done = {
  text: string;
  etag?: string | undefined;
  replayed?: boolean | undefined;
  lost?: unknown;
};

/** Keeps them as long as the stub lives. */
export function createStubKeys(): StubKeys {
  const answered = new Map<string, { hash: string; text: string }>();
  const underWay = new Map<string, Promise<unknown>>();
  const find = (operation: unknown, key: unknown, hash: Uint8Array): KnownKey[] => {
    const found = answered.get(nameOf(operation, key));
    if (found === undefined) return [];
    const outcome = found.hash === Buffer.from(hash).toString('hex') ? 'replayed' : 'reused';
    return [{ outcome, response: found.text, sealed: null, encryption_key_id: null, refusal: null }];
  };
  return {
    known: ([_location, _apiKey, operation, key, hash]) => find(operation, key, hash as Uint8Array),
    async once({ operation, key, requestHash }, work) {
      const name = nameOf(operation, key);
      while (underWay.has(name)) await underWay.get(name)?.catch(() => {});
      const [known] = find(operation, key, requestHash);
      if (known?.outcome === 'reused') throw keyReused();
      if (known !== undefined) return { text: known.response ?? '', replayed: true };
      const doing = work();
      underWay.set(name, doing);
      try {
        const done = await doing;
        answered.set(name, { hash: requestHash.toString('hex'), text: done.text });
        return done;
      } finally {
        underWay.delete(name);
      }
    },
  };
}

const nameOf = (operation: unknown, key: unknown): string => `${operation} ${key}`;
