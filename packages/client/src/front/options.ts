import type { EventType } from '../events.ts';
import type { FrontProcedure } from './procedures.ts';

/** What a session may ask for. All else is refused. */
export interface FrontAccess {
  /** The procedures that may be called, such as `orders.list`. */
  procedures: readonly FrontProcedure[];
  /** The types of events that may be followed, by the live stream and by `events.list`; none unless given. */
  events?: readonly EventType[] | undefined;
  /** Ends the streams of the session at once when it aborts: somebody has signed out. */
  signal?: AbortSignal | undefined;
}

/** A setting that is read when it is needed: a text, or a function that gives it. */
export type FrontSetting = string | undefined | (() => string | undefined | Promise<string | undefined>);

/** Where the service is, who may ask it for what, and where in your server the front is. */
export interface FrontOptions<Incoming = Request> {
  /** The base URL of the service. Like `key` it is read at a request, never when the module is loaded. */
  url: FrontSetting;
  /** The API key. It never leaves this server. Give it no permission that `allow` does not need. */
  key: FrontSetting;
  /** The path of the front in your server, as the browser asks for it: `/comanda`. */
  path: string;
  /**
   * What the session behind a request may ask for; `undefined` where nobody is signed in, which is answered with 401. It is
   * asked at every request, and again while a stream is open: look the session up, do not keep what it was. Without a
   * function everybody who reaches the front has the same access, and no stream ends with a session.
   */
  allow: FrontAccess | ((request: Incoming) => FrontAccess | undefined | Promise<FrontAccess | undefined>);
  /** How often `allow` is asked again for an open stream, in milliseconds; 60,000 unless given. */
  checkEveryMs?: number | undefined;
  /**
   * Gets what is wrong on this side, which the browser is not told: a setting that is missing, a key that the service refuses, what `allow`
   * threw, no connection to the service. `console.error` unless given.
   */
  onFault?: ((error: Error) => void) | undefined;
  /** Sends the requests to the service; the global `fetch` unless given. */
  fetch?: typeof fetch | undefined;
}

/** A request of a browser, whatever kind of server it came to. @internal */
export interface Asked {
  method: string;
  /** Path and query: `/comanda/trpc/orders.list?input=…`. */
  target: string;
  header(name: string): string | undefined;
  /** The body as text. Throws `Refused` where it is too large. */
  body(): Promise<string>;
  /** Aborts when the browser has left. */
  gone: AbortSignal;
  /** What the session may ask for now. */
  access(): Promise<FrontAccess | undefined>;
}

/** The options of a front whose requests are read as `Asked`. @internal */
export type GateOptions = Omit<FrontOptions<never>, 'allow'>;

/** What `allow` says of a request. @internal */
export const accessBy =
  <Incoming>({ allow }: Pick<FrontOptions<Incoming>, 'allow'>, request: Incoming): Asked['access'] =>
  async () => {
    const access = await (typeof allow === 'function' ? allow(request) : allow);
    return access?.signal?.aborted ? undefined : access;
  };
