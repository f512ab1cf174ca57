import { type ChildProcess, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { copyTree } from '../../scripts/recipes/copy.mjs';
import { waitFor } from '../support/wait.ts';
import { runOn, unusedPort } from './run.ts';

let folder: string;
let child: ChildProcess;
let output = '';

// On a copy: no test writes into the source tree.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'comanda-dev-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(folder, 0o711);
  copyTree(repositoryRoot, folder);
  child = spawn(process.execPath, ['scripts/dev.mjs'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(await unusedPort()),
      DATA_DIR: join(folder, 'data'),
      SEED_DEMO: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  await shown('Ctrl-C stops it');
}, 120_000);

afterAll(async () => {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

// In this order: each edit is of the tree that the one before left, and the last does not compile.
describe('npm run dev', { shuffle: false }, () => {
  it('starts the API again after an edit of its sources, and leaves the worker alone', async () => {
    appendFileSync(join(folder, 'packages/api/src/http/health.ts'), "\nconsole.log('edited once');\n");
    await shown('api is ready again');
    expect(output).toContain('edited once');
    expect(output).not.toContain('worker is ready again');
  }, 60_000);

  it('applies an edit of prisma/sql, and of what is generated there, to the database that runs', async () => {
    const since = output.length;
    edit('prisma/sql/money.sql', '* 0.01 END', '* 0.01 + 0 END');
    appendFileSync(
      join(folder, 'prisma/sql/made/known_names.sql'),
      '\nCREATE FUNCTION made_now() RETURNS int LANGUAGE sql AS $$ SELECT 7 $$;\n',
    );
    await shown('functions and triggers made', since);
    const [row] = await runOn(
      join(folder, 'data'),
      `select made_now(), prosrc like '%+ 0 END%' as edited from pg_proc where proname = 'average_money'`,
    );
    expect(row).toEqual({ made_now: 7, edited: true });
  }, 120_000);

  it('names the refused SQL, and restarts no process that would refuse the database until it is fixed', async () => {
    const since = output.length;
    const broken = join(folder, 'prisma/sql/made/broken.sql');
    writeFileSync(broken, 'DROP TABLE orders;\n');
    await shown(
      'SQL not applied, and nothing is restarted until it is: prisma/sql/made/broken.sql:1: "DROP TABLE orders;" belongs to no object',
      since,
    );
    appendFileSync(join(folder, 'packages/api/src/http/health.ts'), "\nconsole.log('edited twice');\n");
    await shown('built api', since);
    rmSync(broken);
    // The API may still be starting again after an edit before this one.
    await shown('edited twice', since);
    await shown('api is ready again', since);
    const lines = output.slice(since);
    expect(lines.indexOf('edited twice')).toBeGreaterThan(lines.indexOf('migrations ('));
    expect(lines).not.toContain('api refuses');
  }, 120_000);

  it('starts a process again that refuses SQL which is written and not applied', async () => {
    const since = output.length;
    const broken = join(folder, 'prisma/sql/made/broken.sql');
    writeFileSync(broken, 'DROP TABLE orders;\n');
    await shown('SQL not applied', since);
    const { children } = JSON.parse(readFileSync(join(folder, 'data/postgres/running.json'), 'utf8'));
    process.kill(children[0].pid, 'SIGKILL');
    await shown('api died (exit code 78)', since);
    rmSync(broken);
    await shown('api is ready again', since);
  }, 120_000);

  it('builds the app after an edit of its sources or of the client, and serves it', async () => {
    const base = /Base URL +(\S+)/.exec(output)?.[1];
    const assets = join(folder, 'dist/app/assets');
    const served = (mark: string) =>
      waitFor(
        `${mark} to be served`,
        async () => {
          const name = readdirSync(assets).find((each) =>
            readFileSync(join(assets, each), 'utf8').includes(mark),
          );
          return name !== undefined && (await fetch(`${base}/app/assets/${name}`)).ok;
        },
        { timeoutMs: 60_000 },
      );
    appendFileSync(join(folder, 'packages/app/src/board/board.css'), '\n.edited-style { color: red; }\n');
    await served('edited-style');
    appendFileSync(join(folder, 'packages/client/src/list.ts'), "\nconsole.log('edited client');\n");
    await served('edited client');
  }, 150_000);

  it('says what does not compile, and goes on serving what it had', async () => {
    appendFileSync(join(folder, 'packages/worker/src/console.ts'), '\nno such syntax\n');
    await shown('not built: Build failed');
    const base = /Base URL +(\S+)/.exec(output)?.[1];
    expect((await fetch(`${base}/readyz`)).status).toBe(200);
    expect(output).not.toContain('worker died');
  }, 60_000);
});

function edit(file: string, from: string, to: string): void {
  const before = readFileSync(join(folder, file), 'utf8');
  expect(before).toContain(from);
  writeFileSync(join(folder, file), before.replace(from, to));
}

async function shown(text: string, since = 0): Promise<void> {
  const has = () => output.slice(since).includes(text);
  await waitFor(`"${text}"`, () => has() || child.exitCode !== null, { timeoutMs: 110_000 });
  expect(output.slice(since)).toContain(text);
}
