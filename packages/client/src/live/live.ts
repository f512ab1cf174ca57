import { type Called, calledOf } from '../called.ts';
import type { ComandaClient } from '../client.ts';
import type { EventType } from '../events.ts';
import { comandaError } from '../index.ts';
import type { PublishedEvent } from '../surface.ts';
import type { LiveChange } from './change.ts';
import { keptIn, type LiveStorage } from './kept.ts';
import { createList, type LiveState, type OwnList } from './list.ts';
import { createOutbox } from './outbox.ts';
import type { Page } from './reading.ts';
import { type Item, rows } from './rows.ts';
import { createStream } from './stream.ts';
import type { ListQuery } from './view.ts';

/** How the live lists of a client work. */
export interface LiveOptions {
  /**
   * Names the location and the person who is signed in. Tabs of one scope share a stream of events, and changes that are not sent are kept
   * for it in the session storage of the tab. Without a scope a tab has a stream of its own, and nothing outlasts a reload.
   */
  scope?: string | undefined;
  /** Keeps unsent changes; `sessionStorage` unless given. */
  storage?: LiveStorage | undefined;
  /** After so long without a word the stream counts as lost; 40,000 milliseconds unless given. */
  silentMs?: number | undefined;
  /** Gets each error of a reading, of the stream and of a change, for what concerns the whole screen: a key that is revoked. */
  onError?: ((error: unknown) => void) | undefined;
}

/** The state that the live lists of a client share: one stream of events, and the changes that are not sent. */
export interface Live {
  /** How the stream of events is. */
  state(): LiveState;
  /** Changes that were asked for and are not done, of every list. */
  changes(): readonly LiveChange[];
  /** Calls `listener` when one of these changes. */
  subscribe(listener: () => void): () => void;
  /**
   * Calls `listener` with each event of these types, over the stream of the lists. `onLive` is called whenever events may have been missed
   * before: at first, and after a loss.
   */
  onEvents(
    types: readonly EventType[],
    listener: (event: PublishedEvent) => void,
    onLive?: () => void,
  ): () => void;
  /** Forgets a change that is sent no more (`unsent` of a list). */
  dismiss(key: string): void;
  /** Ends the stream and the lists. Unsent changes stay kept for the next load of the page, until they are ten minutes old. */
  close(): void;
  /** The same, and drops the unsent changes: no other user sends this person's changes. */
  signOut(): void;
}

/** The parts of it that this package uses. @internal */
export interface OwnLive extends Live {
  list(path: string, query: ListQuery): OwnList;
  mutate(path: string, input: LiveChange['input']): Promise<void>;
}

/**
 * The live lists of a client. The first call for a client says how they work; later ones answer the same, until it is closed.
 *
 * @throws {TypeError} when `createClient` did not make `comanda`.
 *
 * @example
 * const live = liveOf(comanda, { scope: `${locationId} ${userId}` });
 * signOutButton.onclick = () => live.signOut();
 */
export function liveOf(comanda: Pick<ComandaClient, 'events'>, options: LiveOptions = {}): Live {
  return ownLive(calledOf(comanda), options);
}

/** @internal */
export function ownLive({ of }: Called, options: LiveOptions = {}): OwnLive {
  of.live ??= createLive(of.client as ComandaClient, options, () => {
    of.live = undefined;
  });
  return of.live as OwnLive;
}

type Call = (input: object, options?: { signal: AbortSignal }) => Promise<unknown>;

