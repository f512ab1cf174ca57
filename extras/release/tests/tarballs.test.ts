import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { repositoryRoot } from '../../../packages/db/src/root.ts';
import { compile, makeFolder } from '../../../tests/client/outside.ts';
import { createTestDatabase } from '../../../tests/support/database.ts';
import { run } from '../../../tests/support/runtimes.ts';
import { waitFor } from '../../../tests/support/wait.ts';
import { packAndInstall } from '../../../tests/testing/installed.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 480_000 });

// Away from the repository, so that nothing of its node_modules can help.
const folder = makeFolder();
const temporary = makeFolder();
const cacheDir = makeFolder();
const sourceFiles = () =>
  ['packages', 'extras', 'scripts', 'examples']
    .flatMap((name) => readdirSync(join(repositoryRoot, name), { recursive: true, encoding: 'utf8' }))
    .filter((file) => !/(^|\/)(node_modules|generated|dist)(\/|$)/.test(file));
const sources = sourceFiles();
let names: string[];
beforeAll(async () => {
  // PostgreSQL is another user where root runs the tests.
  for (const each of [folder, temporary, cacheDir]) chmodSync(each, 0o755);
  names = await packAndInstall(folder);
});
afterAll(() => {
  for (const each of [folder, temporary, cacheDir]) rmSync(each, { recursive: true, force: true });
});

const env = () => ({ TMPDIR: temporary, COMANDA_TESTING_CACHE: cacheDir });
const node = (args: string[], settings: Record<string, string> = {}) =>
  run(process.execPath, args, { env: settings, cwd: folder });
const example = (path: string) => {
  const name = path.split('/').at(-1) ?? '';
  copyFileSync(join(repositoryRoot, 'examples', path), join(folder, name));
  return name;
};

it('are three, and none says that it is private, nor where it was made', () => {
  expect(names.map((name) => name.replace(/-\d.*/, ''))).toEqual([
    'comanda-cli',
    'comanda-client',
    'comanda-testing',
  ]);
  for (const name of ['cli', 'client', 'testing']) {
    const own = join(folder, 'node_modules/@comanda', name);
    const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('private');
    expect(manifest).not.toHaveProperty('devDependencies');
    expect(JSON.stringify(manifest)).not.toContain('workspace:');
    for (const file of readdirSync(own, { recursive: true, encoding: 'utf8' }).filter((each) =>
      /\.(js|ts|mjs)$/.test(each),
    ))
      expect(readFileSync(join(own, file), 'utf8').includes(repositoryRoot), file).toBe(false);
  }
});

it('leave nothing behind in the source tree', () => {
  expect(sourceFiles()).toEqual(sources);
});

it('are not what npm would pack of the source', async () => {
  const cwd = join(repositoryRoot, 'packages/testing');
  await expect(promisify(execFile)('npm', ['pack', '--dry-run'], { cwd })).rejects.toThrow(
    /npm run client:pack/,
  );
});

describe('@comanda/testing, installed', () => {
  it('runs the sample for node:test, and lets the process end', async () => {
    const { code, stdout } = await node(['--test', example('testing/webhook.test.mjs')], env());
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/pass 3\b/) });
    expect(readdirSync(temporary).filter((name) => name.startsWith('comanda-testing-'))).toEqual([]);
  });

  it('runs the samples for vitest, which compile', async () => {
    const names = [example('testing/orders.test.ts'), example('testing/board.test.ts')];
    symlinkSync(join(repositoryRoot, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
    const options = { module: 'esnext', moduleResolution: 'bundler', noEmit: true, skipLibCheck: true };
    const strict = {
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
    };
    expect(await compile(folder, names, { ...options, ...strict })).toEqual([]);
    const vitest = join(repositoryRoot, 'node_modules/vitest/vitest.mjs');
    const { code, stdout, stderr } = await node([vitest, 'run', '--root', folder, ...names], env());
    expect({ code, stderr, stdout }).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/5 passed/),
    });
  });

  it('has a README whose samples compile', async () => {
    const readme = readFileSync(join(repositoryRoot, 'packages/testing/README.md'), 'utf8');
    const samples = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, sample = '']) => sample);
    expect(samples.length).toBe(2);
    for (const [index, sample] of samples.entries())
      writeFileSync(join(folder, `sample-${index}.ts`), sample);
    const files = samples.map((_, index) => `sample-${index}.ts`);
    const options = { noEmit: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    expect(await compile(folder, files, options)).toEqual([]);
  });

  it('has types that hold by themselves', async () => {
    writeFileSync(
      join(folder, 'typed.ts'),
      [
        `import { fakeClient, type ProcedureOutput, refusal, signTestEvent, startComanda } from '@comanda/testing';`,
        `import type { Order } from '@comanda/client';`,
        `export const order: (found: ProcedureOutput<'orders.get'>) => Order = (found) => found;`,
        `export const location = startComanda().then((comanda) => comanda.newLocation({ catalog: 'none' }));`,
        '// @ts-expect-error',
        `fakeClient({ 'dishes.list': () => [] });`,
        '// @ts-expect-error',
        `fakeClient({ 'orders.get': () => ({ number: 7 }) });`,
        '// @ts-expect-error',
        `refusal({ reason: 'too_hot' });`,
        '// @ts-expect-error',
        `fakeClient({}).emit({ type: 'order.gone', data: {} });`,
        '// @ts-expect-error',
        `signTestEvent({ type: 'order.gone', data: {} });`,
        '// @ts-expect-error',
        `location.then(({ age }) => age('PO-1', 'long'));`,
      ].join('\n'),
    );
    expect(await compile(folder, ['typed.ts'], { noEmit: true, exactOptionalPropertyTypes: true })).toEqual(
      [],
    );
  });

  it('ends its service with the process that started it, however that ends', async () => {
    writeFileSync(
      join(folder, 'killed.mjs'),
      `import { startComanda } from '@comanda/testing';
       console.log((await startComanda()).url);
       setInterval(() => {}, 1000);`,
    );
    const child = spawn(process.execPath, ['killed.mjs'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env() },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(child.stdout, 'data');
    const url = String(line).trim();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill('SIGKILL');
    const isGone = () =>
      fetch(`${url}/healthz`).then(
        () => false,
        () => true,
      );
    await waitFor('the service to be gone', isGone, { timeoutMs: 60_000 });
    const hasNoData = () => readdirSync(temporary).every((name) => !/^comanda-testing/.test(name));
    await waitFor('its data to be gone', hasNoData, { timeoutMs: 60_000 });
  });
});

describe('@comanda/cli, installed', () => {
  const bin = (name: string) => join(folder, 'node_modules/.bin', name);

  it('makes a location and a key in the database that it is given', async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const comanda = async (...argv: string[]) => {
      const { code, stdout, stderr } = await node([bin('comanda'), ...argv, '--json'], {
        DATABASE_URL: database.url,
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout);
    };
    const { id } = await comanda('locations', 'create', '--name', 'La Fonda', '--timezone', 'America/Lima');
    expect(
      (await comanda('keys', 'create', '--name', 'erp', '--location', id, '--permissions', '*')).key,
    ).toMatch(/^cmd_live_/);
  });

  it('says what is missing without a database', async () => {
    const { code, stderr } = await node([bin('comanda'), 'locations', 'list']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('set DATABASE_URL') });
  });

  it('has the downloads of integrators next to it', async () => {
    const { code, stdout } = await node([bin('comanda-webhooks'), '--help']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('deliveries replay') });
  });
});
