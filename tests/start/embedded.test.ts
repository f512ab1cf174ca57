import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Instance, postmasterOf, readInstance } from '../../packages/embedded/src/instance.ts';
import { type EmbeddedServer, embeddedUrl, startEmbedded } from '../../packages/embedded/src/server.ts';
import { sqlAt } from '../support/sql.ts';
import { buildOwnerProgram, type OwnerProgram } from './owner.ts';

const servers: EmbeddedServer[] = [];
const folders: string[] = [];

afterAll(async () => {
  for (const server of servers) await server.stop();
  for (const folder of folders) removeFolder(folder);
}, 60_000);

describe('a running embedded server', { timeout: 120_000 }, () => {
  let server: EmbeddedServer;
  const dataDir = newDataDir();
  const lines: string[] = [];

  beforeAll(async () => {
    server = await startEmbedded({ dataDir, log: (line) => lines.push(line) });
    servers.push(server);
  }, 120_000);

  it('listens on the loopback address alone and keeps every commit', async () => {
    expect(server.created).toBe(true);
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
    expect(await query(server.url, 'SHOW listen_addresses')).toBe('127.0.0.1');
    expect(await query(server.url, 'SHOW unix_socket_directories')).toBe('');
    expect(await query(server.url, 'SHOW fsync')).toBe('on');
    expect(await query(server.url, 'SHOW synchronous_commit')).toBe('on');
  });

  it('asks for the password that it keeps where only its user reads', async () => {
    expect(statSync(join(dataDir, 'postgres.json')).mode & 0o777).toBe(0o600);
    const wrong = server.url.replace(/:[0-9a-f]+@/, ':wrong@');
    await expect(query(wrong, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  });

  it('sorts text by code point and knows the case of letters beyond ASCII', async () => {
    const sorted = await query(
      server.url,
      "SELECT string_agg(word, '' ORDER BY word) FROM unnest(ARRAY['é','b','Z','a']) AS word",
    );
    expect(sorted).toBe('Zabé');
    expect(await query(server.url, "SELECT lower('ÑANDÚ')")).toBe('ñandú');
  });

  it('is found by its data directory', async () => {
    expect(await embeddedUrl(dataDir)).toBe(server.url);
  });

  it('reports to a second start where the service answers', async () => {
    server.announce({ url: 'http://127.0.0.1:3000' });
    await expect(startEmbedded({ dataDir })).rejects.toThrow(
      `process ${process.pid}, at http://127.0.0.1:3000`,
    );
  });

  it('keeps its distance from another one, which says in one line why PostgreSQL did not start, and lets go of its data directory', async () => {
    const elsewhere = newDataDir();
    const failing = startEmbedded({ dataDir: elsewhere, settings: { shared_buffers: 'plenty' } });
    await expect(failing).rejects.toThrow(/^PostgreSQL did not start: [^\n]*shared_buffers[^\n]*$/);
    expect(existsSync(join(instance(elsewhere).home, 'running.json'))).toBe(false);
    const other = await start(elsewhere);
    expect(other.port).not.toBe(server.port);
    await query(server.url, 'CREATE TABLE mine ()');
    expect(await query(other.url, "SELECT to_regclass('mine')")).toBeNull();
  });

  it('runs again by itself, with every commit, after kill -9', async () => {
    await query(server.url, "CREATE TABLE kept AS SELECT 'here' AS word");
    const killed = postmaster(dataDir);
    process.kill(killed, 'SIGKILL');
    expect(await eventually(() => query(server.url, 'SELECT word FROM kept'))).toBe('here');
    expect(postmaster(dataDir)).not.toBe(killed);
  });

  it('waits for its own port when that was taken while it was dead, and says what keeps it', async () => {
    process.kill(postmaster(dataDir), 'SIGKILL');
    const thief = await eventually(async () => {
      const taken = createServer().listen(server.port, '127.0.0.1');
      await once(taken, 'listening');
      return taken;
    }, 1);
    const complaint = /cannot be started, next attempt in .*already running on port/;
    await eventually(async () => expect(lines.join(' ')).toMatch(complaint));
    thief.close();
    expect(await eventually(() => query(server.url, 'SELECT 1'))).toBe(1);
    await eventually(async () => expect(lines.at(-1)).toBe('the database runs again'));
  });

  it('keeps its log small while it runs: beyond 10 MiB it keeps one older file', async () => {
    const { logFile } = instance(dataDir);
    const say = (words: string, times: number) =>
      query(
        server.url,
        `do $$ begin perform set_config('client_min_messages', 'error', true);
         for i in 1..${times} loop raise warning '%', ${words}; end loop; end $$`,
      );
    for (const round of ['first', 'second']) {
      await say(`repeat('${round} ', 150000)`, 14);
      await eventually(async () => expect(statSync(logFile).size).toBeLessThan(10 * 2 ** 20));
      expect(statSync(`${logFile}.1`).size).toBeGreaterThan(10 * 2 ** 20);
      expect(statSync(`${logFile}.1`).mode & 0o777).toBe(0o600);
      await say(`'after the ${round}'`, 1);
      expect(readFileSync(logFile, 'utf8')).toContain(`after the ${round}`);
      expect(readFileSync(logFile).includes(0)).toBe(false);
    }
    expect(readFileSync(`${logFile}.1`, 'utf8')).toContain('second second');
  });
});

// In this order: each start finds the data that the one before left.
describe('the embedded server of a data directory', { timeout: 120_000, shuffle: false }, () => {
  let owners: OwnerProgram;
  beforeAll(async () => {
    owners = await buildOwnerProgram();
  });
  afterAll(() => owners.dispose());

  const dataDir = newDataDir();
  let url: string;
  const isKept = async () => expect(await query(url, 'SELECT word FROM kept')).toBe('here');

  it('is that of exactly one of several simultaneous starts', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => owners.start(dataDir)));
    const winners = all.filter(({ word }) => word.url !== undefined);
    expect(winners).toHaveLength(1);
    for (const { word } of all) expect(word.url ?? word.error).toMatch(/^postgresql:|^already running on /);
    url = String(winners[0]?.word.url);
    await query(url, "CREATE TABLE kept AS SELECT 'here' AS word");
    winners[0]?.process.disconnect();
    await once(winners[0]?.process ?? process, 'exit');
    expect(await embeddedUrl(dataDir)).toBeNull();
  });

  it('keeps its data, address and password over a restart', async () => {
    const server = await start(dataDir);
    expect(server.created).toBe(false);
    expect(server.url).toBe(url);
    await isKept();
    await stop(server);
    expect(await embeddedUrl(dataDir)).toBeNull();
  });

  it('moves to another port when its own was taken meanwhile', async () => {
    const { port } = new URL(url);
    const thief = createServer().listen(Number(port), '127.0.0.1');
    await once(thief, 'listening');
    onTestFinished(() => void thief.close());
    const server = await start(dataDir);
    expect(server.port).not.toBe(Number(port));
    expect(await embeddedUrl(dataDir)).toBe(server.url);
    ({ url } = server);
    await stop(server);
  });

  it('runs once: a second start says who has it and leaves it alone; it is taken over when that owner was killed', async () => {
    const { process: owner } = await owners.start(dataDir);
    const running = postmaster(dataDir);
    await expect(startEmbedded({ dataDir })).rejects.toThrow(
      `already running on ${dataDir}: process ${owner.pid}, still starting`,
    );
    expect(postmaster(dataDir)).toBe(running);
    await isKept();
    await kill(owner);
    expect(postmaster(dataDir)).toBe(running);
    const server = await start(dataDir);
    expect(postmaster(dataDir)).not.toBe(running);
    await isKept();
    await stop(server);
  });

  it('recovers when it was killed together with its owner', async () => {
    const { process: owner } = await owners.start(dataDir);
    process.kill(postmaster(dataDir), 'SIGKILL');
    await kill(owner);
    await start(dataDir);
    await isKept();
  });
});

