import { z } from 'zod';
import type { Operation } from '../call/operations.ts';
import { prunerOf } from '../families.ts';
import { IdempotencyKey } from '../wire.ts';

/**
 * An example of a schema: its own, as its family has it, or one made from its fields. Answers show every field, `input` only those
 * that a caller must send. Throws when neither gives a value that the schema accepts: such a schema needs an `example`.
 */
export function exampleOf(schema: z.core.$ZodType, input = false): unknown {
  const own = z.globalRegistry.get(schema)?.example;
  return own === undefined ? made(schema, input) : shownBy(schema, structuredClone(own));
}

/** An example of an operation's answer: that of its schema, as the example of the request leaves it. */
export function exampleAnswer({
  meta,
  output,
}: Pick<Operation, 'output'> & { meta: { answerExample?: object } }): unknown {
  const { answerExample } = meta;
  const example = exampleOf(output);
  return answerExample === undefined
    ? example
    : shownBy(output, Object.assign(example as object, structuredClone(answerExample)));
}

/** An example of an operation's request body: the input without what paths and headers carry. */
export function exampleBody({ input }: Pick<Operation, 'input'>): object {
  const { id: _id, ...body } = input.shape;
  return exampleOf(input.meta()?.example === undefined ? z.object(body) : input, true) as object;
}

/** An example of a whole input, as the typed client sends it. Throws when the input would not accept it. */
export function exampleInput({ name, input, meta }: Operation): Record<string, unknown> {
  const { id } = input.shape;
  const example = {
    ...(id !== undefined && { id: exampleOf(id, true) }),
    ...(meta.idempotent && { idempotencyKey: exampleOf(IdempotencyKey) }),
    ...exampleBody({ input }),
  };
  const { error } = input.safeParse(example);
  if (error !== undefined)
    throw new Error(`${name}: the example of its input is not valid`, { cause: error });
  return example;
}

/** The part of an example that the family of the schema has. */
const shownBy = (schema: z.core.$ZodType, example: unknown): unknown =>
  prunerOf(schema)?.(example) ?? example;

function made(schema: z.core.$ZodType, input: boolean): unknown {
  if (schema instanceof z.ZodDefault) return schema._zod.def.defaultValue;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return exampleOf(schema.unwrap(), input);
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).filter(
      ([, member]) => !input || !z.safeParse(member, undefined).success,
    );
    return Object.fromEntries(fields.map(([name, member]) => [name, exampleOf(member, input)]));
  }
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element, input)];
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodUnion) return exampleOf(schema.options[0] as z.core.$ZodType, input);
  if (schema instanceof z.ZodPipe) return exampleOf(input ? schema.in : schema.out, input);
  if (schema instanceof z.ZodRecord || schema instanceof z.ZodUnknown) return {};
  const fallback = ['text', 1, true].find((value) => z.safeParse(schema, value).success);
  if (fallback === undefined)
    throw new Error(
      `a schema of the kind ${schema._zod.def.type} needs an example: ${JSON.stringify(z.globalRegistry.get(schema))}`,
    );
  return fallback;
}
