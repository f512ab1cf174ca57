import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { choosePort } from '../../packages/embedded/src/port.ts';
import { runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { type Operator, startOperator } from './operator.ts';
import { programPath, runProgram } from './programs.ts';

// docs/operations/image.md: the image is built, and run by runc on a read-only root, as a user without rights.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 600_000 });

const words = (text: string) => text.split(' ');
let operator: Operator;
let home: string;
let bundle: string;
let urls: { service: string; owner: string; maker: string };
const running = new Set<string>();

beforeAll(async () => {
  for (const name of ['mmdebstrap', 'umoci', 'skopeo', 'runc']) programPath(name);
  operator = await startOperator('operations/image.md', randomBytes(32).toString('base64'));
  const { cluster, env } = operator;
  ({ home } = cluster);
  const at = (role: string) => cluster.url(role, 'fresh');
  urls = { service: at('comanda_service'), owner: at('comanda_owner'), maker: at('operator') };
  await runOnce(cluster.url('operator', 'postgres'), 'create database fresh');
  bundle = join(home, 'bundle');
  const { PATH, HOME = '/', ...rest } = process.env as Record<string, string>;
  await operator.follow('Building it', {
    ...rest,
    HOME,
    PATH: `/usr/sbin:${PATH}`,
    COMANDA: repositoryRoot,
    IMAGE: join(home, 'image'),
    BUNDLE: bundle,
    TMPDIR: env.TMPDIR ?? '/tmp',
  });
  const secrets = join(home, 'secrets');
  mkdirSync(secrets);
  const texts = { 'database-url': urls.service, 'owner-url': urls.owner, key: env.ENCRYPTION_KEY ?? '' };
  for (const [name, text] of Object.entries(texts)) {
    writeFileSync(join(secrets, name), `${text}\n`);
    chownSync(join(secrets, name), 10_001, 10_001);
    chmodSync(join(secrets, name), 0o400);
  }
});
afterAll(async () => {
  for (const name of running) runProgram('/usr/sbin/runc', ['kill', name, 'KILL']);
  await operator?.remove();
});

/** A container of the image with another command; what it printed, and its end. */
async function start(name: string, args: readonly string[], env: Record<string, string>) {
  const file = join(bundle, 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  Object.assign(config.process, { args, terminal: false, noNewPrivileges: true, capabilities: {} });
  config.process.env = [
    ...config.process.env.filter((each: string) => !/^(DATABASE|ENCRYPTION|HOST|PORT|WORKER|API)/.test(each)),
    ...Object.entries({ HOST: '127.0.0.1', ...env }).map((each) => each.join('=')),
  ];
  config.root.readonly = true;
  // PostgreSQL is on the loopback of the host.
  config.linux.namespaces = config.linux.namespaces.filter(
    ({ type }: { type: string }) => type !== 'network',
  );
  const own = [
    { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: words('nosuid nodev mode=1777') },
    { destination: '/run', type: 'bind', source: join(home, 'secrets'), options: words('rbind ro') },
  ];
  const places = own.map(({ destination }) => destination);
  config.mounts = config.mounts
    .filter(({ destination }: { destination: string }) => !places.includes(destination))
    .concat(own);
  writeFileSync(file, JSON.stringify(config));
  const child = spawn('runc', ['run', '--bundle', bundle, name], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  running.add(name);
  const ended = once(child, 'close').then(([code]) => {
    running.delete(name);
    return code as number;
  });
  // runc reads its configuration before the next one is written.
  await sleep(1_500);
  return { output: () => output, ended };
}
const run = async (name: string, args: readonly string[], env: Record<string, string> = {}) => {
  const { output, ended } = await start(name, args, env);
  const code = await ended;
  return { code, output: output() };
};
const withFiles = { DATABASE_URL_FILE: '/run/database-url', ENCRYPTION_KEY_FILE: '/run/key' };

// As an operator goes down the page: in its order.
describe('the page of the image', { shuffle: false }, () => {
  it('is at most 120 MB, and holds no shell', () => {
    const [size] = words(runProgram('/usr/bin/du', ['-sm', join(home, 'image')]).replace('\t', ' '));
    process.stdout.write(`the image has ${size} MB compressed\n`);
    expect(Number(size)).toBeLessThanOrEqual(120);
    expect(() => runProgram('/usr/bin/test', ['-e', join(bundle, 'rootfs/bin/sh')])).toThrow();
  });

  it('runs on a read-only root, as a user without rights', async () => {
    const script = `for (const path of ['/x', '/comanda/x', '/usr/local/bin/x', '/tmp/x'])
    try { require('fs').writeFileSync(path, ''); console.log(path, 'written') } catch ({ code }) { console.log(path, code) }
    console.log(process.getuid(), /^CapEff:.*/m.exec(require('fs').readFileSync('/proc/self/status', 'utf8'))[0])`;
    const { output } = await run('comanda-image-write', ['node', '-e', script]);
    expect(output).toMatch(/^\/x EROFS\n\/comanda\/x EROFS\n\/usr\/local\/bin\/x EROFS\n\/tmp\/x written\n/);
    expect(output).toMatch(/^10001 CapEff:\s+0+$/m);
  });

  it('migrates an empty database, serves, works and stops when it is asked', async () => {
    const comanda = ['node', 'dist/comanda.js'];
    const roles = await run('comanda-image-roles', [...comanda, 'db', 'roles', '--apply'], {
      DATABASE_URL: urls.maker,
    });
    expect(roles, roles.output).toMatchObject({ code: 0 });
    const owner = { DATABASE_URL_FILE: '/run/database-url', DATABASE_OWNER_URL_FILE: '/run/owner-url' };
    const migrated = await run('comanda-image-migrate', [...comanda, 'migrate'], owner);
    expect(migrated.output).toMatch(/migrations applied/);
    const [port, watch] = [await choosePort(home, null), await choosePort(join(home, 'data'), null)];
    const api = await start('comanda-image-api', ['node', 'dist/api.js'], {
      ...withFiles,
      PORT: String(port),
      API_PROCESSES: '1',
    });
    const flags = words('--max-semi-space-size=4 --heap-growing-percent=50 --expose-gc');
    const worker = await start('comanda-image-worker', ['node', ...flags, 'dist/worker.js'], {
      ...withFiles,
      WORKER_PORT: String(watch),
    });
    const ready = (of: number) => async () => {
      const answer = await fetch(`http://127.0.0.1:${of}/readyz`).catch(() => undefined);
      return answer?.status === 200 && ((await answer.json()) as object);
    };
    expect(await waitFor('the worker', ready(watch), { timeoutMs: 60_000 })).toMatchObject({
      heartbeat: 'ok',
    });
    expect(await waitFor('the API', ready(port), { timeoutMs: 60_000 })).toMatchObject({ status: 'ok' });
    const made = await run(
      'comanda-image-location',
      [
        ...comanda,
        ...words('locations create --name Bar --timezone America/Montevideo --currency UYU --json'),
      ],
      withFiles,
    );
    const { id } = JSON.parse(made.output) as { id: string };
    const key = await run(
      'comanda-image-key',
      [...comanda, ...words(`keys create --location ${id} --name ERP --permissions orders:* --json`)],
      withFiles,
    );
    const token = /cmd_live_[\w-]{24,}/.exec(key.output)?.[0] ?? key.output;
    const listed = await fetch(`http://127.0.0.1:${port}/v2/orders`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(listed.status, token).toBe(200);
    for (const [name, { ended, output }] of Object.entries({ api, worker })) {
      runProgram('/usr/sbin/runc', ['kill', `comanda-image-${name}`, 'TERM']);
      expect(await ended, output()).toBe(0);
    }
  });

  it('every command of the page was run', () => {
    expect(operator.left().filter(({ kind }) => kind === 'sh')).toEqual([]);
  });
});
