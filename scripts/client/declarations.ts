import { z } from 'zod';
import { bodyName } from '../../packages/api/src/documents/names.ts';
import { errorCodes } from '../../packages/api/src/errors.ts';
import { events } from '../../packages/api/src/events.ts';
import { type Operation, operationsOf } from '../../packages/api/src/operations.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { IdempotencyKey } from '../../packages/api/src/wire.ts';
import { comment, indent, type JsonSchema, typeOf } from './json-types.ts';

/**
 * The declarations that stand in for `packages/client/src/surface.ts` outside of the workspace: every named
 * shape, the error codes, the data of every event, and the router, told without zod, Express or Prisma.
 */
export function surfaceDeclarations(): { text: string; names: string[] } {
  const shapes = new Shapes();
  const router = routerType(operationsOf(appRouter), shapes);
  const eventTypes = Object.entries(events).map(([type, row]) => {
    return `${comment(`Sent when ${row.trigger}.`)}'${type}': ${shapes.type(row.data, 'output')};`;
  });
  const codes = Object.entries(errorCodes).map(([code, { meaning }]) => `  /* ${meaning} */\n  | '${code}'`);
  const parts = [
    `/** The error codes of the service. */\ntype ErrorCode =\n${codes.join('\n')};`,
    `/** \`data\` of every event type. */\ntype EventData = {\n${indent(eventTypes.join('\n'))}\n};`,
    ...shapes.declarations(),
    scaffold,
    `/** Every procedure of the service with its input and output. */\ntype AppRouter = TRPCBuiltRouter<Root, ${router}>;`,
  ];
  return { text: parts.join('\n\n'), names: shapes.names() };
}

// What tRPC wants to know of a router: the shape of its errors, and that values travel as plain JSON.
const scaffold = `
type Root = {
  ctx: object;
  meta: object;
  errorShape: {
    code: TRPC_ERROR_CODE_NUMBER;
    message: string;
    data: { code: ErrorCode; httpStatus: number; requestId: string };
  };
  transformer: false;
};

type Query<Input, Output> = TRPCQueryProcedure<{ input: Input; output: Output; meta: object }>;

type Mutation<Input, Output> = TRPCMutationProcedure<{ input: Input; output: Output; meta: object }>;

/** The input of a mutation that can be repeated: with the same key it is done once. */
type Repeatable<Input> = Input extends void
  ? void | { idempotencyKey?: string | undefined }
  : Input & { idempotencyKey?: string | undefined };
`.trim();

function routerType(operations: Operation[], shapes: Shapes): string {
  const root: Branch = new Map();
  for (const operation of operations) {
    const path = operation.name.split('.');
    const verb = path.pop() ?? '';
    let branch = root;
    for (const part of path) {
      const next = branch.get(part) ?? new Map();
      if (!(next instanceof Map)) throw new Error(`${operation.name}: ${part} is an operation`);
      branch.set(part, next);
      branch = next;
    }
    branch.set(verb, operation);
  }
  return branchType(root, shapes);
}

type Branch = Map<string, Operation | Branch>;

function branchType(branch: Branch, shapes: Shapes): string {
  const members = [...branch].map(([name, member]) => {
    if (member instanceof Map) return `${name}: ${branchType(member, shapes)};`;
    const { meta, kind, input, output } = member;
    const needs = meta.permission === null ? 'Any valid key will do.' : `Permission: \`${meta.permission}\`.`;
    const says = comment(`${meta.summary}.`, meta.description, needs);
    const given = shapes.inputType(member, meta.idempotent ? withKey(input) : input);
    const taken = kind === 'query' || meta.idempotent ? given : `Repeatable<${given}>`;
    return `${says}${name}: ${kind === 'query' ? 'Query' : 'Mutation'}<${taken}, ${shapes.type(output, 'output')}>;`;
  });
  return `{\n${indent(members.join('\n'))}\n}`;
}

const withKey = (input: z.ZodObject) =>
  z.object({ idempotencyKey: IdempotencyKey, ...input.shape }).meta({ ...input.meta() });

/** The named shapes met so far. Two of one name must be the same shape. */
class Shapes {
  readonly #found = new Map<string, string>();

  /** A schema as a type; what has a name in it is declared once and referred to. */
  type(schema: z.ZodType, io: 'input' | 'output'): string {
    const {
      $schema: _,
      $defs = {},
      ...own
    } = z.toJSONSchema(schema, { io }) as JsonSchema & { $schema?: string };
    for (const [name, definition] of Object.entries($defs)) this.#declare(name, definition);
    return typeOf(own);
  }

  /** What an operation takes. What changes something has a name, as in the documents; filters stand in line. */
  inputType(operation: Operation, input: z.ZodObject): string {
    if (Object.keys(input.shape).length === 0) return 'void';
    const isNamed = input.meta()?.id !== undefined || operation.kind === 'query';
    if (isNamed || Object.keys(input.shape).length === 1) return this.type(input, 'input');
    const family = operation.name.startsWith('v1.') ? 'V1' : '';
    return this.type(input.meta({ ...input.meta(), id: bodyName(operation) + family }), 'input');
  }

  /** The names, sorted. */
  names(): string[] {
    return [...this.#found.keys()].sort();
  }

  /** The declarations, by name. */
  declarations(): string[] {
    return this.names().map((name) => this.#found.get(name) ?? '');
  }

  #declare(name: string, schema: JsonSchema): void {
    const type = typeOf(schema);
    // A choice between objects begins with a brace, too.
    const isObject = schema.type === 'object' && type.startsWith('{');
    const head = isObject ? `interface ${name} ${type}` : `type ${name} = ${type};`;
    const text = comment(schema.description) + head;
    const known = this.#found.get(name);
    if (known !== undefined && known !== text) {
      throw new Error(`${name} names two shapes; give one of them an id of its own:\n${known}\n${text}`);
    }
    this.#found.set(name, text);
  }
}
