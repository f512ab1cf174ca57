import { z } from 'zod';
import { ErrorData } from '../../packages/api/src/call/error-data.ts';
import { type Keyless, keylessOf } from '../../packages/api/src/call/keyless.ts';
import { type Operation, operationsOf, takesIfMatch } from '../../packages/api/src/call/operations.ts';
import { carried } from '../../packages/api/src/carried.ts';
import { exampleInput } from '../../packages/api/src/documents/examples.ts';
import { bodyName } from '../../packages/api/src/documents/names.ts';
import { includedFields } from '../../packages/api/src/included.ts';
import {
  events,
  eventTypes,
  subscribableEventTypes,
} from '../../packages/api/src/resources/events/types.schema.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { typeOf as typeOfValues } from '../../packages/api/src/typed-as.ts';
import { IdempotencyKey } from '../../packages/api/src/wire.ts';
import {
  comment,
  commentWithExample,
  indent,
  type JsonSchema,
  pageName,
  typeOf,
  undefinedToo,
  type Way,
} from './json-types.ts';

/**
 * The declarations that replace `packages/client/src/surface.ts` outside of the workspace, written without zod, Express
 * or Prisma: the shapes (every named one, and the data of every event), which need no tRPC, and the router.
 */
export function surfaceDeclarations(): { shapes: string; names: string[]; router: string } {
  const shapes = new Shapes();
  const router = routerType([...keylessOf(appRouter), ...operationsOf(appRouter)], shapes);
  const eventData = Object.entries(events).map(([type, row]) => {
    return `${comment(`Sent when ${row.trigger}.`)}'${type}': ${shapes.type(row.data, 'output')};`;
  });
  shapes.type(ErrorData, 'output');
  const parts = [
    `/** \`data\` of every event type. */\ntype EventData = {\n${indent(eventData.join('\n'))}\n};`,
    `/** An event type that an endpoint can subscribe to. */\ntype SubscribableEventType = Exclude<EventType, 'webhook.test'>;`,
    `/** The fields of every error of a reason, by its name in \`ErrorData\`. */\ntype ErrorDetails = ${literalType(carried)};`,
    `/** The fields that an answer has only where \`include\` names this. */\ntype Included = ${literalType(includedFields)};`,
    ...shapes.declarations(),
  ];
  return {
    shapes: parts.join('\n\n'),
    names: ['EventData', 'SubscribableEventType', 'ErrorDetails', 'Included', ...shapes.names()],
    router: `${scaffold}\n\n/** Every procedure of the service with its input and output, for a client of your own links. */\ntype AppRouter = RouterOf<Root, ${router}>;`,
  };
}

/** A table of names as a type: of a list the names in it, of an empty one none. */
function literalType(table: Readonly<Record<string, string | readonly string[]>>): string {
  const rows = Object.entries(table).map(([name, value]) => {
    const names = [...new Set([value].flat())].map((each) => JSON.stringify(each));
    return `  ${name}: ${names.join(' | ') || 'never'};`;
  });
  return `{\n${rows.join('\n')}\n}`;
}

// tRPC's requirements of a router: the shape of its errors, and that values travel as plain JSON.
const scaffold = `
type Root = {
  ctx: object;
  meta: object;
  errorShape: {
    code: number;
    message: string;
    data: ErrorData;
  };
  transformer: false;
};

type Asked<Input, Output> = ProcedureOf<'query', Input, Output>;

type Mutation<Input, Output> = ProcedureOf<'mutation', Input, Output>;

/** The input of a mutation that can be repeated: with the same key it is done once. */
type Repeatable<Input> = Input extends void
  ? void | { idempotencyKey?: string | undefined }
  : Record<never, never> extends Input
    ? void | (Input & { idempotencyKey?: string | undefined })
    : Input & { idempotencyKey?: string | undefined };

/** The input of a change of a resource that has a tag. */
type Expecting = {
  /** The tag that the resource must have, as tagOf reads it; else the call is refused with changed_since. */
  expected?: string | undefined;
};
`.trim();

