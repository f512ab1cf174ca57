import { type Called, calledAs } from './called.ts';

/**
 * The same client, whose calls throw errors with the stack of the call: the throwing line is in tRPC and in a
 * network callback, where no line of the application is left. Each procedure says by `calledAs` where it is.
 */
export function withCallSites<Client extends object>(client: Client, called: Called): Client {
  const wrapped = new Map<string, object>();
  return new Proxy(client, {
    get(inner, name) {
      if (name === calledAs) return called;
      const value: unknown = Reflect.get(inner, name);
      if (typeof name !== 'string' || typeof value !== 'function') return value;
      const known = wrapped.get(name) ?? withCallSites(value, { ...called, path: `${called.path}.${name}` });
      wrapped.set(name, known);
      return known;
    },
    apply(inner, self, given) {
      const site = siteOf(this.apply);
      const answer: unknown = Reflect.apply(inner as Callable, self, given);
      return answer instanceof Promise ? answer.catch((error) => rethrow(error, site)) : answer;
    },
  });
}

type Callable = (...given: unknown[]) => unknown;

/** The place that called `callee`. @internal */
export function siteOf(callee: unknown): Error {
  const site = new Error();
  Error.captureStackTrace?.(site, callee as Callable);
  return site;
}

/** Throws an error with the stack of the place where it was asked for. @internal */
export function rethrow(error: unknown, { stack }: Error): never {
  const lines = stack?.slice(stack.indexOf('\n'));
  if (error instanceof Error && lines) error.stack = `${error.name}: ${error.message}${lines}`;
  throw error;
}
