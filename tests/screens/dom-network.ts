import { setMaxListeners } from 'node:events';

/** A request of a page. */
export interface Asked {
  url: string;
  body: string;
}

/** The network of a page: the real one of this process, which can be taken from the page. */
export class DomNetwork {
  /** Every request, in its order. */
  readonly asked: Asked[] = [];
  /** Calls that are not answered; a stream of events is none. */
  openCalls = 0;
  #isOnline = true;
  #leaving = manyHear();
  #breaking = manyHear();

  get isOnline(): boolean {
    return this.#isOnline;
  }

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input);
    const isStream = url.includes('events/stream');
    this.asked.push({ url, body: typeof init.body === 'string' ? init.body : '' });
    if (!this.#isOnline) throw new TypeError('Failed to fetch');
    const signals = [init.signal, this.#breaking.signal, init.keepalive ? undefined : this.#leaving.signal];
    const signal = AbortSignal.any(signals.flatMap((each) => each ?? []));
    if (!isStream) this.openCalls += 1;
    try {
      const answer = await this.#send(input, { ...init, signal });
      // A restaurant without an open turn is answered so where the call is alone in its request.
      if (answer.status >= 400 && !/turns\.getCurrent\b/.test(url))
        this.#complain(`Failed to load resource: ${answer.status} ${url}`);
      return answer;
    } finally {
      if (!isStream) this.openCalls -= 1;
    }
  };

  readonly #send: typeof fetch;
  readonly #complain: (text: string) => void;

  /** `send` makes the requests; `complain` gets answers of 400 and above, which a browser logs. */
  constructor(send: typeof fetch, complain: (text: string) => void) {
    this.#send = send;
    this.#complain = complain;
  }

  /** Takes the network from the page, which breaks what is under way, or gives it back. */
  setOnline(isOnline: boolean): void {
    this.#isOnline = isOnline;
    if (isOnline) return;
    this.#breaking.abort(new TypeError('network error'));
    this.#breaking = manyHear();
  }

  /** The page is left: its requests end, but those that outlive it. */
  leave(): void {
    this.#leaving.abort();
    this.#leaving = manyHear();
  }
}

/** Every request of a page waits for it. */
function manyHear(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
