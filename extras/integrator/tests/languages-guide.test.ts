import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { beforeAll, expect, test } from 'vitest';
import { makeTestFolder } from '../../../tests/support/folder.ts';
import { createOrderKitchen } from '../../../tests/support/orders.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { run } from '../../../tests/support/runtimes.ts';
import { languagesHere } from './languages.ts';

const api = usePublishingApi();
const folder = makeTestFolder('guide');

const guide = readFileSync(join(repositoryRoot, 'docs/guides/languages.md'), 'utf8');
const blockOf = (fence: string) => new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(guide)?.[1];

/** The program of the guide in each language, and how it is run where its clients have been downloaded to. */
const programs = [
  {
    name: 'Java',
    fence: 'java',
    file: 'Shop.java',
    script: 'javac -Xlint:all -Werror Comanda.java Shop.java && java Shop',
  },
  {
    name: 'C#',
    fence: 'csharp',
    file: 'Shop.cs',
    script: 'mcs -r:System.Net.Http Comanda.cs Shop.cs -out:Shop.exe && mono Shop.exe',
  },
  { name: 'PHP', fence: 'php', file: 'shop.php', script: 'php shop.php' },
];
const programsHere = programs.filter(({ name }) => languagesHere.some((each) => each.name === name));

async function bash(script: string, key: string) {
  const env = { COMANDA_URL: api.url, COMANDA_KEY: key, COMANDA_SECRET: 'whsec_AAAA' };
  return await run('bash', ['-e', '-o', 'pipefail', '-c', script], { env, cwd: folder });
}

let download: Awaited<ReturnType<typeof bash>>;
beforeAll(async () => {
  download = await bash(blockOf('sh') ?? 'false', api.key.key);
});

test('the guide downloads each client, and its digest is right', () => {
  const { stdout, stderr } = download;
  expect([stdout, stderr]).toEqual(['Comanda.java: OK\nComanda.cs: OK\ncomanda.php: OK\n', '']);
});

test.each(programsHere)(
  'the program of the guide in $name does what its comments say',
  { timeout: 120_000 },
  async ({ fence, file, script }) => {
    const there = await api.place();
    const { token: key } = there;
    const kitchen = await createOrderKitchen(there);
    expect((await kitchen.post({}, { key })).status).toBe(201);
    await api.published();
    writeFileSync(join(folder, file), blockOf(fence) ?? '');
    const { code, stdout, stderr } = await bash(script, key);
    expect([code, stderr]).toEqual([0, '']);
    const [moved, refused = '', ...rest] = stdout.trimEnd().split('\n');
    expect(moved).toMatch(/^ready \d+(\.\d+)?$/);
    expect(refused).toMatch(/^422 validation_error invalid_field [\w-]{8,}$/);
    expect(rest.filter((line) => /^ {2}[\w[\].]+: ./.test(line)).length).toBeGreaterThan(0);
    expect(rest.filter((line) => /^\d+ \d+(\.\d+)?$/.test(line))).toHaveLength(2);
    expect(rest).toContain('order.created');
    expect(rest.slice(-2)).toEqual(['missing_header', '400']);
  },
);

/** Names that the languages themselves define. */
const standard = [
  'toString',
  'equals',
  'hashCode',
  'hasNext',
  'iterator',
  'getIterator',
  'FieldFault',
  'Equals',
  'GetEnumerator',
  'GetAsyncEnumerator',
  'MoveNextAsync',
];

test.each(['Comanda.java', 'Comanda.cs', 'comanda.php'])('the guide names what %s offers', (file) => {
  const source = readFileSync(join(repositoryRoot, 'dist/docs', file), 'utf8');
  const offered = [
    ...source.matchAll(/^ {4}public (?!static final|Comanda\()(?:static |final |class )*[\w.<>]+ (\w+)\(/gm),
    ...source.matchAll(/^ {8}public (?!override|const|ComandaClient\()(?:async )?[\w.<>]+ (\w+)\(/gm),
    ...source.matchAll(/^final class (\w+Exception)\b/gm),
    ...source.matchAll(/^ {4}public function (?!__|getIterator)(\w+)\(/gm),
  ].map(([, name = '']) => name);
  expect(new Set(offered).size).toBeGreaterThan(8);
  const unnamed = offered.filter(
    (name) => !name.startsWith('__') && !standard.includes(name) && !new RegExp(`\\b${name}\\b`).test(guide),
  );
  expect(unnamed).toEqual([]);
});
