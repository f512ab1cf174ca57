import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CommandError } from '@comanda/api/src/command-error.ts';

/** An API and a worker on a copy, which send nothing. */
export interface PausedService {
  /** Base URL of the API. */
  url: string;
  stop(): Promise<void>;
}

/** The settings of processes on a copy: those of here, without its secrets, listening addresses and outward effects. */
export const pausedSettings = (
  environment: Readonly<Record<string, string | undefined>>,
  { service, owner, key }: { service: string; owner: string; key: string },
): Record<string, string> => ({
  ...(Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value]) => value !== undefined && !/^DATABASE_|PORT$|^ENCRYPTION_KEY/.test(name),
    ),
  ) as Record<string, string>),
  ENCRYPTION_KEY: key,
  DATABASE_URL: service,
  DATABASE_OWNER_URL: owner,
  DELIVERIES: 'paused',
  API_PROCESSES: '1',
  HOST: '127.0.0.1',
  PORT: '0',
});

/** Starts both from the bundles next to this one. @throws {CommandError} with what one said that did not come up. */
export async function startPaused(settings: Record<string, string>): Promise<PausedService> {
  const both = ['worker', 'api'].map((entry) => startBundle(entry, settings));
  const stop = () => Promise.all(both.map(({ end }) => end())).then(() => {});
  try {
    const [, url = ''] = await Promise.all(both.map(({ ready }) => ready));
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const patienceMs = 60_000;

function startBundle(entry: string, env: Record<string, string>) {
  const program = fileURLToPath(new URL(`./${entry}.js`, import.meta.url));
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2_000);
    });
  const ended = once(child, 'close');
  return { ready: readyOf(child, entry, ended, () => said), end: () => endOf(child, ended) };
}

async function readyOf(
  child: ChildProcess,
  entry: string,
  ended: Promise<unknown>,
  said: () => string,
): Promise<string> {
  const refusal = (what: string) =>
    new CommandError('internal_error', `the ${entry} ${what} on the copy: ${said().trim()}`);
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      child.on('message', (message: { ready?: true; url?: string }) => {
        if (message.ready === true) resolve(message.url ?? '');
      });
      void ended.then(
        () => reject(refusal('did not start')),
        (error: Error) => reject(new CommandError('internal_error', `the ${entry}: ${error.message}`)),
      );
      timer = setTimeout(() => reject(refusal('does not get ready')), patienceMs);
    });
  } finally {
    clearTimeout(timer);
  }
}

async function endOf(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 40_000);
  await ended.catch(() => {});
  clearTimeout(timer);
}
