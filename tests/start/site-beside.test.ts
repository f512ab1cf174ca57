import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { waitFor } from '../support/wait.ts';
import { finish, type Run, serving, startRun, unusedPort } from './run.ts';

/** In place of the generator: it says how nice it is, once the file `go` lets it. */
const generator = `
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
const out = process.argv.at(-1);
writeFileSync(process.env.GENERATOR_PID, String(process.pid));
const timer = setInterval(() => {
  if (!existsSync(process.env.GENERATOR_GO)) return;
  clearInterval(timer);
  mkdirSync(out, { recursive: true });
  writeFileSync(out + '/index.html', '<!doctype html><title>built at priority ' + getPriority() + '</title>');
}, 50);
`;

// At the lowest priority it goes on only where all others rest: in company that takes minutes.
const patience = { timeoutMs: 250_000 };

let folder: string;
let port: number;
let run: Run;
const at = (...names: string[]) => join(folder, ...names);

// On a copy: no test writes into the source tree. Its own packages are links to its own folders.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'comanda-beside-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(folder, 0o711);
  const own = [
    'CHANGELOG.md',
    'examples',
    'extras',
    'node_modules/@comanda',
    'packages',
    'prisma',
    'scripts',
  ];
  for (const name of [...own, 'package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'docs'])
    cpSync(join(repositoryRoot, name), at(name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !/\/site\/generator\/node_modules$/.test(path),
    });
  for (const name of readdirSync(join(repositoryRoot, 'node_modules')))
    if (name !== '@comanda')
      symlinkSync(join(repositoryRoot, 'node_modules', name), at('node_modules', name));
  const tools = at('extras/site/generator/node_modules');
  mkdirSync(join(tools, 'vitepress/bin'), { recursive: true });
  writeFileSync(join(tools, 'vitepress/bin/vitepress.js'), generator);
  writeFileSync(join(tools, 'vitepress/package.json'), '{"type":"module"}');
  const lock = readFileSync(at('extras/site/generator/package-lock.json'));
  writeFileSync(join(tools, '.comanda-installed'), createHash('sha256').update(lock).digest('hex'));
  port = await unusedPort();
}, 120_000);

afterAll(async () => {
  await finish(run, 'SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

// In this order: each test goes on with the build or the process that the one before has left.
describe('npm start', { shuffle: false }, () => {
  it('builds the site at the lowest priority once all is ready, and serves it without a restart', async () => {
    run = await started();
    expect(await page()).toContain('<h1 id="comanda-for-integrators">');
    writeFileSync(at('go'), '');
    await waitFor('the built site', async () => (await page()).includes('built at priority 19'), patience);
    await waitFor('a line', () => run.output().includes('the site of the documents is built'), patience);
  }, 600_000);

  it('builds it again only when its sources have changed, and serves the old one meanwhile', async () => {
    await finish(run, 'SIGTERM');
    rmSync(at('pid'));
    const again = await promisify(execFile)(process.execPath, ['extras/site/site.mjs', '--beside'], {
      cwd: folder,
      env: { ...process.env, ...generatorFiles() },
    });
    expect([again.stdout, existsSync(at('pid'))]).toEqual(['', false]);
    appendFileSync(at('docs/guides/orders.md'), '\nOne more sentence.\n');
    rmSync(at('go'));
    run = await started();
    await waitFor('another build', () => existsSync(at('pid')), patience);
    expect(await page()).toContain('built at priority 19');
  }, 600_000);

  it('ends a build that is under way, and leaves none of its processes and files', async () => {
    const pid = Number(readFileSync(at('pid'), 'utf8'));
    expect(await finish(run, 'SIGINT')).toBe(0);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(readdirSync(at('dist')).filter((name) => name.startsWith('.site'))).toEqual([]);
  }, 60_000);
});

async function started(): Promise<Run> {
  const next = startRun({ dataDir: at('data'), port, root: folder, env: generatorFiles() });
  await serving(next);
  return next;
}

const generatorFiles = () => ({ GENERATOR_PID: at('pid'), GENERATOR_GO: at('go') });

const page = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/docs/`)).text();
