import type { LiveChange } from './change.ts';

/** Where changes are kept over a reload: `sessionStorage`, or what is like it. */
export interface LiveStorage {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

/** The changes of a scope as they are kept. @internal */
export interface Kept {
  read(): LiveChange[];
  write(changes: readonly LiveChange[]): void;
}

// Only browsers have it.
const tabStorage = () => (globalThis as { sessionStorage?: LiveStorage }).sessionStorage;

const prefix = 'comanda.outbox ';

/** Forgets the unsent changes that this tab keeps, of any user. A sign-out calls it. */
export function dropOutboxes(): void {
  const storage = tabStorage();
  for (const name of Object.keys(storage ?? {})) if (name.startsWith(prefix)) storage?.removeItem(name);
}

/** Keeps the changes of a scope; without a scope nothing. A storage that is full or forbidden keeps nothing. @internal */
export function keptIn(scope: string | undefined, storage: LiveStorage | undefined): Kept {
  const name = prefix + scope;
  const store = () => (scope === undefined ? undefined : (storage ?? tabStorage()));
  return {
    read() {
      try {
        return JSON.parse(store()?.getItem(name) ?? '[]') as LiveChange[];
      } catch {
        return [];
      }
    },
    write(changes) {
      try {
        const texts = changes.map(({ key, path, input, at }) => ({ key, path, input, at }));
        if (texts.length === 0) store()?.removeItem(name);
        else store()?.setItem(name, JSON.stringify(texts));
      } catch {}
    },
  };
}