it('an embedded server runs in a folder that only its owner can enter, and leaves the folder as it was', {
  timeout: 120_000,
}, async () => {
  const dataDir = newDataDir();
  chmodSync(dirname(dataDir), 0o700);
  const first = await start(dataDir);
  await query(first.url, "CREATE TABLE kept AS SELECT 'here' AS word");
  await stop(first);
  const second = await start(dataDir);
  expect(await query(second.url, 'SELECT word FROM kept')).toBe('here');
  expect(statSync(dirname(dataDir)).mode & 0o777).toBe(0o700);
  expect(statSync(instance(dataDir).cluster).uid === 0).toBe(false);
});

/** A folder to live in that any user may pass through, as most clones are. */
function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'comanda-start-'));
  chmodSync(folder, 0o711);
  folders.push(folder);
  return join(folder, 'data');
}

/** With what the server keeps elsewhere when its user cannot enter the folder. */
function removeFolder(folder: string): void {
  const home = noteOf(join(folder, 'data'))?.home;
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

async function start(dataDir: string): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataDir });
  servers.push(server);
  return server;
}

async function stop(server: EmbeddedServer): Promise<void> {
  servers.splice(servers.indexOf(server), 1);
  await server.stop();
}

async function kill(owner: { kill(signal: NodeJS.Signals): boolean } & NodeJS.EventEmitter): Promise<void> {
  const exit = once(owner, 'exit');
  owner.kill('SIGKILL');
  await exit;
}

async function query(url: string, text: string): Promise<unknown> {
  const [row] = await sqlAt(url)(text);
  return Object.values(row ?? {})[0];
}

async function eventually<T>(attempt: () => Promise<T>, everyMs = 100): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= 30_000 / everyMs) throw error;
      await sleep(everyMs);
    }
  }
}

function noteOf(dataDir: string): Instance | null {
  return existsSync(dataDir) ? readInstance(dataDir) : null;
}

function instance(dataDir: string): Instance {
  const found = noteOf(dataDir);
  if (found === null) throw new Error(`${dataDir} has no note of a server`);
  return found;
}

function postmaster(dataDir: string): number {
  const pid = postmasterOf(instance(dataDir));
  if (pid === null) throw new Error(`no server runs in ${dataDir}`);
  expect(readFileSync(join(instance(dataDir).cluster, 'postmaster.pid'), 'utf8')).toMatch(`${pid}\n`);
  return pid;
}
