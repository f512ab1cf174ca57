import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { RoleKind } from '../../packages/db/src/roles/access.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { tokenHeader } from '../../packages/studio/src/page/session.ts';
import { roleUrl } from '../support/roles.ts';
import { waitFor } from '../support/wait.ts';

/** A run of npm run studio. */
export interface Run {
  process: ChildProcess;
  output(): string;
  over(): boolean;
}

/** One that serves. */
export interface RunningStudio extends Run {
  origin: string;
  /** A printed address that no test has used yet. */
  address(): Promise<string>;
  /** The headers of a tab that is signed in. */
  headers: Record<string, string>;
  /** Sends a query as the page does. */
  query(sql: string, parameters?: unknown[], headers?: Record<string, string>): Promise<Queried>;
  close(): Promise<number | null>;
}

/** The answer to a query. */
export interface Queried {
  status: number;
  refusal: { name: string; message: string } | null;
  rows: Record<string, unknown>[];
}

/** Starts it with such arguments, on the database of `url` as a role: that for which the arguments ask, unless said. */
export function startRun(
  args: string[],
  url: string | undefined,
  role: RoleKind = args.includes('--edit') ? 'admin' : 'reader',
): Run {
  const { DATABASE_URL, NODE_ENV, NODE_OPTIONS, ...env } = process.env;
  const child = spawn(process.execPath, ['scripts/studio.mjs', ...args], {
    cwd: repositoryRoot,
    env: {
      ...env,
      DATA_DIR: '/nonexistent/comanda',
      ...(url !== undefined && {
        DATABASE_URL: roleUrl(url, role),
        DATABASE_ROLE_PREFIX: new URL(url).username.replace(/_[a-z]+$/, ''),
      }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let over = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  child.on('close', () => {
    over = true;
  });
  return { process: child, output: () => output, over: () => over };
}

/** Starts it, and waits for nothing but the line with its address: then it listens. */
export async function startStudio(url: string, args: string[] = [], role?: RoleKind): Promise<RunningStudio> {
  const port = await freePort();
  const run = startRun(['--port', String(port), ...args], url, role);
  let given = 0;
  const address = async () => {
    const printed = () => run.output().match(/http:\/\/\S+#code=\S+/g) ?? [];
    const wanted = given++;
    await waitFor('the address of Studio', async () => run.over() || printed().length > wanted, {
      timeoutMs: 100_000,
    });
    const found = printed()[wanted];
    if (found === undefined) throw new Error(`Studio ended:\n${run.output()}`);
    return found;
  };
  const entrance = await address();
  const { origin } = new URL(entrance);
  const headers = await headersIn(origin, entrance);
  return {
    ...run,
    ...{ origin, address, headers },
    query: (sql, parameters = [], own = {}) =>
      ask(origin, { procedure: 'query', query: { sql, parameters } }, { ...headers, ...own }),
    close: () => end(run, 'SIGTERM'),
  };
}

/** The code of an address. */
export const codeOf = (address: string): string => /#code=([\w-]+)/.exec(address)?.[1] ?? '';

/** Brings a code, as the page does. */
export const enter = (origin: string, code: string, headers: Record<string, string> = { origin }) =>
  fetch(`${origin}/enter`, { method: 'POST', headers, body: JSON.stringify({ code }) });

/** Lets a tab in by an address; what it sends from then on. */
export async function headersIn(origin: string, address: string): Promise<Record<string, string>> {
  const entered = await enter(origin, codeOf(address));
  return { origin, [tokenHeader]: ((await entered.json()) as { token: string }).token };
}

/** Asks what answers data. */
export async function ask(address: string, body: object, headers: Record<string, string>): Promise<Queried> {
  const response = await fetch(`${address}/bff`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) return { status: response.status, refusal: { name: 'HTTP', message: text }, rows: [] };
  const [refusal, rows = []] = JSON.parse(text) as [Queried['refusal'], Queried['rows']?];
  return { status: response.status, refusal, rows };
}

/** Its exit code, once every process that holds its output is gone. */
export async function ended(run: Run): Promise<number | null> {
  if (!run.over()) await once(run.process, 'close');
  return run.process.exitCode;
}

/** Asks it to end. */
export async function end(run: Run, signal: NodeJS.Signals): Promise<number | null> {
  const closing = ended(run);
  run.process.kill(signal);
  return closing;
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const bound = probe.address();
  probe.close();
  await once(probe, 'close');
  if (typeof bound !== 'object' || bound === null) throw new Error('the probe has no port');
  return bound.port;
}
