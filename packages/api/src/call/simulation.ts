import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../credentials/credentials.ts';
import { type ApiError, invalid, unavailable } from '../errors.ts';
import { emptyLease, usedUp } from '../limits/lease.ts';
import { nearest } from '../nearest.ts';

/** A fault that a sandbox plays, as if it had come by itself. */
interface Fault {
  /** The effect, for the documents. */
  does: string;
  /** Seconds unless said; absent where none can be. */
  seconds?: number;
  /** Whether an operation can meet it; every one unless said. */
  meets?(operation: Met): boolean;
}

/** The target of a call: an operation, or a stream. */
export interface Met {
  name: string;
  kind: 'query' | 'mutation' | 'subscription';
}

/** A request that may ask for a fault, and the headers of its answer. */
interface Asking {
  readonly simulate?: string | undefined;
  readonly headers: Record<string, string>;
}

/** The faults by the names that `X-Comanda-Simulate` takes. */
export const faults = {
  rate_limited: {
    does: '429, as if the requests of this minute were used up',
    seconds: 0,
  },
  unavailable: { does: '503 with `Retry-After`, and nothing is done', seconds: 5 },
  slow: { does: 'the answer comes later; `slow; seconds=N`, 10 at most', seconds: 3 },
  timeout_after_write: {
    does: 'the write is done, and the connection is cut without an answer',
    meets: ({ kind }) => kind === 'mutation',
  },
  stock_gone: {
    does: 'the order is refused as if nothing of what it orders were left',
    meets: ({ name }) => name.replace(/^v1\./, '') === 'orders.create',
  },
  item_fails: {
    does: 'the first item of a batch fails, as if it named something unknown; the others are done',
    meets: ({ name }) => ['stock.sync', 'syncJobs.startProducts'].includes(name),
  },
  stream_cut: {
    does: 'a stream of events is cut after `; seconds=N`, without a last event',
    seconds: 3,
    meets: ({ kind }) => kind === 'subscription',
  },
} as const satisfies Record<string, Fault>;

/** The faults that an operation, or a stream, can meet, in the order of the table. */
export const faultsOf = (operation: Met): (keyof typeof faults)[] =>
  (Object.keys(faults) as (keyof typeof faults)[]).filter((name) => {
    const { meets }: Fault = faults[name];
    return meets === undefined || meets(operation);
  });

/** A fault that a call meets. */
export interface Simulation {
  fault: keyof typeof faults;
  /** How long it lasts, where that can be said; 0: as long as it would by itself. */
  seconds: number;
}

/** Seconds at most: a proxy between keeps a waiting client that long. */
export const mostSeconds = 10;

/** The fault that a request asks for. Node has joined a header that came twice. */
export function simulateOf(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['x-comanda-simulate'];
  return typeof value === 'object' ? value.join() : value;
}

/**
 * The fault that an admitted call asks for by `X-Comanda-Simulate`, or that is played on it; the answer names it. Throws what it is where
 * that is a refusal before any work: 429 or 503. Throws `validation_error` for a key of a live location, and for what is
 * unknown or cannot happen to the operation.
 */
export function beginSimulation(
  { simulate, headers }: Asking,
  caller: Caller,
  operation: Met,
  played?: string,
): Simulation | undefined {
  const asked = played ?? simulate;
  if (asked === undefined) return undefined;
  if (!caller.location.sandbox) throw notInSandbox();
  const { fault, seconds } = read(asked);
  if (!faultsOf(operation).includes(fault)) throw refused(`${fault} cannot happen to this operation`);
  headers['X-Comanda-Simulated'] = fault;
  if (fault === 'rate_limited') throw asUsedUp(caller, seconds);
  if (fault === 'unavailable')
    throw unavailable(
      'temporarily_unavailable',
      'The service is not available at the moment; try again shortly.',
      { seconds },
    );
  return { fault, seconds };
}

/** Throws `validation_error` for a call that asks for a fault and has no key that could be of a sandbox. */
export function refuseSimulation({ simulate }: Pick<Asking, 'simulate'>): void {
  if (simulate !== undefined) throw notInSandbox();
}

function read(text: string): Simulation {
  const [given = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  if (!isFault(given)) {
    const known = Object.keys(faults);
    const meant = nearest(given, known);
    throw refused(
      meant === undefined ? `must be one of ${known.join(', ')}` : `is unknown: did you mean ${meant}?`,
    );
  }
  const { seconds }: Fault = faults[given];
  if (seconds === undefined) {
    if (parameters.length > 0) throw refused(`${given} takes no parameter`);
    return { fault: given, seconds: 0 };
  }
  const [parameter = `seconds=${seconds}`, ...more] = parameters;
  const said = /^seconds\s*=\s*(\d{1,2})$/.exec(parameter)?.[1];
  if (said === undefined || more.length > 0 || Number(said) > mostSeconds)
    throw refused(`${given} takes "; seconds=N" of at most ${mostSeconds}`);
  return { fault: given, seconds: Number(said) };
}

const isFault = (text: string): text is keyof typeof faults => Object.hasOwn(faults, text);

const refused = (message: string, reason?: 'simulation_refused'): ApiError =>
  invalid({ path: 'X-Comanda-Simulate', message, ...(reason && { reason }) });

const notInSandbox = () =>
  refused('faults are simulated for keys of a sandbox (cmd_test_…) alone', 'simulation_refused');

// By the limiter's own words: a lease with nothing left, to the end of this minute or for so many seconds.
function asUsedUp({ apiKeyId, limits }: Caller, seconds: number): ApiError {
  const now = Date.now();
  const end = seconds === 0 ? Math.floor(now / 60_000) * 60 + 60 : Math.floor(now / 1_000) + seconds;
  const lease = emptyLease(apiKeyId);
  Object.assign(lease.minute, { limit: limits.perMinute, end });
  Object.assign(lease.month, { limit: limits.monthly, left: 1 });
  return usedUp(lease, now);
}
