import type { z } from 'zod';
import type { Answer } from './answer.ts';
import type { CallContext } from './context.ts';
import type { OperationMeta } from './meta.ts';

/** What a router says of an operation. */
export interface Definition {
  meta: OperationMeta;
  input: z.ZodObject;
  output: z.ZodType;
  /** The operation's own work, for a call that was admitted and an input that was validated. */
  work(call: { ctx: CallContext; input: unknown }): Answer<unknown> | Promise<Answer<unknown>>;
}

/** An operation under its name in the router. */
export interface NamedOperation extends Definition {
  /** `orders.create`; `v1.orders.create` where the first family differs. */
  name: string;
  kind: 'query' | 'mutation';
}

/** The input of a mutation that can be repeated: with the same key it is done once. */
export type Repeatable<Input> = Input extends void
  ? // biome-ignore lint/suspicious/noConfusingVoidType: only what may be void can be left out of a call.
    void | { idempotencyKey?: string | undefined }
  : Input & { idempotencyKey?: string | undefined };

/** The input of a mutation that needs its key. */
export type Keyed<Input> = Input & { idempotencyKey: string };
