import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../packages/api/src/documents/openapi.ts';
import { documentedOf, parametersOf } from '../../packages/api/src/documents/site/documented.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { webhookHeaders } from '../../packages/worker/src/http/headers.ts';

const documents = { v1: await openApiDocument(appRouter, 'v1'), v2: await openApiDocument(appRouter, 'v2') };

describe.each(['v1', 'v2'] as const)('the %s document', (version) => {
  const nodes = [...schemasIn(documents[version], '')];
  const operations = documentedOf(version, documents[version]);

  test('names every object: bodies, answers, entries of lists, events', () => {
    const inline = nodes.filter(
      // The content of an `if` is a condition, and no shape.
      ({ at, node }) => !/^\/components\/schemas\/\w+($|\/if\/)/.test(at) && 'properties' in node,
    );
    expect(inline.map(({ at }) => at)).toEqual([]);
    for (const { path, operation, components } of operations) {
      const [, success] =
        Object.entries(operation.responses ?? {}).find(([code]) => code.startsWith('2')) ?? [];
      const { content } = success as { content: Record<string, { schema: { $ref: string } }> };
      const [[type, { schema }] = ['', { schema: { $ref: '' } }]] = Object.entries(content);
      expect(schema.$ref, path).toMatch(
        type === 'text/event-stream'
          ? /^#\/components\/schemas\/\w+Stream$/
          : /^#\/components\/schemas\/\w+(Response|Page)$/,
      );
      expect(components.schemas).toHaveProperty(schema.$ref.replace(/^.*\//, ''));
    }
  });

  test('has the rules between the fields of a body', () => {
    const bodies = { v1: [], v2: ['PriceChangeCreate', 'ProductUpdate'] }[version];
    const ruled = nodes.filter(({ at, node }) => at.split('/').length === 4 && 'if' in node);
    for (const body of bodies) expect(ruled.map(({ at }) => at)).toContain(`/components/schemas/${body}`);
  });

  test('says a single value by `enum` as well as by `const`', () => {
    const single = nodes.filter(({ node }) => 'const' in node);
    if (version === 'v2') expect(single.length).toBeGreaterThan(20);
    for (const { at, node } of single) expect(node.enum, at).toEqual([node.const]);
  });

  // Those of an order export had none, so generated clients took them for texts.
  test('has the format of a date for every day of a range', () => {
    // `from` and `to` of a move are statuses.
    const days = nodes.filter(
      ({ at, node }) => node.type === 'string' && /\/properties\/(from|to)$/.test(at),
    );
    if (version === 'v2') expect(days.length).toBeGreaterThan(2);
    for (const { at, node } of days) expect(node.format, at).toMatch(/^date/);
  });

  test('has no default next to a reference, and no reference without a target', () => {
    for (const { at, node } of nodes)
      if ('$ref' in node) expect(Object.keys(node), at).not.toContain('default');
    const text = JSON.stringify(documents[version]);
    for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g))
      expect(documents[version].components, name).toHaveProperty([kind, name]);
  });

  // Tools fill in what has one. A position is right in no other location, and excludes other parameters; an optional
  // header changes a call, and a live key is refused one that simulates a fault.
  test('has an example for every parameter but positions and optional headers', () => {
    for (const { path, operation, components } of operations)
      for (const parameter of parametersOf(operation, components)) {
        const { name, example, schema } = parameter;
        const isLeftOut =
          name === 'cursor' || name === 'after' || (parameter.in === 'header' && !parameter.required);
        expect(example !== undefined, `${path} ${name}`).toBe(!isLeftOut);
        if (!isLeftOut) continue;
        for (const filledIn of ['example', 'examples', 'default'])
          expect(schema, `${path} ${name}`).not.toHaveProperty(filledIn);
      }
  });

  test('says of every operation more than what it needs', () => {
    for (const { path, operation } of operations)
      expect(operation.description?.split('\n\n')[0], path).not.toMatch(
        /^(Needs the permission|Any valid key)/,
      );
  });

  test('says "more than 0" of what must be more than 0', () => {
    const name = version === 'v1' ? 'OrderItemCreateV1' : 'OrderItemCreate';
    const quantity = nodes.find(({ at }) => at === `/components/schemas/${name}/properties/quantity`);
    expect(quantity?.node.exclusiveMinimum).toBe(0);
    expect(quantity?.node.minimum).toBeUndefined();
  });
});

test('the webhooks of the v2 document have every header that is sent', () => {
  const sent = webhookHeaders({
    eventId: '1',
    eventType: 'order.created',
    attempt: 1,
    timestampSeconds: 1,
    secrets: ['whsec_AAAA'],
    body: '{}',
    version: '1',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  });
  // The media type of the body says it.
  const wanted = Object.keys(sent).filter((name) => name !== 'Content-Type');
  for (const [type, { post }] of Object.entries(documents.v2.webhooks ?? {}) as [string, Hook][]) {
    const names = parametersOf(post, documents.v2.components ?? {}).map(({ name }) => name);
    expect(names.sort(), type).toEqual(wanted.sort());
  }
});

type Hook = { post: Parameters<typeof parametersOf>[0] };
type Json = Record<string, unknown>;

const data = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** Every schema of a document, with its path. */
function* schemasIn(node: unknown, at: string, isSchema = false): Generator<{ at: string; node: Json }> {
  if (typeof node !== 'object' || node === null) return;
  const isList = Array.isArray(node);
  if (isSchema && !isList) yield { at, node: node as Json };
  for (const [key, value] of Object.entries(node)) {
    if (data.has(key)) continue;
    if (key === 'properties' || key === 'schemas') {
      for (const [name, member] of Object.entries(value as Json))
        yield* schemasIn(member, `${at}/${key}/${name}`, true);
    } else yield* schemasIn(value, `${at}/${key}`, isSchema || key === 'schema');
  }
}
