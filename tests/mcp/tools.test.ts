import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { exampleInput } from '../../packages/api/src/documents/examples.ts';
import { type JsonSchema, mostDepth } from '../../packages/api/src/http/mcp/schema.ts';
import { type Tool, visibleTo } from '../../packages/api/src/http/mcp/tools.ts';
import { Permission } from '../../packages/api/src/permissions.ts';
import { operations } from '../support/documented.ts';
import { argumentsFrom, tools } from './entrance.ts';

const reading = new Set(Permission.options.filter((name) => name.endsWith(':read')));
const all = [...tools.values()];

const isJob = ({ operationFor }: Tool): boolean => operationFor !== undefined;

test('jobs are tools, too, and only read', () => {
  const jobs = all.filter(isJob).map(({ listed }) => listed);
  expect(jobs.map(({ name }) => name)).toEqual(['order_story', 'endpoint_diagnosis', 'day_in_figures']);
  for (const { annotations } of jobs) expect(annotations).toEqual({ readOnlyHint: true });
});

test('a tool is every operation of v2, except an export and what answers a secret', () => {
  const served = operations.filter(({ routes }) => routes.some(({ version }) => version === 'v2'));
  const names = new Set(all.filter((tool) => !isJob(tool)).map(({ operation }) => operation.name));
  const left = served.filter(({ name }) => !names.has(name)).map(({ name }) => name);
  expect(left.sort()).toEqual(['orders.export', 'webhookEndpoints.create', 'webhookEndpoints.rotateSecret']);
  expect(names.size).toBe(served.length - left.length);
});

test('the list for a key that only reads has at most 40 tools, in at most 12,000 tokens of 4 characters', () => {
  const visible = visibleTo(all, { granted: reading });
  expect(visible.every(({ listed }) => listed.annotations.readOnlyHint)).toBe(true);
  expect(visible.length).toBeGreaterThan(30);
  expect(visible.length).toBeLessThanOrEqual(40);
  const text = JSON.stringify({ tools: visible.map(({ listed }) => listed) });
  expect(text.length / 4).toBeLessThanOrEqual(12_000);
});

test('what is rehearsed names its rehearsal', () => {
  expect(tools.get('orders_create')?.listed.description).toContain('`orders_quote`');
  const dry = all.filter(({ listed }) => 'dry_run' in listed.inputSchema.properties);
  expect(dry.map(({ operation }) => operation.name).sort()).toEqual([
    'catalog.sync',
    'stock.sync',
    'syncJobs.startProducts',
  ]);
  for (const { listed } of dry) expect(listed.description).toContain('Rehearse it with `dry_run`');
});

test('only deletions, cancellations and other changes are destructive, and creations are not', () => {
  const of = (name: string) => tools.get(name)?.listed.annotations;
  expect(of('orders_create')).toEqual({ readOnlyHint: false, destructiveHint: false, idempotentHint: true });
  expect(of('products_delete')).toEqual({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
  expect(of('orders_quote')).toEqual({ readOnlyHint: true });
});

describe.each(all)('$listed.name', ({ operation, listed }: Tool) => {
  const { inputSchema } = listed;
  const nodes = [...nodesOf(inputSchema, 1)];

  test('has a schema that every client takes', () => {
    expect(listed.name).toMatch(/^[a-z0-9_]{1,40}$/);
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    for (const keyword of ['$ref', '$defs', 'if', 'allOf', 'pattern', 'example', 'title', 'id'])
      expect(nodes.filter(({ schema }) => keyword in schema)).toEqual([]);
    for (const keyword of ['anyOf', 'oneOf', 'not']) expect(inputSchema).not.toHaveProperty(keyword);
    for (const { schema } of nodes) {
      const { required = [], properties = {} } = schema as Pick<JsonSchema, 'required' | 'properties'>;
      const filled = Object.entries(properties as object).filter(([, field]) => 'default' in field);
      expect(filled.filter(([name]) => (required as string[]).includes(name))).toEqual([]);
    }
    expect(mostDepth).toBe(5);
    expect(Math.max(...nodes.map(({ depth }) => depth))).toBeLessThanOrEqual(mostDepth);
  });

  test('describes every argument, and nothing by what only HTTP has', () => {
    const said = nodes.map(({ schema }) => String(schema.description ?? ''));
    for (const text of [listed.title, listed.description, ...said])
      expect(text).not.toMatch(/\bX-[A-Z]|If-Match|If-None|ETag|`Link`|Idempotency-Key|percent-encoded|REST/);
    const bare = Object.entries(inputSchema.properties).filter(([, { description }]) => !description);
    expect(bare.map(([name]) => name)).toEqual([]);
  });

  test('takes the example of its operation, and nothing unknown', () => {
    const example = argumentsFrom(exampleInput(operation));
    // Clients read schemas in either dialect.
    for (const Dialect of [Ajv2020, Ajv]) {
      const valid = new Dialect({ strict: false, validateFormats: false }).compile(inputSchema);
      expect(valid(example), JSON.stringify(valid.errors)).toBe(true);
      expect(valid({ ...example, idempotencyKey: 'x' })).toBe(false);
    }
  });
});

interface Node {
  schema: JsonSchema;
  depth: number;
}

/** The schema and all schemas in it, with the number of objects around them. */
function* nodesOf(schema: JsonSchema, depth: number): Generator<Node> {
  yield { schema, depth };
  for (const [keyword, value] of Object.entries(schema)) {
    if (['default', 'enum', 'const', 'required'].includes(keyword)) continue;
    if (keyword === 'properties') {
      for (const field of Object.values(value as JsonSchema)) {
        const inner = field as JsonSchema;
        yield* nodesOf(inner, depth + ('properties' in inner || holdsObjects(inner) ? 1 : 0));
      }
    } else
      for (const part of [value].flat())
        if (typeof part === 'object' && part !== null) yield* nodesOf(part as JsonSchema, depth);
  }
}

const holdsObjects = (schema: JsonSchema): boolean => JSON.stringify(schema).includes('"properties"');
