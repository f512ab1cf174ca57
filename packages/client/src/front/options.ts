import type { EventType } from '../events.ts';
import type { FrontProcedure } from './procedures.ts';

/** The calls that a session may make. All else is refused. */
export interface FrontAccess {
  /** The procedures that may be called, such as `orders.list`. */
  procedures: readonly FrontProcedure[];
  /** The types of events that may be followed, by the live stream and by `events.list`; none unless given. */
  events?: readonly EventType[] | undefined;
  /** Ends the streams of the session at once when it aborts: its user has signed out. */
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
   * The permissions of the session behind a request; `undefined` where there is no signed-in user, which is answered
   * with 401. It is asked at every request, and again while a stream is open: look the session up, do not keep what it
   * was. Without a function all who reach the front have the same access, and no stream ends with a session.
   */
  allow: FrontAccess | ((request: Incoming) => FrontAccess | undefined | Promise<FrontAccess | undefined>);
  /** How often `allow` is asked again for an open stream, in milliseconds; 60,000 unless given. */
  checkEveryMs?: number | undefined;
  /**
   * Gets each fault of this side, which the browser does not see: a setting that is missing, a key that the service
   * refuses, an error that `allow` threw, no connection to the service. `console.error` unless given.
   */
  onFault?: ((error: Error) => void) | undefined;
  /** Sends the requests to the service; the global `fetch` unless given. */
  fetch?: typeof fetch | undefined;
}

/** A request of a browser, from any kind of server. @internal */
export interface Asked {
  method: string;
  /** Path and query: `/comanda/trpc/orders.list?input=…`. */
  target: string;
  header(name: string): string | undefined;
  /** The body as text. Throws `Refused` where it is too large. */
  body(): Promise<string>;
  /** Aborts when the browser has left. */
  gone: AbortSignal;
  /** The present permissions of the session. */
  access(): Promise<FrontAccess | undefined>;
}

/** The options of a front whose requests are read as `Asked`. @internal */
export type GateOptions = Omit<FrontOptions<never>, 'allow'>;

/** The result of `allow` for a request. @internal */
export const accessBy =
  <Incoming>({ allow }: Pick<FrontOptions<Incoming>, 'allow'>, request: Incoming): Asked['access'] =>
  async () => {
    const access = await (typeof allow === 'function' ? allow(request) : allow);
    return access?.signal?.aborted ? undefined : access;
  };
