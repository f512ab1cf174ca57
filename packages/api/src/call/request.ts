import type { Traced } from '@comanda/db';
import type { Given } from '../bodies/input.ts';
import type { Caller } from '../credentials/credentials.ts';
import type { ApiError } from '../errors.ts';
import type { ListStream, NextPage } from './answer.ts';
import type { RequestContext } from './context.ts';
import type { NamedOperation } from './definition.ts';

/** A call, as its entrance decoded it. */
export interface CallRequest extends RequestContext {
  /** The operation, as its family has it. */
  readonly operation: NamedOperation;
  readonly entrance: 'rest' | 'trpc' | 'mcp';
  /** `GET`, or `query`: the method by the entrance's own word, for the log. */
  readonly method: string;
  /** Method and target, or kind and name: for a certification. */
  readonly shown: string;
  readonly span: Traced;
  /** The caller of a request that was admitted before: this call is a part of it. Only its permission is checked. */
  readonly admitted?: Caller | undefined;
  /** Whether the entrance sends a stream while it is read; others get it as one text. */
  readonly takesStreams: boolean;
  /** Receives the input, once the call is admitted. Throws what its entrance refuses. */
  receive(caller: Caller): Promise<Given>;
}

/** The outcome of a call. Its headers are those of the request. */
export interface Outcome {
  readonly status: number;
  /** Unset where it was not admitted. */
  readonly caller?: Caller | undefined;
  /** The JSON text of the value, as the family shows it; with a stream, a refusal and the status 304 there is none. */
  readonly text?: string | undefined;
  /** A value that is read while it is sent. The entrance closes it. */
  readonly stream?: ListStream | undefined;
  readonly refusal?: ApiError | undefined;
  /** The cause of a refusal that is a fault, for the log. */
  readonly fault?: unknown;
  readonly etag?: string | undefined;
  readonly next?: NextPage | undefined;
}
