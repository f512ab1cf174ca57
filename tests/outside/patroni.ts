import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { serverAccount } from '../../packages/embedded/src/account.ts';
import { choosePort } from '../../packages/embedded/src/port.ts';
import { waitFor } from '../support/wait.ts';
import { postgresFolder, programPath } from './programs.ts';

/** Three PostgreSQL under Patroni, an etcd, and HAProxy before them: the files of ops/patroni, at addresses of their own. */
export interface PatroniCluster {
  /** The connection string of a database as a role, through HAProxy. */
  url(role: string, password: string, database: string): string;
  superuserPassword: string;
  /** The leader and the synchronous followers, as Patroni reports them. */
  members(): Promise<Member[]>;
  /** Asks the leader to hand over to a member. */
  switchover(leader: string, candidate: string): Promise<void>;
  /** Kills a node's Patroni and PostgreSQL (-9), as a machine that loses its power. */
  kill(name: string): void;
  /** Starts a node that was killed, on the data that it had: Patroni rewinds it and makes it a standby. */
  restart(name: string): void;
  /** Puts an empty machine in the place of one that was killed: Patroni makes it a standby. */
  replace(name: string): void;
  /** The output of a node's Patroni and PostgreSQL. */
  log(name: string): string;
  remove(): Promise<void>;
}

/** A node as Patroni sees it. */
export interface Member {
  name: string;
  role: 'leader' | 'sync_standby' | 'replica';
  state: string;
  lag?: number | 'unknown';
}

const names = ['node1', 'node2', 'node3'] as const;

/** Makes and starts all of it; ready when a leader and a synchronous standby are there. */
export async function startPatroni(): Promise<PatroniCluster> {
  const home = mkdtempSync(join(tmpdir(), 'comanda-patroni-'));
  chmodSync(home, 0o755);
  const account = serverAccount(home);
  const give = (path: string) => account !== null && chownSync(path, account.uid, account.gid);
  give(home);
  const { replaced, ports, secret } = await addresses(home);
  const running = new Map<string, ChildProcess>();
  const endAll = guard(home);

  /** Writes a file of ops/patroni, and starts its program. */
  const launch = (name: string, program: string, text: string, argv: (file: string) => string[]) => {
    const file = join(home, `${name}.conf`);
    writeFileSync(file, text, { mode: 0o600 });
    give(file);
    running.set(name, spawnAs(account, program, argv(file), join(home, name)));
  };
  const startNode = (name: string) => {
    mkdirSync(join(home, name), { recursive: true });
    give(join(home, name));
    launch(name, programPath('patroni'), replaced('patroni.yml', name), (file) => [file]);
  };
  launch('etcd', programPath('etcd', 'etcd-server'), replaced('etcd.conf.yml'), (file) => [
    '--config-file',
    file,
  ]);
  for (const name of names) startNode(name);
  launch('haproxy', programPath('haproxy'), replaced('haproxy.cfg'), (file) => ['-db', '-f', file]);

  const rest = (name: string, path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${ports(name).rest}${path}`, { signal: AbortSignal.timeout(5_000), ...init });
  const members = async (): Promise<Member[]> => {
    const answers = await Promise.all(
      names.map((name) =>
        rest(name, '/cluster')
          .then((answer) => answer.json())
          .catch(() => undefined),
      ),
    );
    const answered = answers.find((answer) => answer !== undefined) as { members: Member[] } | undefined;
    return answered?.members ?? [];
  };
  const postmasterOf = (name: string) => {
    const file = join(home, name, 'data', 'postmaster.pid');
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined;
  };
  const cluster: PatroniCluster = {
    url: (role, password, database) =>
      `postgresql://${role}:${password}@127.0.0.1:${ports('haproxy').pg}/${database}`,
    superuserPassword: secret,
    members,
    async switchover(leader, candidate) {
      const answer = await rest(leader, '/switchover', {
        method: 'POST',
        body: JSON.stringify({ leader, candidate }),
        signal: AbortSignal.timeout(60_000),
      });
      if (!answer.ok) throw new Error(`switchover: ${answer.status} ${await answer.text()}`);
    },
    kill(name) {
      running.get(name)?.kill('SIGKILL');
      const postmaster = postmasterOf(name);
      if (postmaster !== undefined) process.kill(postmaster, 'SIGKILL');
    },
    restart: startNode,
    log: (name) => readFileSync(join(home, `${name}.log`), 'utf8'),
    replace(name) {
      rmSync(join(home, name), { recursive: true, force: true });
      startNode(name);
    },
    remove: endAll,
  };
  try {
    await waitFor(
      'Patroni to have a leader and a synchronous standby',
      async () => isWhole(await members()),
      {
        timeoutMs: 120_000,
        intervalMs: 500,
      },
    );
    await waitFor(
      'HAProxy to lead to the leader',
      async () => (await rest('node1', '/leader')) !== undefined,
    );
  } catch (error) {
    const logs = [...running.keys()].map((name) => `${name}:\n${tail(join(home, `${name}.log`))}`);
    await cluster.remove();
    throw new Error(logs.join('\n'), { cause: error });
  }
  return cluster;
}

