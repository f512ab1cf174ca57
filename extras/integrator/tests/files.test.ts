import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { describe, expect, test } from 'vitest';
import { downloadTypes } from '../../../packages/api/src/documents/routes.ts';
import { callRest, useApi } from '../../../tests/support/api.ts';
import { commands } from '../src/commands.ts';
import { download } from './comanda-mjs.ts';

const api = useApi();

const files = Object.entries(downloadTypes).map(([name, type]) => ({ name, type }));

describe.each(files)('/docs/$name', ({ name, type }) => {
  test('is served to anybody, with its type and an entity tag', async () => {
    const { status, headers, text } = await callRest(api.url, `GET /docs/${name}`);
    expect([status, headers.get('content-type')]).toEqual([200, type]);
    const etag = headers.get('etag') ?? '';
    const again = await callRest(api.url, `GET /docs/${name}`, { headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    expect(text).toContain('SPDX-License-Identifier: Apache-2.0');
    const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
    expect(text.split('\n', 3).join('\n')).toContain(`${name} ${version}`);
    // Its head, and what it sends as its version.
    expect(text.split(version).length).toBeGreaterThan(2);
  });

  test('has its SHA-256 next to it, which sha256sum -c takes', async () => {
    const { folder } = await download(api);
    const [file, digest] = await Promise.all(
      [name, `${name}.sha256`].map((path) =>
        fetch(`${api.url}/docs/${path}`).then((answer) => answer.text()),
      ),
    );
    expect(digest).toBe(
      `${createHash('sha256')
        .update(file ?? '')
        .digest('hex')}  ${name}\n`,
    );
    writeFileSync(join(folder, name), file ?? '');
    writeFileSync(join(folder, `${name}.sha256`), digest ?? '');
    const said = execFileSync('sha256sum', ['-c', `${name}.sha256`], { cwd: folder, encoding: 'utf8' });
    expect(said).toBe(`${name}: OK\n`);
  });
});

describe('comanda.mjs', () => {
  test('needs nothing but Node, and can be read', async () => {
    const { text } = await callRest(api.url, 'GET /docs/comanda.mjs');
    const imports = [...text.matchAll(/\bfrom ["']([^"']+)["']|\bimport\(["']([^"']+)["']\)/g)];
    const names = imports.map(([, fixed, dynamic]) => fixed ?? dynamic ?? '');
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !builtinModules.includes(name.replace(/^node:/, '')))).toEqual([]);
    expect(names.filter((name) => !name.startsWith('node:'))).toEqual([]);
    expect(text).not.toMatch(/sourceMappingURL|@comanda\/|\brequire\(/);
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThan(300);
  });

  test.each(Object.keys(commands))('%s says how it is used', async (name) => {
    const { run } = await download(api);
    const { code, stdout, stderr } = await run([...name.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    for (const option of Object.keys(commands[name]?.options ?? {})) expect(stdout).toContain(`--${option}`);
    expect(stdout).toContain(commands[name]?.summary);
  });

  test('deliveries --help named no command: a word that commands begin with lists those', async () => {
    const { run } = await download(api);
    for (const group of ['deliveries', 'events']) {
      const asked = await run([group, '--help']);
      expect([asked.code, asked.stderr]).toEqual([0, '']);
      for (const name of Object.keys(commands))
        expect(asked.stdout.includes(`  ${name} `), name).toBe(name.startsWith(`${group} `));
      expect(await run([group])).toMatchObject({ code: 2, stdout: asked.stdout });
    }
    expect((await run(['deliveries', 'lst'])).stderr).toContain('"deliveries lst"; see deliveries --help');
  });

  test('lists its commands, and says 2 to what it does not understand, without a call', async () => {
    const { run } = await download(api);
    const overview = await run(['--help']);
    expect(overview.code).toBe(0);
    for (const name of Object.keys(commands)) expect(overview.stdout).toContain(`  ${name} `);
    const nowhere = { COMANDA_URL: 'http://127.0.0.1:9' };
    for (const words of [
      [],
      ['lisen'],
      ['listen'],
      ['listen', '--forward-to', 'localhost:4000'],
      ['listen', '--forward-to', 'http://127.0.0.1:9', '--since', 'yesterday'],
      ['listen', '--forward-to', 'http://127.0.0.1:9', '--secret', 'hello'],
      ['trigger', '--to', 'http://127.0.0.1:9'],
      ['events', 'tail', '--once'],
      ['events', 'tail', 'order.created'],
      ['deliveries', 'replay'],
      ['verify', '--secret', 'whsec_AAAA'],
      ['verify', '--body', '@no-such-file', '--secret', 'whsec_AAAA'],
    ])
      expect((await run(words, { env: nowhere })).code, words.join(' ')).toBe(2);
    expect((await run(['events', 'tail'], { env: { COMANDA_KEY: '' } })).stderr).toContain('COMANDA_KEY');
    expect((await run(['events', 'tail'], { env: { COMANDA_URL: '' } })).stderr).toContain('COMANDA_URL');
  });

  test('never prints the key, on any error', async () => {
    const { run } = await download(api);
    const { key } = api.key;
    for (const [words, env] of [
      [['events', 'tail', key], {}],
      [['events', 'tail', '--url', key], {}],
      [['listen', `--${key}`], {}],
      [[key], {}],
      [['deliveries', 'list', key], {}],
      [['deliveries', 'list', '--key', `${key}x`], {}],
      [['events', 'tail', '--key', 'a secret\nof another kind'], {}],
      [
        ['events', 'tail', 'pasted-in-the-wrong-place', '--key=pasted-in-the-wrong-place'],
        { COMANDA_KEY: '' },
      ],
    ] as const) {
      const { code, stdout, stderr } = await run(words, { env });
      expect(code, words.join(' ')).toBeGreaterThan(0);
      expect(stdout + stderr).not.toMatch(new RegExp(`${key}|of another kind|pasted-in-the`));
    }
  });
});
