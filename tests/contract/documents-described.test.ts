import { describe, expect, test } from 'vitest';
import { faultsOf } from '../../packages/api/src/call/simulation.ts';
import { openApiDocument } from '../../packages/api/src/documents/openapi.ts';
import { documentedOf, parametersOf } from '../../packages/api/src/documents/site/documented.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { operations } from '../support/documented.ts';

interface Schema {
  description?: string;
  $ref?: string;
  properties?: Record<string, Schema>;
  multipleOf?: number;
}

const versions = ['v1', 'v2'] as const;
const documents = { v1: await openApiDocument(appRouter, 'v1'), v2: await openApiDocument(appRouter, 'v2') };
const componentsOf = (version: 'v1' | 'v2') =>
  (documents[version].components?.schemas ?? {}) as Record<string, Schema>;

describe.each(versions)('the %s document', (version) => {
  test('says what every component and every property is', () => {
    const components = componentsOf(version);
    const silent = Object.entries(components).flatMap(([name, component]) => [
      ...(component.description === undefined ? [name] : []),
      ...Object.entries(component.properties ?? {}).flatMap(([field, property]) => {
        const referred = components[property.$ref?.replace(/^.*\//, '') ?? ''];
        return (property.description ?? referred?.description) === undefined ? [`${name}.${field}`] : [];
      }),
    ]);
    expect(silent).toEqual([]);
  });

  test('says what every parameter is', () => {
    const silent = documentedOf(version, documents[version]).flatMap(
      ({ method, path, operation, components }) =>
        parametersOf(operation, components)
          .filter(({ description }) => description === undefined)
          .map(({ name }) => `${method} ${path} ${name}`),
    );
    expect(silent).toEqual([]);
  });

  test('divides no number: a validator would refuse prices that are right', () => {
    expect(JSON.stringify(documents[version])).not.toContain('"multipleOf"');
  });

  test('has the header that simulates faults at every operation, with the faults that it meets', () => {
    for (const { method, path, operation, components } of documentedOf(version, documents[version])) {
      const about = `${method} ${path}`;
      const header = parametersOf(operation, components).find(({ name }) => name === 'X-Comanda-Simulate');
      const { pattern = '' } = { ...(header?.schema as { pattern?: string } | undefined) };
      const named = operations.find(({ routes }) =>
        routes.some((route) => `${route.method} ${route.path}` === about),
      );
      const met = faultsOf(named ?? { name: '', kind: 'subscription' });
      expect(
        pattern
          .match(/[a-z_]{3,}/g)
          ?.filter((word) => word !== 'seconds')
          .sort(),
        about,
      ).toEqual([...met].sort());
      for (const each of met) expect(each, about).toMatch(new RegExp(pattern));
    }
  });

  test('has the headers of the limits and of a simulated fault on a 503', () => {
    const { Unavailable } = documents[version].components?.responses ?? {};
    const { headers = {} } = { ...(Unavailable as { headers?: object } | undefined) };
    expect(Object.keys(headers)).toEqual(
      expect.arrayContaining(['Retry-After', 'X-RateLimit-Remaining', 'X-Comanda-Simulated']),
    );
  });
});

test('no delivery must carry a trace', () => {
  const { Traceparent, WebhookId } = (documents.v2.components?.parameters ?? {}) as Record<
    string,
    { required?: boolean }
  >;
  expect([Traceparent?.required, WebhookId?.required]).toEqual([false, true]);
});
