import { z } from 'zod';
import { prunerOf } from '../families.ts';
import type { Operation } from '../request/operations.ts';
import { IdempotencyKey } from '../wire.ts';
import { parameterExamples } from './demo-examples.ts';
import { answerExamples, componentExamples, fieldExamples } from './examples-table.ts';
import { bodyName } from './names.ts';

/**
 * An example of a schema: the component's own row of the table, or one made from its fields. Answers show every
 * field, `input` only those that a caller must send. Throws when no row and no rule gives a value that the schema
 * accepts: such a schema needs a row.
 */
export function exampleOf(schema: z.core.$ZodType, field = '', input = false): unknown {
  const meta = z.globalRegistry.get(schema);
  const named = meta?.id === undefined ? undefined : componentExamples[meta.id];
  if (named !== undefined) return shownBy(schema, structuredClone(named));
  for (const candidate of [meta?.example, fieldExamples[field]]) {
    if (candidate !== undefined && accepts(schema, candidate)) return structuredClone(candidate);
  }
  return made(schema, field, input);
}

/** An example of an operation's answer: that of its schema, as the example of the request leaves it. */
export function exampleAnswer({ name, output }: Pick<Operation, 'name' | 'output'>): unknown {
  const example = exampleOf(output);
  const left = answerExamples[name.replace(/^v1\./, '')];
  return left === undefined
    ? example
    : shownBy(output, Object.assign(example as object, structuredClone(left)));
}

/** An example of a parameter in path or query. Of the demo data where it names something: it finds it there. */
export function exampleParameter(
  { name, input }: Pick<Operation, 'name' | 'input'>,
  parameter: string,
): unknown {
  const [resource = ''] = name.replace(/^v1\./, '').split('.');
  const schema = input.shape[parameter];
  if (schema === undefined) throw new Error(`${name} has no parameter ${parameter}`);
  return parameterExamples[`${resource}.${parameter}`] ?? exampleOf(schema, parameter, true);
}

/** An example of an operation's request body: the input without what paths and headers carry. */
export function exampleBody(operation: Pick<Operation, 'name' | 'input'>): Record<string, unknown> {
  const { id: _id, ...body } = operation.input.shape;
  if (Object.keys(body).length === 0) return {};
  const named = componentExamples[bodyName(operation)];
  if (named !== undefined) return shownBy(operation.input, structuredClone(named)) as Record<string, unknown>;
  return exampleOf(z.object(body), '', true) as Record<string, unknown>;
}

/** An example of a whole input, as the typed client sends it. Throws when the input would not accept it. */
export function exampleInput(operation: Operation): Record<string, unknown> {
  const { name, input, meta } = operation;
  const example = {
    ...('id' in input.shape && { id: exampleParameter(operation, 'id') }),
    ...(meta.idempotent && { idempotencyKey: exampleOf(IdempotencyKey) }),
    ...exampleBody(operation),
  };
  const { error } = input.safeParse(example);
  if (error !== undefined)
    throw new Error(`${name}: the example of its input is not valid`, { cause: error });
  return example;
}

/** The part of an example that the family of the schema has. */
const shownBy = (schema: z.core.$ZodType, example: unknown): unknown =>
  prunerOf(schema)?.(example) ?? example;

function made(schema: z.core.$ZodType, field: string, input: boolean): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return exampleOf(schema.unwrap(), field, input);
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).filter(([, member]) => !input || required(member));
    return Object.fromEntries(fields.map(([name, member]) => [name, exampleOf(member, name, input)]));
  }
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element, field.replace(/s$/, ''), input)];
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodUnion) return exampleOf(schema.options[0] as z.core.$ZodType, field, input);
  if (schema instanceof z.ZodPipe) return exampleOf(input ? schema.in : schema.out, field, input);
  if (schema instanceof z.ZodRecord || schema instanceof z.ZodUnknown) return {};
  const fallback = ['text', 1, true].find((value) => accepts(schema, value));
  if (fallback === undefined)
    throw new Error(`the field ${field} needs a row in documents/examples-table.ts`);
  return fallback;
}

const required = (member: z.core.$ZodType | undefined): boolean =>
  member !== undefined && !accepts(member, undefined);

function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  return z.safeParse(schema, value).success;
}
