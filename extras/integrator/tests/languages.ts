import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { repositoryRoot } from '@comanda/db';
import { afterAll, beforeAll } from 'vitest';
import { makeTestFolder } from '../../../tests/support/folder.ts';

/** A client of one file, and how its driver is made and run. */
export interface Language {
  name: string;
  /** Where the client is in the repository. */
  client: string;
  driver: string;
  /** Programs and libraries without which it cannot be run, as a shell asks for them, and Debian's packages that have them. */
  needs: readonly string[];
  packages: string;
  /** Threads may share a client. */
  hasThreads: boolean;
  prepare?: (folder: string) => void;
  command: (folder: string) => readonly [string, ...string[]];
  env?: (folder: string) => Record<string, string>;
}

const make = (folder: string, program: string, args: readonly string[]) =>
  execFileSync(program, args, { cwd: folder, stdio: 'pipe' });

/** All of them, in the order of the guides. */
export const languages: readonly Language[] = [
  {
    name: 'Python',
    client: 'dist/docs/comanda.py',
    driver: 'driver.py',
    needs: ['command -v python3'],
    packages: 'python3',
    hasThreads: true,
    command: (folder) => ['python3', '-B', '-W', 'error', join(folder, 'driver.py')],
  },
  {
    name: 'Java',
    client: 'dist/docs/Comanda.java',
    driver: 'Driver.java',
    needs: ['command -v javac', 'command -v java'],
    packages: 'default-jdk-headless',
    hasThreads: true,
    prepare: (folder) =>
      make(folder, 'javac', ['-Xlint:all', '-Werror', '--release', '17', 'Comanda.java', 'Driver.java']),
    command: (folder) => ['java', '-XX:TieredStopAtLevel=1', '-cp', folder, 'Driver'],
  },
  {
    name: 'C#',
    client: 'dist/docs/Comanda.cs',
    driver: 'Driver.cs',
    needs: ['command -v mcs', 'ls "$(dirname "$(command -v mono)")"/../lib/mono/4.5/System.Net.Http.dll'],
    packages: 'mono-mcs and libmono-system-net-http4.0-cil',
    hasThreads: true,
    prepare: (folder) =>
      make(folder, 'mcs', [
        '-langversion:7',
        '-warnaserror',
        '-r:System.Net.Http',
        '-out:driver.exe',
        'Comanda.cs',
        'Driver.cs',
      ]),
    command: (folder) => ['mono', join(folder, 'driver.exe')],
  },
  {
    name: 'PHP',
    client: 'dist/docs/comanda.php',
    driver: 'driver.php',
    needs: ['command -v php'],
    packages: 'php-cli',
    hasThreads: false,
    command: (folder) => ['php', join(folder, 'driver.php'), join(folder, 'comanda.php')],
  },
];

const isMissing = ({ needs }: Language) => needs.some((need) => spawnSync('sh', ['-c', need]).status !== 0);

/** Those whose programs are on this machine; the others are named. */
export const languagesHere: readonly Language[] = languages.filter((language) => {
  if (!isMissing(language)) return true;
  const { name, packages, client } = language;
  console.warn(
    `${name} is not on this machine (Debian: ${packages}): the tests of ${basename(client)} are not run.`,
  );
  return false;
});

/** A command for a driver; the members besides `do` are as it takes them. */
export interface Command {
  do: 'call' | 'each' | 'changes' | 'events' | 'threads' | 'show' | 'verify';
  [member: string]: unknown;
}

/** Its answer. Amounts are numbers or texts, as the language has them. */
export interface Reply {
  status?: number;
  data?: Record<string, unknown>;
  is_replay?: boolean;
  etag?: string;
  entries?: (Record<string, unknown> & { id: string; data: { id: string } })[];
  cursor?: string;
  event?: unknown;
  text?: string;
  error?: {
    kind: 'refused' | 'no_answer' | 'webhook' | 'argument';
    status?: number;
    code?: string;
    reason?: string;
    detail?: string;
    fields?: [path: string, message: string][];
    request_id?: string;
    retry_after?: number;
    since?: string;
    location?: string;
    text: string;
    idempotency_key?: string;
  };
}

/** The entries of a list that was answered. */
export const entriesOf = ({ data = {} }: Reply) => Object.values(data) as Record<string, unknown>[];

/** A driver that runs for the tests of a `describe`. */
export interface Driver {
  ask(command: Command): Promise<Reply>;
  /** As it was answered, for what a number of JavaScript cannot hold. */
  askText(command: Command): Promise<string>;
}

/** Makes and starts the driver of a language before the tests, and ends it after them. */
export function useDriver(language: Language): Driver {
  const folder = makeTestFolder('language');
  let askText: Driver['askText'] = () => Promise.reject(new Error('not started'));
  let end = async () => {};
  beforeAll(() => {
    const driver = join(repositoryRoot, 'extras/integrator/tests/languages', language.driver);
    for (const file of [join(repositoryRoot, language.client), driver])
      copyFileSync(file, join(folder, basename(file)));
    language.prepare?.(folder);
    const [program, ...words] = language.command(folder);
    const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    askText = async (command) => {
      child.stdin.write(`${JSON.stringify(command)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the driver of ${language.name} ended at ${JSON.stringify(command)}`);
      return value;
    };
    end = async () => {
      child.stdin.end();
      await ended;
    };
  }, 120_000);
  afterAll(() => end());
  return {
    ask: async (command) => JSON.parse(await askText(command)) as Reply,
    askText: (command) => askText(command),
  };
}
