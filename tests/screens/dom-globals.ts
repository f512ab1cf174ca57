import type { Window } from 'happy-dom';

/** Names that Node has, too: an element takes only events of its own window. */
const replaced = new Set(['Event', 'CustomEvent', 'FormData', 'File', 'navigator']);

/** Names that stay those of Node: what is sent, timed and signaled is sent, timed and signaled by it. */
const kept = new Set(['constructor', 'global', 'globalThis', 'fetch', 'undefined', 'NaN', 'Infinity']);

/**
 * Gives the process the names of a window, as code of a page expects them. The returned function takes them back, so that files that run
 * in the same process later see none.
 */
export function lendWindow(window: Window): () => void {
  const before = new Map<string, PropertyDescriptor | undefined>();
  const define = (name: string, descriptor: PropertyDescriptor) => {
    before.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    Object.defineProperty(globalThis, name, { ...descriptor, configurable: true });
  };
  for (const name of namesOf(window)) {
    if (kept.has(name) || (name in globalThis && !replaced.has(name))) continue;
    const value: unknown = Reflect.get(window, name);
    // A method needs its window; a class stays what `instanceof` compares.
    const isMethod = typeof value === 'function' && /^[a-z]/.test(name);
    if (isMethod) define(name, { value: value.bind(window), writable: true });
    else define(name, { get: () => Reflect.get(window, name), set: (to) => Reflect.set(window, name, to) });
  }
  define('window', { value: window, writable: true });
  define('self', { value: window, writable: true });
  return () => {
    for (const [name, descriptor] of before)
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
  };
}

function namesOf(window: Window): Set<string> {
  const names = new Set<string>();
  for (let at: object | null = window; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  return names;
}
