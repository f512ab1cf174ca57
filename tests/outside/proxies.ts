import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { choosePort } from '../../packages/embedded/src/port.ts';
import { noteProcess } from '../support/run-directory.ts';
import { waitFor } from '../support/wait.ts';

/** A proxy of Debian's before API processes. */
export interface FrontProxy {
  url: string;
  /** Makes it read its files again; it does so a little later. */
  reload(): void;
  /** The same, for a shell. */
  reloadCommand: string;
  stop(): Promise<void>;
}

/** How a proxy is started: from the file in ops/, with other ports, and other times where a test cannot wait. */
interface Kind {
  program: string;
  file: string;
  /** The whole configuration, and the arguments with its path. */
  around(settings: string, home: string): string;
  argv(path: string, home: string): string[];
  /** The signal for reading its files again. */
  reloads: NodeJS.Signals;
  /** How long it keeps a connection to the API that rests, as the file says it. */
  rest: RegExp;
  /** How long it waits for the next word of an answer. */
  wait: RegExp;
}

/** Both, by name. */
export const proxies: Readonly<Record<'nginx' | 'HAProxy', Kind>> = {
  nginx: {
    program: '/usr/sbin/nginx',
    file: 'ops/nginx/comanda.conf',
    around: (settings, home) => `daemon off; pid ${home}/pid; error_log ${home}/errors; worker_processes 1;
      events { worker_connections 4096; }
      http { access_log off; ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${home}/${name};`)
        .join(' ')}\n${settings}\n}`,
    argv: (path, home) => ['-p', home, '-e', `${home}/errors`, '-c', path],
    reloads: 'SIGHUP',
    rest: /(keepalive_timeout) \d+s/g,
    wait: /(proxy_(?:read|send)_timeout) \d+s/g,
  },
  HAProxy: {
    program: '/usr/sbin/haproxy',
    file: 'ops/haproxy/haproxy.cfg',
    around: (settings) => settings,
    // As its unit in Debian runs it: a master, which stays, and a process that serves.
    argv: (path) => ['-W', '-db', '-f', path],
    reloads: 'SIGUSR2',
    rest: /(pool-purge-delay) \d+s/g,
    wait: /(timeout (?:client|server)) \d+s/g,
  },
};

/** The times in the file of a proxy, in milliseconds: how long a connection rests, and how long the proxy waits for data. */
export function timesOf(name: keyof typeof proxies): { restMs: number[]; waitMs: number[] } {
  const { file, rest, wait } = proxies[name];
  const text = readFileSync(join(repositoryRoot, file), 'utf8');
  const read = (pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([found]) => Number(/(\d+)s$/.exec(found)?.[1]) * 1_000);
  return { restMs: read(rest), waitMs: read(wait) };
}

/**
 * Starts one before two addresses of the API, with the times of its file unless others are given.
 * @throws {Error} with what to install, or what it said.
 */
export async function startProxy(
  name: keyof typeof proxies,
  urls: readonly [string, string],
  times: { restMs?: number; waitMs?: number } = {},
): Promise<FrontProxy> {
  const { file, rest, wait } = proxies[name];
  const inMs = (ms: number) => (text: string, what: string) => text && `${what} ${ms}ms`;
  let settings = readFileSync(join(repositoryRoot, file), 'utf8')
    .replace('127.0.0.1:3001', new URL(urls[0]).host)
    .replace('127.0.0.1:3002', new URL(urls[1]).host);
  if (times.restMs !== undefined) settings = settings.replace(rest, inMs(times.restMs));
  if (times.waitMs !== undefined) settings = settings.replace(wait, inMs(times.waitMs));
  return runProxy(name, settings);
}

/**
 * Starts one with these settings, which listen at 8080, at a port of its own.
 * @throws {Error} with what to install, or what it said.
 */
export async function runProxy(name: keyof typeof proxies, settings: string): Promise<FrontProxy> {
  const { program, around, argv, reloads } = proxies[name];
  if (!existsSync(program))
    throw new Error(`there is no ${program} here: apt-get install nginx-light haproxy`);
  const home = mkdtempSync(join(tmpdir(), 'comanda-outside-'));
  chmodSync(home, 0o777);
  const port = await choosePort(home, null);
  const path = join(home, 'settings');
  const listening = settings.replace(/(listen |bind :)8080/, (_, word: string) =>
    word === 'listen ' ? `listen 127.0.0.1:${port}` : `bind 127.0.0.1:${port}`,
  );
  writeFileSync(path, around(listening, home));
  const child = spawn(program, argv(path, home), { stdio: ['ignore', 'pipe', 'pipe'] });
  const forget = noteProcess(inject('runDirectory'), child.pid ?? 0);
  const said = outputOf(child);
  const url = `http://127.0.0.1:${port}`;
  await waitFor(`${name} to serve`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${said()}`);
    return (await fetch(`${url}/healthz`)).status === 200;
  });
  return {
    url,
    reload: () => child.kill(reloads),
    reloadCommand: `kill -${reloads.slice('SIG'.length)} ${child.pid}`,
    async stop() {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
      forget();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function outputOf({ stdout, stderr }: ChildProcess): () => string {
  let said = '';
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
  return () => said;
}
