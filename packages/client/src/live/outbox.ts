import type { LiveChange } from './change.ts';
import type { Kept } from './kept.ts';
import { mayPass } from './reading.ts';

/** The changes that were asked for and are not done. @internal */
export interface Outbox {
  all(): readonly LiveChange[];
  /** Sends a change; settles with what became of it. The same change twice is one. */
  add(path: string, input: LiveChange['input']): Promise<void>;
  /** Sends what waits now. */
  flush(): void;
  /** Forgets a change that is sent no more. */
  dismiss(key: string): void;
  /** Forgets everything. Changes that are not made reject. */
  drop(): void;
  /** Ends the sending; what is kept stays kept. */
  close(): void;
}

/** The dependencies of an outbox. @internal */
export interface OutboxOptions {
  kept: Kept;
  send(change: LiveChange): Promise<unknown>;
  /** The lists show a change that the service made, and drop one that it refused. */
  settle(change: LiveChange): Promise<void>;
  onChange(): void;
}

/** An older move would surprise a person who works with the order by now. */
const longestMs = 600_000;
const longestWaitMs = 15_000;

interface Entry extends LiveChange {
  resolve?: () => void;
  reject?: (error: unknown) => void;
  answer?: Promise<void>;
}

/** Keeps changes until they are answered, and over a reload of the page. @internal */
export function createOutbox({ kept, send, settle, onChange }: OutboxOptions): Outbox {
  let entries: Entry[] = kept.read().map((change) => ({ ...change, status: 'sending' }));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waits = 0;
  let isClosed = false;
  const busy = new Set<string>();

  const isUnsent = ({ status }: LiveChange) => status === 'sending' || status === 'waiting';
  const warn = (event: Event) => event.preventDefault();
  const page = globalThis as Partial<EventTarget>;

  function changed(): void {
    if (isClosed) return;
    kept.write(entries.filter(({ status }) => status !== 'made' && status !== 'refused'));
    page.removeEventListener?.('beforeunload', warn);
    if (entries.some(isUnsent)) page.addEventListener?.('beforeunload', warn);
    onChange();
  }

  const remove = (entry: Entry) => {
    entries = entries.filter((each) => each !== entry);
  };

  function begin(): void {
    changed();
    sendNext();
  }

  function sendNext(): void {
    if (isClosed) return;
    for (const entry of entries) if (isUnsent(entry) && !busy.has(entry.input.id)) void attempt(entry);
  }

  async function attempt(entry: Entry): Promise<void> {
    const { id } = entry.input;
    if (Date.now() - entry.at > longestMs) return expire(entry);
    busy.add(id);
    entry.status = 'sending';
    try {
      await send(entry);
      entry.status = 'made';
      waits = 0;
      changed();
      await settle(entry);
      remove(entry);
      entry.resolve?.();
    } catch (error) {
      entry.error = error;
      if (mayPass(error)) wait(entry);
      else await refuse(entry, error);
    } finally {
      busy.delete(id);
    }
    changed();
    if (isUnsent(entry)) return;
    sendNext();
  }

  function wait(entry: Entry): void {
    entry.status = 'waiting';
    clearTimeout(timer);
    timer = setTimeout(sendNext, Math.min(1_000 * 2 ** waits, longestWaitMs));
    waits += 1;
  }

  async function refuse(entry: Entry, error: unknown): Promise<void> {
    entry.status = 'refused';
    if (entry.reject !== undefined) remove(entry);
    changed();
    entry.reject?.(error);
    await settle(entry);
  }

  function expire(entry: Entry): void {
    entry.status = 'expired';
    entry.reject?.(entry.error ?? new Error(`${entry.path}: not sent within ten minutes`));
    changed();
  }

  if (entries.length > 0) queueMicrotask(begin);
  return {
    all: () => entries,
    add(path, input) {
      const same = JSON.stringify(input);
      const last = entries.findLast(
        ({ status, input: { id } }) => id === input.id && status !== 'expired' && status !== 'refused',
      );
      if (last?.answer && last.path === path && JSON.stringify(last.input) === same) return last.answer;
      const entry: Entry = { key: newKey(), path, input, at: Date.now(), status: 'sending' };
      entry.answer = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
      entries = [...entries, entry];
      changed();
      sendNext();
      return entry.answer;
    },
    flush() {
      clearTimeout(timer);
      sendNext();
    },
    dismiss(key) {
      entries = entries.filter((each) => each.key !== key || isUnsent(each));
      changed();
    },
    drop() {
      const dropped = entries;
      entries = [];
      changed();
      for (const { path, status, resolve, reject } of dropped)
        if (status === 'made') resolve?.();
        else reject?.(new Error(`${path}: given up at the sign-out`));
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      page.removeEventListener?.('beforeunload', warn);
    },
  };
}

// Not `randomUUID`: browsers have it on https alone.
const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');
