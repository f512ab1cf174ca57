import { beforeAll, describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { type Operation, operationsOf } from '../../packages/api/src/call/operations.ts';
import { exampleAnswer, exampleBody, exampleOf } from '../../packages/api/src/documents/examples.ts';
import { openApiDocument } from '../../packages/api/src/documents/openapi.ts';
import { webhooks } from '../../packages/api/src/documents/webhooks.ts';
import { familyOf, onlyIn, prunerOf, schemaIn } from '../../packages/api/src/families.ts';
import { dataIn } from '../../packages/api/src/resources/events/data.rules.ts';
import { publishedEvents } from '../../packages/api/src/resources/events/schema.ts';
import { type EventType, events, eventTypes } from '../../packages/api/src/resources/events/types.schema.ts';
import { Order, OrderCreate } from '../../packages/api/src/resources/orders/schema.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { familyRouter } from './family-router.ts';

// Rules for every field that only one family has, wherever it is declared: checked on the router of the service, and on one
// that has such fields.

interface Document {
  components: { schemas: Record<string, unknown> };
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
}

/** The paths of all members that a part of a document describes, references followed. */
function membersIn(document: Document, node: unknown, at = '', seen: readonly string[] = []): string[] {
  if (Array.isArray(node)) return node.flatMap((entry) => membersIn(document, entry, at, seen));
  if (typeof node !== 'object' || node === null) return [];
  const { $ref, properties, example: _, examples: __, ...rest } = node as Record<string, unknown>;
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1) ?? '';
    return seen.includes(name)
      ? []
      : membersIn(document, document.components.schemas[name], at, [...seen, name]);
  }
  const own = Object.entries((properties ?? {}) as Record<string, unknown>).flatMap(([name, member]) => [
    `${at}.${name}`,
    ...membersIn(document, member, `${at}.${name}`, seen),
  ]);
  return [...own, ...Object.values(rest).flatMap((member) => membersIn(document, member, at, seen))];
}

/** The paths of all members of a value. */
function membersOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => membersOf(entry, at));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    `${at}.${name}`,
    ...membersOf(member, `${at}.${name}`),
  ]);
}

/** A value with every member of a schema, to be pruned: what is in it decides nothing. */
function everyMember(schema: unknown): unknown {
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape).map(([name, member]) => [name, everyMember(member)]),
    );
  if (schema instanceof z.ZodArray) return [everyMember(schema.element)];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return everyMember(schema.unwrap());
  return 'x';
}

const without = (all: readonly string[], some: readonly string[]) =>
  [...new Set(all)].filter((path) => !some.includes(path)).sort();

/** The fields that the plan of a family removes from an answer, and those of the other that its document leaves out. */
function takenFrom({ output, isList, routes }: Operation, documents: Record<'v1' | 'v2', Document>) {
  const full = everyMember(output);
  return (['v1', 'v2'] as const).map((family) => {
    const other = family === 'v1' ? 'v2' : 'v1';
    const described = (version: 'v1' | 'v2') => {
      const { path = '', method = '' } = routes.find((route) => route.version === version) ?? {};
      const { responses } = documents[version].paths[path]?.[method.toLowerCase()] ?? { responses: {} };
      const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
      const members = membersIn(documents[version], (success as { content: unknown }).content);
      return isList
        ? members
        : members.map((path) => path.replace(/^\.data/, '')).filter((path) => path !== '');
    };
    const pruned = prunerOf(schemaIn(output, family))?.(full) ?? full;
    return {
      family,
      byPlan: without(membersOf(full), membersOf(pruned)),
      byDocument: without(described(other), described(family)),
    };
  });
}

