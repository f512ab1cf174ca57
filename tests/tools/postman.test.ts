import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { forDemo, useDemo } from '../support/demo.ts';
import { makeFolder, runTool, servedDocument, toolFile, versions } from './tool.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const demo = useDemo();

interface Item {
  name: string;
  request?: { method: string };
  item?: Item[];
}

describe.each(versions)('the Postman collection of the %s document', (version) => {
  test('has every operation, and all its GETs are answered 200', async () => {
    const document = await servedDocument(demo.url, version);
    const { folder, remove } = makeFolder(document);
    // Only what must be sent is switched on: of the filters of a list some exclude each other.
    const options = 'parametersResolution=Example,enableOptionalParameters=false,folderStrategy=Tags';
    const files = ['-s', 'openapi.json', '-o', 'collection.json', '-O', options];
    await runTool(folder, [toolFile('openapi-to-postmanv2/bin/openapi2postmanv2.js'), ...files]);
    const text = forDemo(readFileSync(join(folder, 'collection.json'), 'utf8'), demo);
    const { item, ...collection } = JSON.parse(text) as { item: Item[] };
    const requests = item.flatMap(flat);
    const operations = Object.values(document.paths ?? {}).flatMap((methods) => Object.keys(methods));
    expect(requests.map(({ request }) => request?.method.toLowerCase()).sort()).toEqual(operations.sort());

    // A stream ends when its reader goes, and newman waits for the end.
    const gets = requests.filter(
      ({ request }) => request?.method === 'GET' && !JSON.stringify(request).includes('"stream"'),
    );
    writeFileSync(join(folder, 'gets.json'), JSON.stringify({ ...collection, item: gets }));
    const report = ['--reporters', 'json', '--reporter-json-export', 'report.json'];
    const set = ['--env-var', `base_url=${demo.url}`, '--env-var', `baseUrl=${demo.url}`];
    const key = ['--env-var', `bearerToken=${demo.key}`];
    await runTool(folder, [toolFile('newman/bin/newman.js'), 'run', 'gets.json', ...set, ...key, ...report]);
    const { run } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as {
      run: { executions: { item: { name: string }; response?: { code: number } }[] };
    };
    expect(run.executions).toHaveLength(gets.length);
    expect(run.executions.filter(({ response }) => response?.code !== 200)).toEqual([]);
    remove();
  });
});

const flat = (entry: Item): Item[] => (entry.item === undefined ? [entry] : entry.item.flatMap(flat));
