import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { inFamily, operationsOf } from '../../packages/api/src/call/operations.ts';
import { subscriptionsOf } from '../../packages/api/src/call/subscription.ts';
import { errorsOf } from '../../packages/api/src/documents/errors.ts';
import { exampleInput, exampleOf } from '../../packages/api/src/documents/examples.ts';
import { bodyName, operationId } from '../../packages/api/src/documents/names.ts';
import { exampleEvent } from '../../packages/api/src/documents/webhooks.ts';
import { envelopeOf, eventTypes } from '../../packages/api/src/resources/events/types.schema.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { callRest, useApi } from '../support/api.ts';
import { operations, strictly } from '../support/documented.ts';
import { makeTestFolder } from '../support/folder.ts';

interface Documented {
  operationId: string;
  'x-permission'?: string;
  parameters?: { $ref?: string; name?: string; required?: boolean; description?: string }[];
  requestBody?: { required?: boolean; content: { 'application/json': { schema: { $ref?: string } } } };
  responses: Record<string, { $ref?: string; headers?: Record<string, unknown>; content?: object }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Documented>>;
  components: { schemas: Record<string, unknown> };
  webhooks?: Record<string, unknown>;
}

const versions = ['v1', 'v2'] as const;
const routes = operationsOf(appRouter).flatMap((whole) =>
  whole.routes.map((route) => ({ operation: inFamily(whole, route.version), route })),
);
const root = fileURLToPath(new URL('../..', import.meta.url));

const api = useApi();
let documents: Record<(typeof versions)[number], Document>;
beforeAll(async () => {
  const [v1, v2] = await Promise.all(
    versions.map((version) => callRest(api.url, `GET /openapi-${version}.json`)),
  );
  documents = { v1: v1?.body as unknown as Document, v2: v2?.body as unknown as Document };
});

