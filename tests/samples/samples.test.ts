import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../packages/api/src/documents/openapi.ts';
import { documentedOf, isStream } from '../../packages/api/src/documents/site/documented.ts';
import { sampleCall, sampleLanguages } from '../../packages/api/src/documents/site/samples.ts';
import { exampleIds } from '../../packages/api/src/examples.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { documentedOperations } from '../contract/documented-examples.ts';
import { isThere, run } from '../support/runtimes.ts';
import { useSandbox } from './sandbox.ts';

const versions = ['v2', 'v1'] as const;
/** How a sample is run as it was pasted: a program and its words, before the sample. */
const programs: Readonly<Record<string, readonly [program: string, ...words: string[]]>> = {
  curl: ['bash', '-c'],
  Node: [process.execPath, '--input-type=module', '-e'],
  Python: ['python3', '-B', '-c'],
};
/** The program that it needs, and Debian's package that has it. */
const needs: Readonly<Record<string, string>> = { curl: 'curl', Node: 'node', Python: 'python3' };

const missing = sampleLanguages.filter(({ name }) => !isThere(needs[name] ?? name));
for (const { name } of missing)
  console.warn(`${name} is not on this machine (Debian: ${needs[name]}): its samples are not run.`);

test('every operation has a sample in every language, each of which is run where its program is there', () => {
  expect(sampleLanguages.map(({ name }) => name)).toEqual(Object.keys(programs));
});

// In the order of the documents, and in every language at one sandbox: none may leave another without what it needs.
describe('a reader', { shuffle: false }, () => {
  describe.each(versions)(
    'pasted with COMANDA_URL and COMANDA_KEY of a sandbox, the samples of %s',
    async (version) => {
      const document = await openApiDocument(appRouter, version);
      const calls = documentedOf(version, document)
        // A stream does not end.
        .filter((each) => !isStream(each))
        .map((each) => ({ name: `${each.method} ${each.path}`, call: sampleCall(each) }));
      const successes = new Map(
        (await documentedOperations(version)).map((each) => [each.name, each.success]),
      );
      const sandbox = useSandbox();

      describe.each(sampleLanguages.filter((each) => !missing.includes(each)))(
        'in $name',
        ({ name, write }) => {
          test.each(calls)('$name is answered as its document says', async ({ name: operation, call }) => {
            const [program = '', ...words] = programs[name] ?? [];
            const env = { COMANDA_URL: sandbox.url, COMANDA_KEY: sandbox.key };
            const sample = write(call).replaceAll('https://erp.example.com/hooks/comanda', nobody);
            const { stdout, stderr } = await run(program, [...words, sample], { env });
            const success = successes.get(operation);
            const [, status, body = ''] = /^(?:(\d{3}) )?(.*)$/s.exec(stdout.trim()) ?? [];
            expect(body, `${sample}\n${stderr}`).toMatch(/^\{"data":/);
            expect(success?.faults(JSON.parse(body))).toEqual([]);
            if (name !== 'curl') expect(Number(status)).toBe(success?.status);
          });

          test.each(calls)('$name names no id of the documents', ({ call }) => {
            expect(Object.values(exampleIds).filter((id) => write(call).includes(id))).toEqual([]);
          });
        },
      );
    },
  );
});

/** Where nothing listens. */
const nobody = 'http://127.0.0.1:9/hook';
