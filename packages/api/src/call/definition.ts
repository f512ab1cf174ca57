import type { z } from 'zod';
import type { Answer } from './answer.ts';
import type { CallContext } from './context.ts';
import type { OperationMeta } from './meta.ts';

/** A router's declaration of an operation. */
export interface Definition {
  meta: OperationMeta;
  input: z.ZodObject;
  output: z.ZodType;
  /** The operation's own work, for a call that was admitted and an input that was validated. */
  work: Work<CallContext>;
  /** It reads or writes together with other callers, and so begins without a slot of its own. */
  joins: boolean;
}

/** The work of an operation on its input. */
export type Work<Context, Input = unknown, Value = unknown> = (call: {
  ctx: Context;
  input: Input;
}) => Answer<Value> | Promise<Answer<Value>>;

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
  : Omittable<Input & { idempotencyKey?: string | undefined }>;

/** The input of a change of a resource that has a tag. */
export type Expecting<Given, Tagged extends boolean> = Tagged extends true
  ? Given extends { id: string }
    ? {
        /** The tag that the resource must have, as `tagOf` of the client reads it; else the call is refused with `changed_since`. */
        expected?: string | undefined;
      }
    : unknown
  : unknown;

/** An input that can be left out of a call when nothing of it is required. */
// biome-ignore lint/suspicious/noConfusingVoidType: only what may be void can be left out of a call.
export type Omittable<Input> = Record<never, never> extends Input ? void | Input : Input;

/** The input of a mutation that needs its key. */
export type Keyed<Input> = Input & { idempotencyKey: string };
