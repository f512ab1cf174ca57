import { describe, expect, test } from 'vitest';
import { parameterExamples } from '../../packages/api/src/documents/demo-examples.ts';
import { openApiDocument } from '../../packages/api/src/documents/openapi.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { documentedOf } from '../../scripts/site/documented.ts';
import { type SampleLanguage, sampleCall, sampleLanguages } from '../../scripts/site/samples.ts';
import { documentedOperations } from '../contract/documented-examples.ts';
import { forDemo, useDemo } from '../support/demo.ts';
import { operations } from '../support/documented.ts';
import { isThere, run } from '../support/runtimes.ts';

/** Reads come before what changes what they read, and what takes something away comes last. */
const order = ['GET', 'PATCH', 'POST', 'DELETE'];
const documents = { v1: await openApiDocument(appRouter, 'v1'), v2: await openApiDocument(appRouter, 'v2') };
/** Where the path names something, the demo data must have it: a new resource is told of until it gets a row there. */
const inDemo = operations.flatMap(({ name, routes }) => {
  const resource = name.replace(/^v1\./, '').split('.')[0];
  return routes
    .filter(({ path }) =>
      [...path.matchAll(/\{(\w+)\}/g)].every(([, subject]) => `${resource}.${subject}` in parameterExamples),
    )
    .map(({ method, path }) => `${method} ${path}`);
});
// v1 writes the same things as v2: its reads alone can stand beside them.
const calls = (['v2', 'v1'] as const)
  .flatMap((version) => documentedOf(version, documents[version]))
  .filter(({ version, method }) => version === 'v2' || method === 'GET')
  .map((each) => ({ name: `${each.method} ${each.path}`, call: sampleCall(each) }))
  .filter(({ name }) => inDemo.includes(name) || told(name))
  // The demo restaurant of npm start is live: tests/api/sandbox.test.ts and certifications.test.ts have sandboxes.
  .filter(({ name }) => name !== 'POST /v2/sandbox/reset' && !name.startsWith('POST /v2/certifications'))
  .sort((one, other) => order.indexOf(one.call.method) - order.indexOf(other.call.method));
const successes = new Map(
  [...(await documentedOperations('v1')), ...(await documentedOperations('v2'))].map((each) => [
    each.name,
    each.success,
  ]),
);

/** How a sample is run as it was pasted: a program and its words, before the sample. */
const programs: Readonly<Record<string, readonly [program: string, ...words: string[]]>> = {
  curl: ['bash', '-c'],
  Node: [process.execPath, '--input-type=module', '-e'],
  Python: ['python3', '-B', '-c'],
};
/** What must be on the machine for it, and Debian's package that has it. */
const needs: Readonly<Record<string, string>> = { curl: 'curl', Node: 'node', Python: 'python3' };

function told(name: string): boolean {
  console.warn(`${name}: documents/demo-examples.ts names nothing for it, so its samples are not run.`);
  return false;
}

const missing = sampleLanguages.filter(({ name }) => !isThere(needs[name] ?? name));
for (const { name } of missing)
  console.warn(`${name} is not on this machine (Debian: ${needs[name]}): its samples are not run.`);

test('every operation has a sample in every language, each of which is run where its program is there', () => {
  expect(calls.length).toBeGreaterThan(55);
  expect(sampleLanguages.map(({ name }) => name)).toEqual(Object.keys(programs));
});

describe.each(sampleLanguages.filter((each) => !missing.includes(each)))(
  'pasted with COMANDA_URL and COMANDA_KEY, the sample in $name of',
  ({ name, write }: SampleLanguage) => {
    const demo = useDemo();

    test.each(calls)('$name is answered as its document says', async ({ name: operation, call }) => {
      const [program = '', ...words] = programs[name] ?? [];
      const env = { COMANDA_URL: demo.url, COMANDA_KEY: demo.key };
      const { stdout, stderr } = await run(program, [...words, forDemo(write(call), demo)], { env });
      const success = successes.get(operation);
      const [, status, body = ''] = /^(?:(\d{3}) )?(.*)$/s.exec(stdout.trim()) ?? [];
      expect(body, stderr).toMatch(/^\{"data":/);
      expect(success?.faults(JSON.parse(body))).toEqual([]);
      if (name !== 'curl') expect(Number(status)).toBe(success?.status);
    });
  },
);