/** Whether all three are there, one of them as the synchronous standby. */
export const isWhole = (members: readonly Member[]): boolean =>
  members.length === names.length &&
  members.every(({ state }) => state === 'running' || state === 'streaming') &&
  ['leader', 'sync_standby'].every((role) => members.some((member) => member.role === role));

/** Puts free ports, folders of the test and a secret in the place of those in the files of ops/patroni. */
async function addresses(home: string) {
  const secret = 'secret-of-the-test';
  const chosen = new Map<string, { pg: number; rest: number }>();
  for (const name of [...names, 'etcd', 'haproxy'])
    chosen.set(name, {
      pg: await choosePort(`${home}/${name}/pg`, null),
      rest: await choosePort(`${home}/${name}/rest`, null),
    });
  const ports = (name: string) => chosen.get(name) ?? { pg: 0, rest: 0 };
  const others: [string, string][] = [
    ['2379', String(ports('etcd').pg)],
    ['2380', String(ports('etcd').rest)],
    ['5000', String(ports('haproxy').pg)],
    ['/var/lib/etcd/comanda', `${home}/etcd`],
    ['superuser-password', secret],
    ['/usr/lib/postgresql/15/bin', postgresFolder()],
  ];
  /** The files name node1 where a node is meant, and all three where all are. */
  const own = (name: string, index: number): [string, string][] => [
    [`127.0.0.1:543${2 + index}`, `127.0.0.1:${ports(name).pg}`],
    [`port 80${String(8 + index).padStart(2, '0')}`, `port ${ports(name).rest}`],
  ];
  const replaced = (file: string, node?: string) => {
    let text = readFileSync(join(repositoryRoot, 'ops/patroni', file), 'utf8');
    const pairs: [string, string][] =
      node === undefined
        ? names.flatMap(own)
        : [
            ['127.0.0.1:5432', `127.0.0.1:${ports(node).pg}`],
            ['127.0.0.1:8008', `127.0.0.1:${ports(node).rest}`],
            ['/var/lib/postgresql/comanda/node1', `${home}/${node}`],
            ['name: node1', `name: ${node}`],
          ];
    for (const [from, to] of [...pairs, ...others]) text = text.replaceAll(from, to);
    return text;
  };
  return { replaced, ports, secret };
}

function spawnAs(account: ReturnType<typeof serverAccount>, program: string, argv: string[], base: string) {
  const out = openSync(`${base}.log`, 'a');
  const env = { PATH: `${dirname(program)}:/usr/bin:/bin`, HOME: dirname(base), LC_ALL: 'C.UTF-8' };
  const child = spawn(program, argv, { cwd: '/', env, stdio: ['ignore', out, out], ...account });
  closeSync(out);
  writeFileSync(`${base}.pid`, `${child.pid}\n`);
  return child;
}

/**
 * A process that ends all the others on request, or when the test has ended for any reason: Patroni's PostgreSQL is no child
 * of the test. It knows them by the files with their ids, and each names the folder in its command line.
 */
function guard(home: string): () => Promise<void> {
  const script = `cat
    for again in 1 2; do
      for file in "$0"/*.pid "$0"/*/data/postmaster.pid; do
        [ -f "$file" ] && read pid < "$file" && grep -qs "$0" "/proc/$pid/cmdline" && kill -9 "$pid"
      done
      sleep 1
    done
    rm -rf "$0"`;
  const child = spawn('sh', ['-c', script, home], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  const ended = once(child, 'exit');
  return async () => {
    child.stdin.end();
    await ended;
  };
}

const tail = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').slice(-2_000) : '');
