import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { openApiDocument } from '../../packages/api/src/documents/openapi.ts';
import { postmanCollection } from '../../packages/api/src/documents/site/postman.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { useSandbox } from '../samples/sandbox.ts';
import { makeFolder, runTool, toolFile, versions } from './tool.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

describe.each(versions)('the Postman collection that the site serves of %s', (version) => {
  const sandbox = useSandbox();

  test('is run by newman without a failure, twice over at one sandbox', async () => {
    const document = await openApiDocument(appRouter, version);
    const text = JSON.stringify(postmanCollection(version, document));
    const { folder, remove } = makeFolder(document);
    writeFileSync(
      join(folder, 'collection.json'),
      text.replaceAll('https://erp.example.com/hooks/comanda', 'http://127.0.0.1:9/hook'),
    );
    const set = ['--env-var', `COMANDA_URL=${sandbox.url}`, '--env-var', `COMANDA_KEY=${sandbox.key}`];
    const report = ['--reporters', 'json', '--reporter-json-export', 'report.json', '--suppress-exit-code'];
    const newman = toolFile('newman/bin/newman.js');
    await runTool(folder, [newman, 'run', 'collection.json', '-n', '2', ...set, ...report]);
    const { run } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report;
    expect(
      run.failures.map(({ source, error }) => `${source?.name}: ${error.message}`),
      version,
    ).toEqual([]);
    const operations = Object.values(document.paths ?? {}).flatMap((methods) => Object.keys(methods));
    const streams = version === 'v2' ? 1 : 0;
    expect(run.stats.assertions.total).toBe(2 * (operations.length - streams));
    remove();
  });
});

interface Report {
  run: {
    stats: { assertions: { total: number } };
    failures: { source?: { name: string }; error: { message: string } }[];
  };
}
