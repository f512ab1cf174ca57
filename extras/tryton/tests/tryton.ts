import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import pg from 'pg';
import { inject } from 'vitest';
import { repositoryRoot } from '../../../packages/db/src/root.ts';
import { type Cluster, startCluster } from '../../../tests/outside/cluster.ts';
import { programPath, runProgram } from '../../../tests/outside/programs.ts';
import { noteProcess } from '../../../tests/support/run-directory.ts';
import { waitFor } from '../../../tests/support/wait.ts';

/** Debian's own: another Python that comes before it has no Tryton. */
const python = '/usr/bin/python3';

/** Which package brings what the connector and the test import. */
const needed = {
  trytond: 'tryton-server',
  'trytond.modules.sale': 'tryton-modules-sale',
  'trytond.modules.stock': 'tryton-modules-stock',
  'trytond.modules.account_invoice': 'tryton-modules-account-invoice',
  proteus: 'tryton-proteus',
  psycopg2: 'python3-psycopg2',
} as const;

/** @throws {Error} with what to install, when something of Tryton is missing. */
export function requireTryton(): void {
  programPath('python3');
  const script = `import importlib.util as u, json, sys\nprint(json.dumps([n for n in sys.argv[1:] if not (u.find_spec(n.split(".")[0]) and u.find_spec(n))]))`;
  const missing = JSON.parse(runProgram(python, ['-c', script, ...Object.keys(needed)])) as string[];
  if (missing.length === 0) return;
  const packages = Object.entries(needed).flatMap(([name, debian]) => (missing.includes(name) ? debian : []));
  throw new Error(`there is no ${missing.join(', ')} here: apt-get install ${packages.join(' ')}`);
}

/** A Tryton on a PostgreSQL of its own, without companies and articles. */
export interface Tryton {
  cluster: Cluster;
  /** Makes a database like the first, which no session may use meanwhile. */
  copy(name: string): void;
  /** Starts a member of staff who works in it. */
  startStaff(database: string): Promise<Staff>;
  /** Starts the connector of extras/tryton/connector, as it was downloaded. */
  startConnector(options: ConnectorOptions): Promise<Connector>;
  /** The output of the connector for a day, and its exit code. */
  readDay(options: Omit<ConnectorOptions, 'port'>, day: string): Promise<{ code: number; stdout: string }>;
  /** Rows of a statement in a database of it. */
  query<Row extends pg.QueryResultRow>(database: string, statement: string): Promise<Row[]>;
  /** Ends it, and all that was started in it. */
  remove(): Promise<void>;
}

/** The people of a shop: see tryton/staff.py. */
export interface Staff {
  /** Does something in Tryton and gives what it answers; throws what Tryton refuses. */
  ask<Answer = null>(what: string, given?: Record<string, unknown>): Promise<Answer>;
  end(): Promise<void>;
}

/** Where the connector works. */
export interface ConnectorOptions {
  database: string;
  url: string;
  key: string;
  /** Where it takes webhooks. */
  port: number;
}

/** The connector as a process. */
export interface Connector {
  output(): string;
  /** Kills it as `kill -9` does. */
  kill(): Promise<void>;
  /** Asks it to stop, and gives its exit code. */
  stop(): Promise<number | null>;
  /** Stays open while it runs. */
  ended: Promise<unknown>;
}

/** Its output for a day. */
export interface Day {
  report: string;
  report_tax: string;
  sales: string;
  tax: string;
  invoices: string;
  collected: string;
  uncollected: string;
  refunded: string;
  differences: string[];
}

/** A sale as Tryton has it. */
export interface Sale {
  reference: string;
  state: string;
  total: string;
  tax: string;
  lines: [string, number, string][];
  shipments: string[];
  invoices: [string, string][];
}

const first = 'tryton';

