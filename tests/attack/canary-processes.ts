import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { repositoryRoot } from '@comanda/db';
import type { Trace } from './canary.ts';

/** Commands that need not show a secret. */
export const commandLines = [
  'keys list',
  'audit',
  'secrets rotate-key',
  'locations list',
  'keys revoke x',
  'nonsense',
  '--help',
];

/** Starts Node at the root with a bare environment. */
export function run(dataDir: string, argv: readonly string[], env: Record<string, string>): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  return spawn(process.execPath, argv, {
    cwd: repositoryRoot,
    env: { PATH, HOME, DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Hands on everything that the process writes. */
export function listen(child: ChildProcess, take: (text: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', take);
}

/** A port without a listener. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Runs a command of the command line. */
export async function comanda(dataDir: string, ...argv: string[]): Promise<{ stdout: string; text: string }> {
  const child = run(dataDir, ['scripts/comanda.mjs', ...argv], {});
  let [stdout, text] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  listen(child, (more) => {
    text += more;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return { stdout, text };
}

/** Starts what cannot connect, and returns what it says of that. */
export async function failToConnect(
  dataDir: string,
  entry: string,
  address: string,
  encryptionKey: string,
): Promise<Trace> {
  const argv = entry === 'comanda' ? ['scripts/comanda.mjs', 'keys', 'list'] : [`dist/${entry}.js`];
  const env = { DATABASE_URL: address, ENCRYPTION_KEY: encryptionKey, LOG_LEVEL: 'trace', PORT: '0' };
  const child = run(dataDir, argv, env);
  let text = '';
  listen(child, (more) => {
    text += more;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const timers = [
    setTimeout(() => child.kill('SIGTERM'), 5_000),
    setTimeout(() => child.kill('SIGKILL'), 10_000),
  ];
  await ended;
  for (const timer of timers) clearTimeout(timer);
  return { where: `${entry} that cannot connect`, text };
}

/** An answer with its headers, as text. */
export const shown = async (response: Response): Promise<string> =>
  `${JSON.stringify([...response.headers])} ${await response.text()}`;
