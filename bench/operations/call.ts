import type { Hand } from './hand.ts';
import type { Sent, Stage } from './stage.ts';

/** The reference for an operation; each has its goal in parts/operations.ts. */
export type Kind =
  /** an order of three items, and what begins a job: the yardstick of writes */
  | 'order'
  /** changes one resource that many change */
  | 'hot write'
  /** changes what seldom changes */
  | 'seldom write'
  /** takes a batch, of one here */
  | 'batch'
  /** a list of 50 */
  | 'list'
  /** looks at every product */
  | 'search'
  /** reads one resource */
  | 'read'
  /** grows with what the location has; measured in parts of their own (catalog, export) */
  | 'whole';

/** An operation, and how it is called over and over. */
export interface Call {
  /** The documented method and path; `payments.complete` for a procedure. */
  operation: string;
  /** The name that distinguishes it from another call of the same operation. */
  of?: string;
  kind: Kind;
  /** Makes what `count` calls use up, and gives the calls. */
  prepare(stage: Stage, count: number): Promise<(at: number) => Sent> | ((at: number) => Sent);
  /** So many calls at a time: it makes or uses up something. A location has 50 endpoints. */
  most?: number;
  /** So many calls are measured, and half as many before to warm up: 400 unless said. For what takes long. */
  calls?: number;
  /** The same, asked of the hand-written reference. */
  byHand?(hand: Hand): () => Sent;
}

/** A read that is asked the same way each time. */
export const get = (
  kind: Kind,
  operation: string,
  path: (stage: Stage) => string,
  { before, ...more }: Partial<Call> & { before?(stage: Stage): Promise<unknown> } = {},
): Call => ({
  kind,
  operation,
  async prepare(stage) {
    await before?.(stage);
    const sent: Sent = { method: 'GET', path: path(stage) };
    return () => sent;
  },
  ...more,
});

/** A write that differs each time. */
export const write = (
  kind: Kind,
  operation: string,
  next: (stage: Stage) => Omit<Sent, 'method'>,
  more: Partial<Call> = {},
): Call => ({
  kind,
  operation,
  prepare: (stage) => () => ({ method: methodOf(operation), ...next(stage) }),
  ...more,
});

/** A write that uses up one of what `make` makes. */
export const use = (
  kind: Kind,
  operation: string,
  make: (stage: Stage, count: number) => Promise<string[]>,
  next: (id: string) => Omit<Sent, 'method'>,
  more: Partial<Call> = {},
): Call => ({
  kind,
  operation,
  most: 300,
  async prepare(stage, count) {
    const ids = await make(stage, count);
    return (at) => ({ method: methodOf(operation), ...next(ids[at] ?? '') });
  },
  ...more,
});

const methodOf = (operation: string) =>
  (/^(GET|POST|PATCH|DELETE) /.exec(operation)?.[1] ?? 'POST') as Sent['method'];
