import type { Permission } from '../permissions.ts';
import type { ErrorCode } from '../reasons.ts';
import type { TaggedTable } from './tags.ts';

/** A documented REST path of an operation, as the specification writes it. */
export type RestRoute = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${'v1' | 'v2'}/${string}`;

/** Everything about an operation that is data: entrances, documents, tests and limits all read it here. */
export interface OperationMeta {
  /** The permission that a key must hold; null when any valid key will do. */
  permission: Permission | null;
  /** One line for the documents. */
  summary: string;
  description?: string;
  /** Where REST serves it; none for the typed client's own. */
  rest?: readonly RestRoute[];
  /** The status of success: 200 unless said. 201 adds `Location`. */
  status?: 200 | 201 | 202;
  /** An unknown field of the body is refused, as with `Prefer: handling=strict`; else the answer names it. */
  strict?: true;
  /** Needs an idempotency key, which every other mutation takes, too: REST in a header, tRPC next to the input. */
  idempotent?: boolean;
  /** Counts against the batch limits once it starts; its body may have 8 MiB. */
  batch?: boolean;
  /** A mutation that is performed in the thread for large bodies at any size: it works on more than it is given. */
  apart?: boolean;
  /**
   * The answer carries an `ETag` that changes with every byte of the body; REST answers 304 to a caller whose `If-None-Match`
   * names it.
   */
  conditional?: boolean;
  /**
   * The answer carries the tag of this resource, which changes with every column that a change can set. One that writes
   * it by its `id` takes `If-Match`. The tag covers the whole body only where the operation is `conditional`, too.
   */
  tag?: TaggedTable;
  /** Some of its inputs are refused without `If-Match`, with 428. */
  asksForTag?: true;
  /** Events of types that the key does not see are left out, and `X-Hidden-Event-Types` names them. */
  hidesEventTypes?: true;
  /** Error codes beyond those that every operation can answer. */
  errors?: readonly Extract<ErrorCode, 'resource_not_found' | 'conflict'>[];
  /** The fields of the answer's example that differ from the example of its schema, as its request leaves them. */
  answerExample?: object;
}
