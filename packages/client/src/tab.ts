import { pause } from './pause.ts';
import type { PublishedEvent } from './surface.ts';
import { covers, type Hello, type StateMessage, type TabMessage, type Types } from './tab-messages.ts';
import type { WatchState } from './watch.ts';

/** One of the tabs that share a stream. */
export interface Tab {
  /**
   * The messages about a stream that has the types of this tab, until `close` or the signal; throws the error that
   * its own stream or `check` ended with.
   */
  messages(): AsyncGenerator<TabMessage, void, undefined>;
  close(): void;
}

/** The dependencies of a tab. */
export interface TabOptions {
  signal: AbortSignal | undefined;
  /** How often it is asked whether the tab that holds the stream still answers; one that does not is replaced. */
  askEveryMs: number;
  /** The types that this tab asks for. */
  types: Types;
  /** Throws where its key does not see these types: it is asked before another tab is asked for them. */
  check(signal: AbortSignal): Promise<unknown>;
  /** The stream of this tab, for when it is the one that holds it: behind `after`, else where this tab is. */
  watch(
    place: { after: string | undefined; types: Types },
    signal: AbortSignal,
    onState: (state: WatchState) => void,
  ): AsyncIterable<PublishedEvent>;
}

/** Messages that wait to be read; beyond it the newest is kept, up to which the tab reads the feed. */
const mostWaiting = 1_000;

/** So long more tabs may ask for types before the stream is opened with all of these. */
const gatherMs = 50;

/**
 * Joins the tabs of a name. The one that has the lock of that name holds the stream; the browser gives the lock on when
 * that tab closes or crashes. The stream has the types that the tabs ask for: whenever one asks for more, it is opened
 * again behind the last published event. It begins with the types of its tab again when another tab takes it over.
 */
export function createTab(name: string, { signal, askEveryMs, types, check, watch }: TabOptions): Tab {
  // The number is the version of the messages: tabs of another version of the application may use another
  // format.
  const shared = `comanda 2 ${name}`;
  const { navigator } = globalThis as object as { navigator: { locks: Locks } };
  const channel = new BroadcastChannel(shared);
  const closing = new AbortController();
  const inbox: TabMessage[] = [];
  let newest: StateMessage = { kind: 'state', state: { status: 'connecting' }, cursor: undefined, types };
  let wake = () => {};
  let failure: { error: unknown } | undefined;
  // Reports the state of its stream to a tab that wants types, while this tab holds it.
  let answer: ((wanted: Types) => void) | undefined;
  let isAnswered = false;
  let isChecked = types === undefined;

  function put(message: TabMessage): void {
    const { cursor } = newest;
    newest =
      message.kind === 'event'
        ? { ...newest, cursor: message.event.id, types: message.types }
        : { ...message, cursor: message.cursor ?? cursor };
    if (inbox.length < mostWaiting) inbox.push(message);
    else inbox[mostWaiting - 1] = newest;
    wake();
  }

  async function hold(turn: AbortSignal): Promise<void> {
    let cursor: string | undefined;
    let state: WatchState = { status: 'connecting' };
    let wanted = types;
    let asked = types;
    let opened = new AbortController();
    const end = () => opened.abort();
    const send = (message: TabMessage) => {
      if (turn.aborted) return;
      put(message);
      channel.postMessage(message);
    };
    const own = (others: Types) => {
      if (covers(asked, others)) return channel.postMessage({ kind: 'state', state, cursor, types: asked });
      // The types that it is soon opened with are reported then.
      if (covers(wanted, others)) return;
      wanted = others && wanted && [...new Set([...wanted, ...others])];
      end();
    };
    answer = own;
    const onState = (next: WatchState) => {
      state = next;
      if (next.status === 'live') ({ cursor } = next);
      send({ kind: 'state', state, cursor, types: asked });
    };
    turn.addEventListener('abort', end);
    try {
      for (let isMore = true; isMore && !turn.aborted; ) {
        opened = new AbortController();
        asked = wanted;
        for await (const event of watch({ after: cursor, types: asked }, opened.signal, onState)) {
          send({ kind: 'event', behind: cursor, event, types: asked });
          cursor = event.id;
        }
        isMore = asked !== wanted;
        if (isMore) await pause(gatherMs, turn);
      }
    } catch (error) {
      failure = { error };
      close();
    } finally {
      if (answer === own) answer = undefined;
    }
  }

  let turn = new AbortController();
  async function takeTurns(): Promise<void> {
    for (let steal = false; !closing.signal.aborted; steal = turn.signal.reason === takeOver) {
      turn = new AbortController();
      const { signal: ended } = turn;
      const how = steal ? { steal } : { signal: ended };
      // It rejects when the turn is ended, and when another tab takes the lock over.
      await navigator.locks
        .request(shared, how, () => hold(ended))
        .catch((error: Error) => {
          if (ended.aborted || error.name === 'AbortError') return;
          failure = { error };
          close();
        });
      if (!ended.aborted) turn.abort();
    }
  }

  async function askOnAndOn(): Promise<void> {
    while (!closing.signal.aborted) {
      sayHello(isChecked ? types : []);
      await pause(askEveryMs, closing.signal);
      if (!isAnswered && answer === undefined) turn.abort(takeOver);
      isAnswered = false;
    }
  }

  function sayHello(wanted: Types): void {
    channel.postMessage({ kind: 'hello', types: wanted } satisfies Hello);
  }

  let isAsking = false;
  async function askForTypes(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    try {
      if (!isChecked) await check(closing.signal);
      isChecked = true;
      if (!closing.signal.aborted) sayHello(types);
    } catch (error) {
      failure = { error };
      close();
    }
    isAsking = false;
  }

  function close(): void {
    closing.abort();
    turn.abort();
    channel.close();
    signal?.removeEventListener('abort', close);
    wake();
  }

  channel.onmessage = ({ data }) => {
    const message = data as TabMessage | Hello;
    // By a timer: a tab that is frozen reads no stream, but messages still reach it.
    if (message.kind === 'hello')
      return void setTimeout(() => closing.signal.aborted || answer?.(message.types));
    isAnswered = true;
    if (covers(message.types, types)) put(message);
    else if (message.kind === 'state') void askForTypes();
  };
  signal?.addEventListener('abort', close);
  if (signal?.aborted) close();
  else {
    void takeTurns();
    void askOnAndOn();
  }

  return {
    async *messages() {
      for (;;) {
        const next = inbox.shift();
        if (next !== undefined) yield next;
        else if (failure !== undefined) throw failure.error;
        else if (closing.signal.aborted) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
    close,
  };
}

const takeOver = 'the tab that holds the stream does not answer';

/** The part of the browsers' Web Locks that is used. */
interface Locks {
  request(
    name: string,
    options: { signal: AbortSignal } | { steal: boolean },
    held: () => Promise<void>,
  ): Promise<void>;
}
