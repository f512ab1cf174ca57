/**
 * Every bound on input that reaches this process from outside, in milliseconds, bytes or pieces; bodies have
 * theirs in `rest/body.ts`. A request must arrive in time and be of a size, and no client takes all of the
 * process.
 */
export interface Bounds {
  /** From the first byte, or from connecting, until the headers are whole. */
  headersTimeoutMs: number;
  /** The same until the body is whole. */
  requestTimeoutMs: number;
  /** How long a connection may rest between two requests. */
  keepAliveMs: number;
  /** How long nothing may move on a connection: a caller who does not take the answer is cut off. */
  silenceMs: number;
  /** How often the first two are looked at. */
  checkEveryMs: number;
  /** Bytes of request line and headers together. */
  headerBytes: number;
  /** Headers of one request; Node would ignore those after 2,000 silently. */
  headers: number;
  /** Open connections; further ones are refused. From half of it on, connections that rest are closed. */
  connections: number;
}

/** The bounds of every server; a test may lower them. An idle connection costs about 20 KB. */
export const defaultBounds: Bounds = {
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 7_500,
  keepAliveMs: 60_000,
  // Longer than any statement, and than an export waits for its reader.
  silenceMs: 90_000,
  checkEveryMs: 1_000,
  headerBytes: 16 * 1024,
  headers: 100,
  connections: 4_096,
};