function routerType(operations: (Operation | Keyless)[], shapes: Shapes): string {
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

type Branch = Map<string, Operation | Keyless | Branch>;

function branchType(branch: Branch, shapes: Shapes): string {
  const members = [...branch].map(([name, member]) => {
    if (member instanceof Map) return `${name}: ${branchType(member, shapes)};`;
    if (!('kind' in member))
      return `${comment(`${member.meta.summary}. ${member.meta.description} Needs no key.`)}${name}: Mutation<Repeatable<${shapes.type(member.input, 'input')}>, ${shapes.type(member.output, 'output')}>;`;
    const { meta, kind, input, output } = member;
    const needs = meta.permission === null ? 'Any valid key will do.' : `Permission: \`${meta.permission}\`.`;
    const says = commentWithExample(
      [`${meta.summary}.`, meta.description, needs].join(' '),
      exampleCall(member),
    );
    const given = shapes.inputType(member, meta.idempotent ? withKey(input) : input);
    const keyed = meta.idempotent ? given : `Repeatable<${given}>`;
    const changing = takesIfMatch(member) ? `${keyed} & Expecting` : keyed;
    const taken = kind === 'query' ? omittable(given, input) : changing;
    return `${says}${name}: ${kind === 'query' ? 'Asked' : 'Mutation'}<${taken}, ${shapes.type(output, 'output')}>;`;
  });
  return `{\n${indent(members.join('\n'))}\n}`;
}

const omittable = (given: string, input: z.ZodObject) =>
  given !== 'void' && Object.values(input.shape).every((member) => z.safeParse(member, undefined).success)
    ? `void | ${given}`
    : given;

function exampleCall(operation: Operation): string {
  const { name, kind } = operation;
  const input = exampleInput(operation);
  const given = Object.keys(input).length === 0 ? '' : JSON.stringify(input, null, 2);
  const literal = given.replace(/^( *)"([A-Za-z_]\w*)":/gm, '$1$2:');
  return `await comanda.${name}.${kind === 'query' ? 'query' : 'mutate'}(${literal});`;
}

const withKey = (input: z.ZodObject) =>
  z.object({ idempotencyKey: IdempotencyKey, ...input.shape }).meta({ ...input.meta() });

/** The named shapes met so far. Two of one name must be the same shape. */
class Shapes {
  readonly #found = new Map<string, string>();

  /** A schema as a type; what has a name in it is declared once and referred to. */
  type(schema: z.ZodType, way: Way): string {
    const {
      $schema: _,
      $defs = {},
      ...own
    } = z.toJSONSchema(schema, {
      io: way,
      override: ({ zodSchema, jsonSchema }) => this.#knowClosely(zodSchema, jsonSchema, way),
    }) as JsonSchema & { $schema?: string };
    for (const [name, definition] of Object.entries($defs)) this.#declare(name, definition, way);
    return named(typeOf(own, way));
  }

  // Types that the client knows more closely than the schema.
  #knowClosely(schema: z.core.$ZodType, json: object, way: Way): void {
    const closer = typeOfValues(schema);
    if (closer === undefined) return;
    for (const name of Object.keys(json)) Reflect.deleteProperty(json, name);
    const id = closer.meta()?.id;
    if (id !== undefined) this.type(closer, way);
    const own = id === undefined ? z.toJSONSchema(closer, { io: way }) : { $ref: `#/$defs/${id}` };
    Object.assign(json, own);
  }

  /** The input of an operation: by its own name, by its identifier, or as in the documents. */
  inputType(operation: Operation, input: z.ZodObject): string {
    const fields = Object.keys(input.shape);
    if (fields.length === 0) return 'void';
    if (input.meta()?.id !== undefined) return this.type(input, 'input');
    const [field = ''] = fields;
    // A list's answer may have the name that its filters would have, too.
    const asked = operation.kind === 'query' ? 'Input' : '';
    const family = operation.name.startsWith('v1.') ? 'V1' : '';
    const id = fields.length === 1 && finders[field] ? finders[field] : bodyName(operation) + asked + family;
    return this.type(input.meta({ ...input.meta(), id }), 'input');
  }

  /** The names, sorted. */
  names(): string[] {
    return [...this.#found.keys()].sort();
  }

  /** The declarations, by name. */
  declarations(): string[] {
    return this.names().map((name) => this.#found.get(name) ?? '');
  }

  #declare(name: string, schema: JsonSchema, way: Way): void {
    const type = named(typeOf(schema, way));
    // A choice between objects begins with a brace, too.
    const isObject = schema.type === 'object' && type.startsWith('{');
    const head = isObject ? `interface ${name} ${type}` : `type ${name} = ${type};`;
    const text = comment(schema.description) + head;
    const known = this.#found.get(name) ?? text;
    if (exact(known) !== exact(text)) {
      throw new Error(`${name} names two shapes; give one of them an id of its own:\n${known}\n${text}`);
    }
    // A type that goes both ways is written as input, which takes more.
    this.#found.set(name, known.length > text.length ? known : text);
    if (name.endsWith('Pagination')) this.#declarePage(pageName(name), name);
  }

  #declarePage(name: string, pagination: string): void {
    const says = comment('A part of a list.');
    this.#found.set(
      name,
      `${says}interface ${name}<Entry> {\n  data: Entry[];\n  pagination: ${pagination};\n}`,
    );
  }
}

/** Inputs of one field. */
const finders: Readonly<Record<string, string>> = { id: 'ById', external_id: 'ByExternalId' };

const exact = (text: string) => text.replaceAll(undefinedToo, '');

// All types of events, and those that can be subscribed to, are in several places.
function named(type: string): string {
  const union = (types: readonly string[]) => types.map((name) => JSON.stringify(name)).join(' | ');
  return type
    .replaceAll(union(eventTypes), 'EventType')
    .replaceAll(union(subscribableEventTypes), 'SubscribableEventType')
    .replace(/\((\w+)\)\[\]/g, '$1[]');
}