describe('what answers of a family leave out differs from what its document leaves out', () => {
  const shared = (all: readonly Operation[]) =>
    all.filter(({ routes }) => new Set(routes.map(({ version }) => version)).size === 2);
  const documentsOf = async (of: typeof appRouter | typeof familyRouter) => {
    const [v1, v2] = await Promise.all(
      (['v1', 'v2'] as const).map((version) => openApiDocument(of, version)),
    );
    return { v1, v2 } as unknown as Record<'v1' | 'v2', Document>;
  };
  let documents: Record<'v1' | 'v2', Document>;
  let ownDocuments: Record<'v1' | 'v2', Document>;
  beforeAll(async () => {
    documents = await documentsOf(appRouter);
    ownDocuments = await documentsOf(familyRouter);
  });

  it.each(shared(operationsOf(appRouter)))('$name', (each) => {
    for (const { byPlan, byDocument } of takenFrom(each, documents)) expect(byDocument).toEqual(byPlan);
  });

  it.each(shared(operationsOf(familyRouter)))('of a router that has such fields: $name', (each) => {
    const [v1, v2] = takenFrom(each, ownDocuments);
    const at = each.isList ? '.data' : each.name === 'parts.exported' ? '.parts' : '';
    expect(v1?.byPlan).toEqual([`${at}.barcode`, `${at}.maker.country`]);
    expect(v2?.byPlan).toEqual([`${at}.legacy_code`]);
    expect([v1?.byDocument, v2?.byDocument]).toEqual([v1?.byPlan, v2?.byPlan]);
  });
});

describe('a field of an order that v1 alone has is in the document of v2:', () => {
  const { external_id: shown, adjustments: _shown, ...rest } = Order.shape;
  const own = z.object({ ...rest, ...onlyIn('v1', { external_id: shown }) }).meta({ id: 'Order' });
  const { external_id: given, adjustments: _given, ...others } = OrderCreate.shape;
  const body = z.object({ ...others, ...onlyIn('v1', { external_id: given }) }).meta({ id: 'OrderCreate' });

  test('in the body of an event', () => {
    const event = z.object({ ...publishedEvents['order.created'].shape, data: own });
    const { post } = webhooks({ ...publishedEvents, 'order.created': event })['order.created'] ?? {};
    const described = JSON.stringify(z.toJSONSchema(content(post?.requestBody)));
    expect(described).toContain('"channel"');
    expect(described).not.toContain('"external_id"');
  });

  test.each(['v1', 'v2'] as const)('in examples, of which it is in those of v1: %s', (family) => {
    const [output, input] = [schemaIn(own, family), schemaIn(body, family)];
    const examples = {
      component: exampleOf(output),
      answer: exampleAnswer({ meta: {}, output }),
      body: exampleBody({ input }),
    };
    for (const [name, example] of Object.entries(examples))
      expect(Object.keys(example as object).includes('external_id'), name).toBe(family === 'v1');
  });
});

/** The schema of a body as the documents are given it. */
function content(body: unknown): z.ZodType {
  const { schema } =
    (body as { content: Record<string, { schema?: unknown }> }).content['application/json'] ?? {};
  if (schema instanceof z.ZodType) return schema;
  throw new Error('a body without a schema');
}

it.each(operationsOf(appRouter))('a field that one family cannot give is needed: $name', ({ input }) => {
  for (const [name, field] of fieldsIn(input))
    if (familyOf(field) !== undefined) expect(z.safeParse(field, undefined).data, name).toBeUndefined();
  for (const [name, field] of fieldsIn(input))
    if (familyOf(field) !== undefined) expect(z.safeParse(field, undefined).success, name).toBe(true);
});

function fieldsIn(schema: unknown): [string, z.core.$ZodType][] {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape as Record<string, z.core.$ZodType>).flatMap(([name, member]) => [
      [name, member] as [string, z.core.$ZodType],
      ...fieldsIn(member),
    ]);
  if (schema instanceof z.ZodArray) return fieldsIn(schema.element);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return fieldsIn(schema.unwrap());
  return [];
}

it.each(eventTypes)(
  'the text of an event keeps a field of the other family, or is another although it has none %s',
  (type: EventType) => {
    const { data } = events[type];
    const full = everyMember(data);
    for (const family of ['v1', 'v2'] as const) {
      const own = prunerOf(schemaIn(data, family))?.(full) ?? full;
      expect(dataIn(type, family, JSON.stringify(full))).toBe(JSON.stringify(own));
    }
  },
);
