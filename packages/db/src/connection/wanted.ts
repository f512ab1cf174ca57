import { connect } from 'node:net';
import type pg from 'pg';
import { again, type Loop, startLoop } from '../loops/loop.ts';

/** Work whose outcome is not waited for any more. */
export class UnwantedError extends Error {
  override name = 'UnwantedError';
  constructor() {
    super('the outcome is not waited for any more');
  }
}

/** The party that waits for an outcome, and may leave. Not an `AbortSignal`: to make and to abort one takes 40 µs. */
export interface Leaving {
  readonly isGone: boolean;
  /** Calls `done` once it leaves, not for one that has left; the answer forgets that. */
  whenGone(done: () => void): () => void;
}

/** How long a cancel request may take, in milliseconds: its connection is new. */
const cancelMs = 2_000;
/** After so many milliseconds it is sent again: the server ignores one that arrives ahead of the statement. */
const againMs = 50;

/** A connection whose work may become unwanted. */
export interface Wanted {
  /** Throws `UnwantedError` once it is. */
  check(): void;
  /** Ends the cancel requests, and waits for one that is on its way: the next statement must not be the one that it meets. */
  settled(): Promise<void> | undefined;
}

/**
 * Runs `work` on a connection. Once `left` is gone, the statement that runs there is canceled, and `UnwantedError` is
 * thrown in place of what `work` throws.
 */
export async function whileWanted<Result>(
  client: pg.PoolClient,
  left: Leaving,
  work: (wanted: Wanted) => Promise<Result>,
): Promise<Result> {
  const settled = cancelOnce(left, client);
  try {
    return await work({
      check() {
        if (left.isGone) throw new UnwantedError();
      },
      settled,
    });
  } catch (error) {
    throw left.isGone ? new UnwantedError() : error;
  } finally {
    await settled();
  }
}

/**
 * Once `left` is gone, cancels what the connection runs until the answer is called, which settles when no cancel request is on its
 * way any more. The answer may be called again.
 */
export function cancelOnce(left: Leaving, client: pg.PoolClient): () => Promise<void> | undefined {
  let canceling: Loop | undefined;
  const cancel = async () => {
    await cancelOn(client);
    return again(againMs);
  };
  const forget = left.whenGone(() => {
    canceling = startLoop({ round: cancel });
  });
  return () => {
    forget();
    return canceling?.stop();
  };
}

/** The server process of a connection, which `pg` knows and its types do not. */
interface Backend {
  host: string;
  port: number;
  processID: number | null;
  secretKey: number | null;
}

/** Asks the server to cancel what the connection runs. Settles when the server has passed that on, and after a failure, too. */
function cancelOn(client: pg.PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as Backend;
  if (processID === null || secretKey === null) return Promise.resolve();
  // CancelRequest of the protocol: its length, its code, and the process. The server takes it without TLS and a login.
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(80_877_102, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.setTimeout(cancelMs, () => socket.destroy());
    socket.on('error', () => {});
    // The server closes the connection once it has sent the signal.
    socket.on('close', () => resolve());
    socket.on('connect', () => socket.write(request));
    socket.resume();
  });
}
