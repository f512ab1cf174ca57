import { pause } from './call-link.ts';
import type { PublishedEvent } from './surface.ts';
import type { WatchState } from './watch.ts';

/** How the stream stands, and where: `cursor` is the last event that was told. */
interface ToldState {
  kind: 'state';
  state: WatchState;
  cursor: string | undefined;
}

/** What the tab that holds the stream tells all tabs, itself among them. */
export type Told =
  | ToldState
  /** The next event, and the one before it. */
  | { kind: 'event'; behind: string | undefined; event: PublishedEvent };

/** One of the tabs that share a stream. */
export interface Tab {
  /** What is told, until `close` or the signal; throws what this tab's own stream ended with. */
  told(): AsyncGenerator<Told, void, undefined>;
  close(): void;
}

/** What a tab is made from. */
export interface TabOptions {
  signal: AbortSignal | undefined;
  /** How often it is asked whether the tab that holds the stream still answers; one that does not is replaced. */
  askEveryMs: number;
  /** The stream of this tab, for when it is the one that holds it. */
  watch(signal: AbortSignal, onState: (state: WatchState) => void): AsyncIterable<PublishedEvent>;
}

/** What is told and waits to be read; of what comes beyond it the newest is kept, up to which the tab reads the feed. */
const mostWaiting = 1_000;

/**
 * Joins the tabs of a name. The one that has the lock of that name holds the stream; the browser gives the lock on when
 * that tab closes or crashes.
 */
export function createTab(name: string, { signal, askEveryMs, watch }: TabOptions): Tab {
  // The number is that of what is told: tabs of another version of the application may tell it otherwise.
  const shared = `comanda 1 ${name}`;
  const { navigator } = globalThis as object as { navigator: { locks: Locks } };
  const channel = new BroadcastChannel(shared);
  const closing = new AbortController();
  const inbox: Told[] = [];
  let newest: ToldState = { kind: 'state', state: { status: 'connecting' }, cursor: undefined };
  let wake = () => {};
  let failure: { error: unknown } | undefined;
  // Tells how its stream stands, while this tab holds it.
  let answer: (() => void) | undefined;
  let isAnswered = false;

  function put(told: Told): void {
    const { cursor } = newest;
    newest =
      told.kind === 'event'
        ? { ...newest, cursor: told.event.id }
        : { ...told, cursor: told.cursor ?? cursor };
    if (inbox.length < mostWaiting) inbox.push(told);
    else inbox[mostWaiting - 1] = newest;
    wake();
  }

  async function hold(turn: AbortSignal): Promise<void> {
    let cursor: string | undefined;
    let state: WatchState = { status: 'connecting' };
    const tell = (told: Told) => {
      if (turn.aborted) return;
      put(told);
      channel.postMessage(told);
    };
    const own = () => channel.postMessage({ kind: 'state', state, cursor });
    answer = own;
    const onState = (next: WatchState) => {
      state = next;
      if (next.status === 'live') ({ cursor } = next);
      tell({ kind: 'state', state, cursor });
    };
    try {
      for await (const event of watch(turn, onState)) {
        tell({ kind: 'event', behind: cursor, event });
        cursor = event.id;
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
      channel.postMessage({ kind: 'hello' });
      await pause(askEveryMs, closing.signal);
      if (!isAnswered && answer === undefined) turn.abort(takeOver);
      isAnswered = false;
    }
  }

  function close(): void {
    closing.abort();
    turn.abort();
    channel.close();
    signal?.removeEventListener('abort', close);
    wake();
  }

  channel.onmessage = ({ data }) => {
    const told = data as Told | { kind: 'hello' };
    // By a timer: a tab that is frozen reads no stream, but messages still reach it.
    if (told.kind === 'hello') return void setTimeout(() => closing.signal.aborted || answer?.());
    isAnswered = true;
    put(told);
  };
  signal?.addEventListener('abort', close);
  if (signal?.aborted) close();
  else {
    void takeTurns();
    void askOnAndOn();
  }

  return {
    async *told() {
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

/** What is used of the Web Locks of browsers. */
interface Locks {
  request(
    name: string,
    options: { signal: AbortSignal } | { steal: boolean },
    held: () => Promise<void>,
  ): Promise<void>;
}