function createLive(comanda: ComandaClient, options: LiveOptions, forget: () => void): OwnLive {
  const { scope, storage, silentMs, onError: report = () => {} } = options;
  const lists = new Map<string, OwnList>();
  const listeners = new Set<() => void>();
  const reads = new Map<string, Promise<unknown>>();
  const page = globalThis as Partial<EventTarget> & { navigator?: { onLine?: boolean } };

  const call = (path: string, kind: 'query' | 'mutate'): Call => {
    const [noun = '', verb = ''] = path.split('.');
    const client = comanda as unknown as Record<string, Record<string, Record<string, Call>>>;
    return client[noun]?.[verb]?.[kind] as Call;
  };
  // Node has a navigator too, which says nothing of a connection.
  const isOffline = () => page.navigator?.onLine === false;

  function changed(): void {
    for (const list of lists.values()) list.changed();
    for (const listener of listeners) listener();
  }

  const stream = createStream({
    comanda,
    scope,
    silentMs,
    onState() {
      if (stream.state() === 'live') outbox.flush();
      changed();
    },
    onError: (error) => {
      report(error);
      changed();
    },
  });

  // Lists that want one entry at once ask for it once.
  function readOne(path: string, id: string, include: readonly string[]): Promise<Item | undefined> {
    const input = { id, include: [...include, 'revision'] };
    const name = JSON.stringify([path, input]);
    const asked = reads.get(name) ?? call(path, 'query')(input);
    if (!reads.has(name)) {
      reads.set(name, asked);
      setTimeout(() => reads.delete(name));
    }
    return (asked as Promise<Item>).catch((error) => {
      if (comandaError(error)?.httpStatus === 404) return undefined;
      throw error;
    });
  }

  const outbox = createOutbox({
    kept: keptIn(scope, storage),
    async send({ path, input, key }) {
      try {
        await call(path, 'mutate')({ ...input, idempotencyKey: key });
      } catch (error) {
        if (comandaError(error)?.httpStatus !== 409 || !(await isMade(path, input))) {
          report(error);
          throw error;
        }
      }
    },
    async settle({ path, input: { id } }) {
      const concerned = [...lists.values()].filter(
        ({ row, isStarted }) => isStarted() && path in row.changes,
      );
      const read = await Promise.allSettled(concerned.map((list) => list.refresh(id)));
      for (const each of read) if (each.status === 'fulfilled') each.value();
      for (const [at, list] of concerned.entries()) if (read[at]?.status === 'rejected') list.refetch();
    },
    onChange: changed,
  });

  /** Whether an entry is already as a change that was refused would have made it. */
  async function isMade(path: string, input: LiveChange['input']): Promise<boolean> {
    const row = Object.values(rows).find(({ changes }) => path in changes);
    const { get, decides } = row?.reads ?? {};
    if (get === undefined || decides === undefined) return false;
    return (await readOne(get, input.id, []))?.[decides] === row?.changes[path]?.(input)[decides];
  }

  const onConnection = () => {
    if (!isOffline()) outbox.flush();
    changed();
  };
  page.addEventListener?.('online', onConnection);
  page.addEventListener?.('offline', onConnection);

  function close(): void {
    page.removeEventListener?.('online', onConnection);
    page.removeEventListener?.('offline', onConnection);
    outbox.close();
    stream.close();
    for (const list of lists.values()) list.close();
    lists.clear();
    forget();
  }

  return {
    list(path, query) {
      const name = JSON.stringify([path, query]);
      const row = rows[path];
      if (row === undefined)
        throw new TypeError(`${path} has no live list: ${Object.keys(rows).join(', ')} have`);
      const list =
        lists.get(name) ??
        createList(
          {
            row,
            stream,
            isOffline,
            changes: () => outbox.all().filter((change) => change.path in row.changes),
            elsewhere: (id) => {
              for (const other of lists.values()) {
                const found = other.row === row ? other.find(id) : undefined;
                if (found !== undefined) return found;
              }
              return undefined;
            },
            readOne: async (id, include) =>
              row.reads &&
              readOne(
                row.reads.get,
                id,
                include.filter((part) => row.reads?.getIncludes.includes(part)),
              ),
            readPage: (input, signal) => call(path, 'query')(input, { signal }) as Promise<Page>,
            onError: report,
          },
          query,
        );
      lists.set(name, list);
      return list;
    },
    mutate(path, input) {
      for (const { row, find } of lists.values()) {
        const item = find(input.id);
        const patch = row.changes[path]?.(input);
        if (
          item === undefined ||
          patch === undefined ||
          outbox.all().some((change) => change.input.id === input.id)
        )
          continue;
        const decides = row.reads?.decides ?? '';
        if (item[decides] === patch[decides]) return Promise.resolve();
      }
      return outbox.add(path, input);
    },
    state: () => {
      const state = stream.state();
      if (isOffline() || state === 'lost') return 'offline';
      return state;
    },
    changes: outbox.all,
    subscribe(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    onEvents: (types, onEvent, onLive = () => {}) => stream.follow({ types, onEvent, onLive }),
    dismiss: outbox.dismiss,
    close,
    signOut() {
      outbox.drop();
      close();
    },
  };
}
