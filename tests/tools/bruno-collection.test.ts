import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { openApiDocument } from '../../packages/api/src/documents/openapi.ts';
import { brunoCollection } from '../../packages/api/src/documents/site/bruno.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { useSandbox } from '../samples/sandbox.ts';
import { makeFolder, runTool, toolFile, versions } from './tool.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

describe.each(versions)('the Bruno collection that the site serves of %s', (version) => {
  const sandbox = useSandbox();

  test('is imported, and run by the CLI without a failure', async () => {
    const document = await openApiDocument(appRouter, version);
    const text = JSON.stringify(brunoCollection(version, document));
    const { folder, remove } = makeFolder(document);
    writeFileSync(
      join(folder, 'collection.json'),
      text.replaceAll('https://erp.example.com/hooks/comanda', 'http://127.0.0.1:9/hook'),
    );
    // The CLI imports OpenAPI documents only. This takes the steps of the app's import with the packages of the CLI.
    cpSync(join(import.meta.dirname, 'bruno-import.cjs'), join(folder, 'import.cjs'));
    mkdirSync(join(folder, 'collection'));
    await runTool(folder, ['import.cjs', 'collection.json', 'collection']);

    const set = ['--env-var', `COMANDA_URL=${sandbox.url}`, '--env-var', `COMANDA_KEY=${sandbox.key}`];
    const bru = [toolFile('@usebruno/cli/bin/bru.js'), 'run', '-r', '--env', 'Comanda', ...set];
    const operations = Object.values(document.paths ?? {}).flatMap((methods) => Object.keys(methods));
    const streams = version === 'v2' ? 1 : 0;
    await runTool(join(folder, 'collection'), [...bru, '--reporter-json', '../report.json']);
    const [{ results, summary }] = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as [Report];
    expect(results.filter(({ status }) => status !== 'pass')).toEqual([]);
    const sent = operations.length - streams;
    expect(summary).toMatchObject({ totalAssertions: sent, passedAssertions: sent });
    remove();
  });
});

interface Report {
  summary: { totalAssertions: number; passedAssertions: number };
  results: { name: string; status: string }[];
}
