import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { waitFor } from '../support/wait.ts';
import { childrenOf, gone, runsBundle, signalTo } from './process-tree.ts';

/** `npm start` as far as it is ours, kept under one name over all its lives. */
export interface StartRun {
  name: string;
  /** Where its API answers, in every life. */
  url: string;
  /** The supervisor. */
  pid(): number;
  /** The process that runs the bundle under it; undefined between two lives. */
  child(bundle: 'api' | 'worker'): number | undefined;
  /** Starts it, unless it runs, and waits until it serves. */
  start(): Promise<void>;
  /** SIGKILL; its children notice, finish what is in hand and end, which is waited for. */
  kill(): Promise<void>;
  /** SIGTERM, and waits until it and everything under it has ended. */
  stop(): Promise<void>;
  /** How often it said that a child died. */
  deaths(): number;
}

/** A start may wait for its predecessor's database to stop and to recover. */
const startPatienceMs = 120_000;
/** The time that a stop may take, by the contract, and a little. */
const stopPatienceMs = 40_000;

/** Prepares one; `port` and `env` hold for every life. Everything it says goes to `logFile`. */
export function prepareRun(name: string, port: number, env: NodeJS.ProcessEnv, logFile: string): StartRun {
  const log = createWriteStream(logFile, { flags: 'a' });
  let supervisor: ReturnType<typeof spawn> | undefined;
  let deaths = 0;

  const alive = () =>
    supervisor !== undefined && supervisor.exitCode === null && supervisor.signalCode === null;
  const pid = () => supervisor?.pid ?? 0;
  const end = async (signal: NodeJS.Signals) => {
    if (supervisor === undefined || !alive()) return;
    const family = [pid(), ...childrenOf(pid())];
    const ended = once(supervisor, 'exit');
    signalTo(pid(), signal);
    await ended;
    try {
      await gone(family, stopPatienceMs);
    } catch (error) {
      for (const left of family) signalTo(left, 'SIGKILL');
      throw error;
    }
  };

  return {
    name,
    url: `http://127.0.0.1:${port}`,
    pid,
    child: (bundle) => (alive() ? childrenOf(pid()).find((child) => runsBundle(child, bundle)) : undefined),
    async start() {
      if (alive()) return;
      // A session of its own: a Ctrl-C in the terminal is ours to handle.
      const child = spawn(process.execPath, ['scripts/start.mjs'], {
        cwd: repositoryRoot,
        env: { ...bareEnvironment(), ...env, PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      supervisor = child;
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          log.write(chunk);
          deaths += chunk.match(/ (api|worker) died \(/g)?.length ?? 0;
          if (said.length < 20_000) said += chunk;
        });
      const ready = () => said.includes('is ready after');
      await waitFor(`${name} to serve`, () => ready() || !alive(), { timeoutMs: startPatienceMs });
      if (!ready()) throw new Error(`${name} ended instead of serving:\n${said}`);
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    deaths: () => deaths,
  };
}

/** Of the settings of the shell that runs the soak, the number of API processes alone. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, LANG, API_PROCESSES } = process.env;
  return {
    ...(PATH && { PATH }),
    ...(HOME && { HOME }),
    ...(TMPDIR && { TMPDIR }),
    ...(LANG && { LANG }),
    ...(API_PROCESSES && { API_PROCESSES }),
  };
}