describe('the OpenAPI documents', () => {
  test('have no fault that the linter knows', async () => {
    const folder = makeTestFolder('openapi');
    const files = versions.map((version) => join(folder, `${version}.json`));
    for (const [index, version] of versions.entries()) {
      writeFileSync(files[index] ?? '', JSON.stringify(documents[version]));
    }
    const cli = join(root, 'node_modules/@redocly/cli/bin/cli.js');
    const offline = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const run = promisify(execFile)(
      process.execPath,
      [cli, 'lint', ...files, '--config', join(root, 'redocly.yaml'), '--format', 'json'],
      { env: { ...process.env, ...offline }, maxBuffer: 32 * 1024 * 1024 },
    ).catch((failure: { stdout: string }) => failure);
    const { stdout } = await run;
    // One report after another: `}{` divides them.
    const reports = JSON.parse(`[${stdout.replaceAll(/^\}\{$/gm, '},{')}]`) as {
      problems: { message: string }[];
    }[];
    expect(reports.map(({ problems }) => problems.map(({ message }) => message))).toEqual([[], []]);
  });

  test('are OpenAPI 3.1 and hold exactly the paths that are served', () => {
    for (const version of versions) {
      const { openapi, paths } = documents[version];
      expect(openapi).toBe('3.1.0');
      const documented = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      );
      const served = routes
        .filter(({ route }) => route.version === version)
        .map(({ route }) => `${route.method} ${route.path}`);
      const streams = version === 'v2' ? subscriptionsOf(appRouter).map(({ meta }) => meta.rest) : [];
      expect(documented.sort()).toEqual([...served, ...streams].sort());
    }
  });

  test('describe each subscription as a stream of server-sent events', () => {
    for (const { meta } of subscriptionsOf(appRouter)) {
      const path = meta.rest.slice('GET '.length);
      const answers = Object.fromEntries(
        ['401', '403', '422', '429', '503'].map((status) => [status, expect.anything()]),
      );
      expect(documents.v2.paths[path]?.get).toMatchObject({
        'x-permission': meta.permission,
        parameters: [
          { name: 'after' },
          { name: 'types' },
          { name: 'Last-Event-ID', in: 'header' },
          { $ref: '#/components/parameters/SimulateStream' },
        ],
        responses: {
          ...answers,
          '200': {
            content: { 'text/event-stream': { schema: { $ref: '#/components/schemas/EventStream' } } },
          },
        },
      });
    }
  });

  test.each(routes)('describe $route.method $route.path in full', ({ operation, route }) => {
    const { kind, meta } = operation;
    const documented = documents[route.version].paths[route.path]?.[route.method.toLowerCase()];
    expect(documented?.operationId).toBe(operationId(operation));
    expect(documented?.['x-permission']).toBe(meta.permission ?? undefined);
    const unchanged = meta.conditional ? [304] : [];
    const statuses = [meta.status ?? 200, ...unchanged, ...errorsOf(operation, route)];
    expect(Object.keys(documented?.responses ?? {})).toEqual(statuses.map(String));
    const headers = Object.keys(documented?.responses[meta.status ?? 200]?.headers ?? {});
    expect(headers.includes('X-RateLimit-Batch-Limit')).toBe(meta.batch === true);
    expect(headers.includes('Location')).toBe(meta.status === 201);
    for (const header of ['X-Ignored-Fields', 'Preference-Applied']) expect(headers).toContain(header);
    const references = (documented?.parameters ?? []).map(({ $ref }) => $ref);
    expect(references).toContain('#/components/parameters/Prefer');
    const taken = references.filter((reference) => reference?.endsWith('IdempotencyKey'));
    const key = meta.idempotent ? 'IdempotencyKey' : 'OptionalIdempotencyKey';
    expect(taken).toEqual(kind === 'mutation' ? [`#/components/parameters/${key}`] : []);
    expect(JSON.stringify(documented?.requestBody ?? {})).not.toContain('idempotencyKey');
  });

  test.each(routes)('ask for what $route.method $route.path asks for', ({ operation, route }) => {
    const documented = documents[route.version].paths[route.path]?.[route.method.toLowerCase()];
    const shape = operation.input.shape as Record<string, z.ZodType>;
    const needed = (name: string) => shape[name]?.safeParse(undefined).success === false;
    const parameters = (documented?.parameters ?? []).filter(({ $ref }) => $ref === undefined);
    for (const { name = '', required = false, description } of parameters) {
      expect({ name, required }).toEqual({ name, required: needed(name) });
      const said = shape[name]?.meta()?.description;
      if (said !== undefined) expect({ name, description }).toEqual({ name, description: said });
    }
    const elsewhere = Object.keys(shape).filter((name) => parameters.every((each) => each.name !== name));
    const body = documented?.requestBody;
    expect(body !== undefined).toBe(elsewhere.length > 0);
    if (body === undefined) return;
    expect(route.method).not.toBe('GET');
    expect(body.required ?? false).toBe(elsewhere.some(needed));
    const name = bodyName(operation);
    expect(body.content['application/json'].schema).toEqual({ $ref: `#/components/schemas/${name}` });
    const { properties } = documents[route.version].components.schemas[name] as { properties: object };
    expect(Object.keys(properties)).toEqual(elsewhere);
  });

  test('describe every event as a webhook of v2, and only there', () => {
    expect(Object.keys(documents.v2.webhooks ?? {})).toEqual(eventTypes);
    expect(documents.v1.webhooks).toBeUndefined();
  });

  test('close no object and repeat no component', () => {
    for (const version of versions) {
      expect(JSON.stringify(documents[version])).not.toContain('"additionalProperties":false');
      const { schemas } = documents[version].components;
      for (const name of Object.keys(schemas).filter((each) => `${each}Output` in schemas)) {
        expect(schemas[`${name}Output`], name).not.toEqual(schemas[name]);
      }
    }
  });
});

describe('examples', () => {
  test.each(operations)('of $name are valid', (operation) => {
    expect(operation.input.safeParse(exampleInput(operation)).error).toBeUndefined();
    expect(strictly(operation.output).safeParse(exampleOf(operation.output)).error).toBeUndefined();
  });

  test.each(eventTypes)('of %s are valid', (type) => {
    expect(strictly(envelopeOf(type)).safeParse(exampleEvent(type)).error).toBeUndefined();
  });
});

describe('a document', () => {
  test.each(['/openapi-v1.json', '/openapi-v2.json', '/docs/errors', '/docs/errors.md'])(
    '%s is served by us alone',
    async (path) => {
      const { status, headers, text } = await callRest(api.url, `GET ${path}`);
      expect(status).toBe(200);
      expect(text.length).toBeGreaterThan(100);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-cache');
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/https?:|unsafe|\*/);
      const head = await callRest(api.url, `HEAD ${path}`);
      expect([head.status, head.text]).toEqual([200, '']);
      expect(head.headers.get('content-length')).toBe(headers.get('content-length'));
      const etag = headers.get('etag') ?? '';
      const again = await callRest(api.url, `GET ${path}`, { headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
      const wrong = await callRest(api.url, `POST ${path}`);
      expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    },
  );

  test('is found by its own address alone', async () => {
    for (const path of ['/docs/package.json', '/docs/..%2fpackage.json', '/docs/%2e%2e/x'])
      expect((await callRest(api.url, `GET ${path}`)).status).toBe(404);
  });
});