/** Makes one: Debian's Tryton with its modules for sales, stock and invoices. `downloads` is where comanda.py comes from. */
export async function startTryton(downloads: string): Promise<Tryton> {
  requireTryton();
  const cluster = await startCluster();
  const config = join(cluster.home, 'trytond.conf');
  const password = join(cluster.home, 'password');
  const files = join(cluster.home, 'files');
  const folder = join(cluster.home, 'connector');
  mkdirSync(folder);
  writeFileSync(config, `[database]\nuri = ${cluster.url('postgres', '')}\npath = ${files}\n`);
  writeFileSync(password, 'of the test\n');
  const client = ['-h', '127.0.0.1', '-p', new URL(cluster.url('postgres', '')).port, '-U', 'postgres'];
  cluster.run('createdb', ...client, first);
  await promisify(execFile)(
    python,
    [
      programPath('trytond-admin', 'tryton-server'),
      '-c',
      config,
      '-d',
      first,
      '-u',
      'sale',
      '--activate-dependencies',
      '--email',
      'a@example.com',
    ],
    { env: { PATH: process.env.PATH, TRYTONPASSFILE: password } },
  );
  const example = join(repositoryRoot, 'extras/tryton/connector');
  for (const name of readdirSync(example).filter((file) => file.endsWith('.py')))
    copyFileSync(join(example, name), join(folder, name));
  writeFileSync(join(folder, 'comanda.py'), await (await fetch(`${downloads}/docs/comanda.py`)).text());

  const running = new Set<ChildProcess>();
  const start = (argv: string[], env: Record<string, string>, cwd = cluster.home) => {
    const child = spawn(python, ['-u', '-B', '-W', 'ignore', ...argv], {
      cwd,
      env: { PATH: process.env.PATH, TRYTOND_CONFIG: config, ...env },
    });
    const forget = noteProcess(inject('runDirectory'), child.pid ?? 0);
    running.add(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    const ended = once(child, 'close').then(() => {
      forget();
      running.delete(child);
    });
    const ready = () =>
      waitFor(
        `${argv[0]} to be ready`,
        () => {
          if (child.exitCode !== null) throw new Error(said);
          return /^ready$/m.test(said);
        },
        { timeoutMs: 300_000 },
      );
    return { child, ended, ready, output: () => said };
  };
  const uri = (database: string) => cluster.url('postgres', database);
  return {
    cluster,
    copy: (name) => {
      cluster.run('createdb', ...client, '-T', first, name);
    },
    async startStaff(database) {
      const script = join(repositoryRoot, 'extras/tryton/tests/staff.py');
      const { child, ended, ready } = start([script, uri(database), config], {});
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      await ready();
      await lines.next();
      let turn: Promise<unknown> = Promise.resolve();
      return {
        ask<Answer>(what: string, given: Record<string, unknown> = {}) {
          const mine = turn.then(async () => {
            child.stdin.write(`${JSON.stringify({ do: what, ...given })}\n`);
            const { value = '{"fault":"it ended"}' } = await lines.next();
            const answer = JSON.parse(value) as { done: Answer; fault?: string };
            if (answer.fault !== undefined) throw new Error(`${what}: ${answer.fault}`);
            return answer.done;
          });
          turn = mine.catch(() => {});
          return mine;
        },
        async end() {
          child.stdin.end();
          await ended;
        },
      };
    },
    async startConnector({ database, url, key, port }) {
      const env = { COMANDA_URL: url, COMANDA_KEY: key, COMANDA_EVERY: '0.5' };
      const argv = ['connector.py', 'run', String(port), `http://127.0.0.1:${port}/comanda`];
      const { child, ended, ready, output } = start(argv, { ...env, TRYTON_DATABASE: database }, folder);
      await Promise.race([ready(), ended]);
      return {
        output,
        ended,
        async kill() {
          child.kill('SIGKILL');
          await ended;
        },
        async stop() {
          child.kill('SIGTERM');
          await ended;
          return child.exitCode;
        },
      };
    },
    async readDay({ database, url, key }, day) {
      const env = { COMANDA_URL: url, COMANDA_KEY: key, TRYTON_DATABASE: database };
      const options = { cwd: folder, env: { PATH: process.env.PATH, TRYTOND_CONFIG: config, ...env } };
      const run = promisify(execFile)(python, ['-B', '-W', 'ignore', 'connector.py', 'day', day], options);
      const { code, stdout } = await run.then(
        ({ stdout }) => ({ code: 0, stdout }),
        (error) => error as { code: number; stdout: string },
      );
      return { code, stdout };
    },
    async query<Row extends pg.QueryResultRow>(database: string, sql: string) {
      const connection = new pg.Client({ connectionString: uri(database) });
      await connection.connect();
      try {
        return (await connection.query<Row>(sql)).rows;
      } finally {
        await connection.end();
      }
    },
    async remove() {
      for (const child of running) child.kill('SIGKILL');
      await waitFor('all of them to end', () => running.size === 0);
      if (existsSync(cluster.home)) await cluster.remove();
    },
  };
}

/** The articles of the restaurant, as `set_up` of its staff takes them. */
export const articles = [
  { code: 'CRO', name: 'Croissant', price: '8.325', tax: '20', category: 'Bakery', stock: 10 },
  { code: 'LAT', name: 'Caffè latte', price: '3.55', tax: '22', category: 'Coffee', stock: 50 },
  { code: 'BEA', name: 'Beans, loose', price: '19.0909', tax: '10', stock: 30, unit: 'Kilogram' },
  { code: 'DEL', name: 'Delivery', price: '2.5', tax: '22', kind: 'service' },
  { code: 'WAT', name: 'Water', price: '1', tax: '4', category: 'Drinks', stock: 12 },
  // Enough that the opening balance is a batch.
  ...Array.from({ length: 20 }, (_, n) => ({
    code: `P${n + 10}`,
    name: `Pastry ${n + 10}`,
    category: 'Bakery',
    price: '2.05',
    tax: '10',
    stock: n + 1,
  })),
];
