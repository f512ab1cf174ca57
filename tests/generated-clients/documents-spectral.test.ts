import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { beforeAll, expect, test } from 'vitest';
import { callRest, useApi } from '../support/api.ts';

const api = useApi();
let documents: Record<'v1' | 'v2', object>;
// Both before spectral runs: it blocks this process for so long that a kept connection is closed meanwhile.
beforeAll(async () => {
  documents = { v1: await served('v1'), v2: await served('v2') };
});

test.each(['v1', 'v2'] as const)(
  'the %s document keeps the default rules of spectral',
  async (version) => {
    expect(await problemsOf(documents[version])).toEqual([]);
  },
  180_000,
);

test('spectral finds what is wrong with a document', async () => {
  const document = structuredClone(documents.v1);
  const { paths, components } = document as {
    paths: Record<string, Record<string, { operationId?: string; responses: Record<string, unknown> }>>;
    components: { schemas: Record<string, { type?: string }> };
  };
  delete paths['/v1/orders']?.post?.operationId;
  const list = paths['/v1/orders']?.get;
  if (list !== undefined) list.responses = {};
  const { Order } = components.schemas;
  if (Order !== undefined) Order.type = 'dish';
  const codes = (await problemsOf(document)).map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining(['operation-operationId', 'operation-success-response']));
  expect(codes).toContain('oas3-schema');
}, 180_000);

interface Problem {
  code: string | number;
  path: string;
  message: string;
}

async function served(version: string): Promise<object> {
  const { status, body } = await callRest(api.url, `GET /openapi-${version}.json`);
  expect(status).toBe(200);
  return body;
}

// `spectral:oas` as the command line takes it: the recommended rules, warnings and hints included.
async function problemsOf(document: object): Promise<Problem[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[oas as RulesetDefinition, 'recommended']] });
  const problems = await linter.run(document as Record<string, unknown>);
  return problems.map(({ code, path, message }) => ({ code, path: path.join('.'), message }));
}
